// Package convert turns models of other systems into policies and relationships. What it cannot turn
// into a policy that gives the same answers it refuses, by the name of the feature.
package convert

import (
	"fmt"
	"strings"
)

// Schema is what models of others have in common. A relation there can be set, computed, or both.
type Schema struct {
	Name  string
	Types []Type
}

// Type is a type of objects.
type Type struct {
	Name      string
	Relations []Relation
}

// Relation is held by whom its expression says.
type Relation struct {
	Name     string
	Subjects []Subject // that can be set
	Expr     Expr
}

// Subject is a kind of subjects: the objects of a type, all of them at once, or the holders of one of
// their relations.
type Subject struct {
	Type     string
	Relation string
	Wildcard bool
}

// Op is an operation of an expression.
type Op uint8

// The operations. Difference takes all but the first operand away.
const (
	Direct Op = iota // those that were set
	Name             // those who have Expr.Name
	Arrow            // those who have Expr.Name of the objects that were set on Expr.Via
	Union
	Intersection
	Difference
	Nobody
)

// Expr is a node of an expression.
type Expr struct {
	Op       Op
	Name     string
	Via      string
	Operands []Expr
}

// Fact is a relationship in the words of the other system.
type Fact struct {
	Object   Ref
	Relation string
	Subject  Ref
}

func (f Fact) String() string { return fmt.Sprintf("%s#%s@%s", f.Object, f.Relation, f.Subject) }

// Ref is type:id, type:* or type:id#relation.
type Ref struct {
	Type     string
	ID       string // * for all objects
	Relation string
}

func (r Ref) String() string {
	if r.Relation != "" {
		return r.Type + ":" + r.ID + "#" + r.Relation
	}
	return r.Type + ":" + r.ID
}

// ParseRef reads type:id, type:* or type:id#relation.
func ParseRef(text string) (Ref, error) {
	resource, rest, found := strings.Cut(text, ":")
	id, relation, userset := strings.Cut(rest, "#")
	if !found || resource == "" || id == "" || userset && relation == "" || strings.Contains(relation, "#") ||
		strings.Contains(resource, "#") {
		return Ref{}, fmt.Errorf("%q: expected type:id, type:* or type:id#relation", text)
	}
	return Ref{resource, id, relation}, nil
}

// Unsupported is the error for a feature that has no counterpart here.
type Unsupported struct {
	Feature string // one of the names below
	Where   string
}

// The features that are refused.
const (
	Conditions        = "conditions" // caveats
	Expiration        = "expiration"
	Modules           = "modules" // imports, partial definitions
	NegatedCycle      = "exclusion that depends on itself"
	UsersetOfComputed = "a userset of a computed relation as the asker"
	UsersetOfWildcard = "a userset as the asker where a wildcard is allowed"
	ListOfUsersets    = "a list of usersets"
	AllArrow          = "arrow over all objects at once"
	Self              = "the object itself as a subject"
)

func (e *Unsupported) Error() string {
	return fmt.Sprintf("not supported: %s: %s", e.Feature, e.Where)
}
