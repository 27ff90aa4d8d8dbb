// Package policy reads access policies: which resources there are, which relations their objects
// have, and by which expression over relations a permission is held.
package policy

import (
	"slices"
	"strings"
)

// Names that mean something to the engine.
const (
	Owner            = "owner"        // the relation of who registered an object
	DefaultActor     = "actor"        // the resource of actors, unless the text names another
	ManagementPrefix = "_can_manage_" // begins the permission to set and delete a relation
)

// Policy is a policy that was read and checked. It is not changed afterwards.
type Policy struct {
	Name        string
	Description string
	Meta        map[string]string
	Actor       string      // the resource of actors
	Resources   []*Resource // sorted by name
}

// Resource is a kind of objects.
type Resource struct {
	Name        string
	Doc         string
	Relations   []*Relation   // sorted by name
	Permissions []*Permission // sorted by name, those that manage relations at the end
}

// Relation is what subjects can be set on.
type Relation struct {
	Name    string
	Doc     string
	Types   []Type   // the subjects that can be set; none: nothing can
	Manages []string // the relations whose members a holder sets and deletes
}

// Type is a kind of subjects: actors, objects of a resource, or the members of their relation.
type Type struct {
	Resource string
	Relation string // of usersets, else ""
}

func (t Type) String() string {
	if t.Relation == "" {
		return t.Resource
	}
	return t.Resource + "->" + t.Relation
}

// Permission is computed, never set.
type Permission struct {
	Name       string
	Doc        string
	Text       string // the expression as it was written
	Expr       Expr
	Management bool // made by the engine: to set and delete a relation
}

// Op is an operation of an expression.
type Op uint8

// The operations. Union, Intersection and Difference take all their operands from left to right.
const (
	Name         Op = iota // Expr.Name: a relation or permission of the same object
	Arrow                  // Expr.Name, held at the objects that Expr.Via leads to
	Union                  // +
	Intersection           // &
	Difference             // -
	None                   // nobody: _this in a permission, since nothing is set on permissions
)

// Expr is a node of an expression.
type Expr struct {
	Op       Op
	Name     string // of Name and Arrow
	Via      string // of Arrow: a relation of the same object
	Operands []Expr // of Union, Intersection, Difference; two or more
}

// Resource returns the resource of a name, or nil.
func (p *Policy) Resource(name string) *Resource {
	return find(p.Resources, name, func(r *Resource) string { return r.Name })
}

// Relation returns the relation of a name, or nil.
func (r *Resource) Relation(name string) *Relation {
	return find(r.Relations, name, func(r *Relation) string { return r.Name })
}

// Permission returns the permission of a name, also one that manages a relation, or nil.
func (r *Resource) Permission(name string) *Permission {
	nameOf := func(p *Permission) string { return p.Name }
	written := len(r.Permissions) - len(r.Relations) // one permission manages each relation
	if strings.HasPrefix(name, ManagementPrefix) {
		return find(r.Permissions[written:], name, nameOf)
	}
	return find(r.Permissions[:written], name, nameOf)
}

func find[T any](sorted []*T, name string, nameOf func(*T) string) *T {
	i, found := slices.BinarySearchFunc(sorted, name, func(t *T, name string) int {
		return strings.Compare(nameOf(t), name)
	})
	if !found {
		return nil
	}
	return sorted[i]
}
