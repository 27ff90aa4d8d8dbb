// Package graph holds the facts of one policy in memory and answers from them: who has a permission
// on what. Names are numbers, facts are found by hash and along chains in both directions, and
// permissions are compiled to jumps. One goroutine at a time may change a graph; any number may
// read it meanwhile, without locks.
package graph

import (
	"errors"
	"fmt"
	"sync/atomic"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Errors of facts and questions that a policy has no place for.
var (
	ErrUnknown = errors.New("not in the policy")        // a resource, relation or permission
	ErrType    = errors.New("not allowed by the types") // a subject
	ErrID      = errors.New("not an id")                // empty or too long
	ErrFull    = errors.New("no room")                  // for more names or facts
)

// Graph is the facts of one policy.
type Graph struct {
	*compiled
	names *names
	state atomic.Pointer[state]
}

// New returns a graph without facts, at revision 0.
func New(p *policy.Policy) *Graph { return newGraph(p, 0, 0) }

func newGraph(p *policy.Policy, names, records int) *Graph {
	g := &Graph{compiled: compile(p), names: newNames(names)}
	g.state.Store(newState(len(g.slots), records))
	return g
}

// Policy returns the policy, which is not to be changed.
func (g *Graph) Policy() *policy.Policy { return g.policy }

// View returns what is there now.
func (g *Graph) View() View {
	s := g.state.Load()
	return View{g: g, s: s, revision: s.revision.Load()}
}

// View is a graph as it was at one revision. It costs nothing to make and nothing to drop.
type View struct {
	g        *Graph
	s        *state
	revision uint64
}

// Policy returns the policy, which is not to be changed.
func (v View) Policy() *policy.Policy { return v.g.policy }

// Revision is how many changes came before.
func (v View) Revision() uint64 { return v.revision }

// Len is how many facts are there.
func (v View) Len() int {
	n := 0
	for range v.Relationships(Filter{}) {
		n++
	}
	return n
}

// resourceNumber returns the number of a resource.
func (c *compiled) resourceNumber(name string) (uint16, error) {
	r, known := c.byName[name]
	if !known {
		return 0, fmt.Errorf("resource %q is %w", name, ErrUnknown)
	}
	return r, nil
}

// slotNumber returns the slot of a relation or permission.
func (c *compiled) slotNumber(resource, name string) (uint32, error) {
	r, err := c.resourceNumber(resource)
	if err != nil {
		return 0, err
	}
	s := c.resources[r][name]
	if s == 0 {
		return 0, fmt.Errorf("%q of resource %q is %w", name, resource, ErrUnknown)
	}
	return s, nil
}

// object gives the text form of a name.
func (g *Graph) object(number uint32) tuple.Object {
	e := g.names.entries.at(number)
	o := tuple.Object{ID: g.names.text(e)}
	if int(e.resource) < len(g.policy.Resources) {
		o.Resource = g.policy.Resources[e.resource].Name
	}
	return o
}

// subject gives the text form of a subject.
func (v View) subject(who subject) tuple.Subject {
	switch who.kind() {
	case tuple.All:
		return tuple.Subject{Kind: tuple.All}
	case tuple.Userset:
		n := v.s.nodes.at(who.number())
		return tuple.Subject{Kind: tuple.Userset, Object: v.g.object(n.object), Relation: v.g.slots[n.slot].name}
	}
	return tuple.Subject{Kind: who.kind(), Object: v.g.object(who.number())}
}

// relationship gives the text form of a record.
func (v View) relationship(r *record) tuple.Relationship {
	n := v.s.nodes.at(r.node)
	return tuple.Relationship{Object: v.g.object(n.object), Relation: v.g.slots[n.slot].name, Subject: v.subject(r.subject)}
}
