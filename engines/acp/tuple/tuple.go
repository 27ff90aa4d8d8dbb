// Package tuple has the facts that access is decided from: an object, a relation of it, and who or
// what has this relation to it.
package tuple

// Object is a thing of a resource. Its id may hold any bytes.
type Object struct {
	Resource string
	ID       string
}

// Kind tells the four kinds of subjects apart.
type Kind uint8

// The kinds of subjects.
const (
	Actor   Kind = iota // one actor: Object.ID is its id, Object.Resource is empty
	All                 // every actor, written *
	Entity              // another object, which arrows follow
	Userset             // all that have Relation to Object
)

// Subject is who or what has a relation to an object.
type Subject struct {
	Kind     Kind
	Object   Object // of Actor, Entity and Userset
	Relation string // of Userset
}

// Relationship is one fact: Subject has Relation to Object.
type Relationship struct {
	Object   Object
	Relation string
	Subject  Subject
}
