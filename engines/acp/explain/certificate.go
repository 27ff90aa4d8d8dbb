package explain

import (
	"errors"
	"iter"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// ErrUnknown is the error of a question about a resource, or a name of it, that the policy lacks.
var ErrUnknown = errors.New("not in the policy")

// ErrRefused is the error of a certificate that does not prove what it says.
var ErrRefused = errors.New("certificate refused")

// Facts are the relationships that decisions rest on. They must not change during a call.
type Facts interface {
	// Has tells whether the relationship is set.
	Has(tuple.Relationship) bool
	// Subjects yields the objects and usersets that have the relation to the object, each once, in
	// any order. Actors may be among them or not: they are looked up with Has.
	Subjects(object tuple.Object, relation string) iter.Seq[tuple.Subject]
}

// View is one policy with its relationships at one revision.
type View interface {
	Facts
	Policy() *policy.Policy
	Revision() uint64
}

// Node is a relation or permission at an object.
type Node struct {
	Object tuple.Object
	Name   string
}

// String gives resource:id#name.
func (n Node) String() string {
	s := tuple.Relationship{Object: n.Object, Relation: n.Name, Subject: tuple.Subject{Kind: tuple.All}}.String()
	return s[:len(s)-len("@*")]
}

// Certificate is the answer to a question and its proof.
type Certificate struct {
	Revision uint64 // of the relationships; Verify is given them and does not look at it
	Actor    string // empty: somebody without identity, for whom only * stands
	Question Node
	Allowed  bool
	Steps    []Step // each rests on those before it
}

// Step proves that one node holds, or that none of a set does.
type Step struct {
	Holds  bool
	Proofs []Proof // one if Holds
}

// Proof has the relationships of its node's object by which the node holds or might have held.
//
// If the node holds, they are those that the proof rests on. If it fails, they are all that lead on
// to other nodes: for a relation its usersets, for a permission the objects behind the arrows.
type Proof struct {
	Node
	Facts []tuple.Relationship
}

// Relationships returns the relationships by which the steps that hold do so, each once. If the
// certificate allows and no exclusion was needed, they alone give the same answer.
func (c Certificate) Relationships() []tuple.Relationship {
	var found []tuple.Relationship
	seen := map[tuple.Relationship]bool{}
	for _, s := range c.Steps {
		for _, p := range s.Proofs {
			for _, f := range p.Facts {
				if s.Holds && !seen[f] {
					seen[f] = true
					found = append(found, f)
				}
			}
		}
	}
	return found
}
