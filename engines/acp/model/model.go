// Package model decides access by plain set semantics over maps. It is slow and meant to be read: the
// engine is tested against it, and shares no code with it beyond reading policies.
package model

import (
	"maps"
	"slices"
	"strings"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Model is one policy with its relationships and the records of who owns what.
type Model struct {
	policy        *policy.Policy
	strata        [][]name // every name depends on those of its stratum and of the ones before it
	relationships map[tuple.Relationship]bool
	records       map[tuple.Object]record
	held          map[string]set // by actor, until the relationships change
}

// name is a relation or a permission of a resource.
type name struct{ resource, name string }

// fact says that the actor in question has a name on an object.
type fact struct {
	object tuple.Object
	name   string
}

type set map[fact]bool

// New returns a model without relationships.
func New(p *policy.Policy) *Model {
	return &Model{
		policy:        p,
		strata:        stratify(p),
		relationships: map[tuple.Relationship]bool{},
		records:       map[tuple.Object]record{},
		held:          map[string]set{},
	}
}

// Set adds a relationship, Unset removes one, with no questions asked.
func (m *Model) Set(r tuple.Relationship)   { m.relationships[r] = true; clear(m.held) }
func (m *Model) Unset(r tuple.Relationship) { delete(m.relationships, r); clear(m.held) }

// Relationships returns all, in the order of their text.
func (m *Model) Relationships() []tuple.Relationship {
	return slices.SortedFunc(maps.Keys(m.relationships), func(a, b tuple.Relationship) int {
		return strings.Compare(a.String(), b.String())
	})
}

// Check tells whether an actor has a relation or a permission on an object. The empty actor has what
// everybody has.
func (m *Model) Check(name, actor string, object tuple.Object) bool {
	return m.everything(actor)[fact{object, name}]
}

// ListObjects returns the ids of the objects of a resource on which an actor has a name, sorted.
func (m *Model) ListObjects(resource, name, actor string) []string {
	var ids []string
	for f, has := range m.everything(actor) {
		if has && f.name == name && f.object.Resource == resource {
			ids = append(ids, f.object.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// ListActors returns the actors that any relationship mentions and that have a name on an object,
// sorted. all tells whether those that are mentioned nowhere have it too.
func (m *Model) ListActors(object tuple.Object, name string) (actors []string, all bool) {
	mentioned := map[string]bool{}
	for r := range m.relationships {
		if r.Subject.Kind == tuple.Actor {
			mentioned[r.Subject.Object.ID] = true
		}
	}
	for actor := range mentioned {
		if actor != "" && m.Check(name, actor, object) {
			actors = append(actors, actor)
		}
	}
	slices.Sort(actors)
	return actors, m.Check(name, "", object)
}

// everything computes all that an actor has: stratum by stratum, each until nothing is added.
func (m *Model) everything(actor string) set {
	if held, known := m.held[actor]; known {
		return held
	}
	objects := map[string][]tuple.Object{}
	seen := map[tuple.Object]bool{}
	for r := range m.relationships {
		for _, o := range []tuple.Object{r.Object, r.Subject.Object} {
			if !seen[o] {
				seen[o] = true
				objects[o.Resource] = append(objects[o.Resource], o)
			}
		}
	}
	subjects := map[fact][]tuple.Subject{}
	for r := range m.relationships {
		f := fact{r.Object, r.Relation}
		subjects[f] = append(subjects[f], r.Subject)
	}
	e := evaluation{m.policy, actor, subjects, set{}}
	for _, stratum := range m.strata {
		for grown := true; grown; {
			grown = false
			for _, n := range stratum {
				for _, o := range objects[n.resource] {
					if f := (fact{o, n.name}); !e.held[f] && e.has(f) {
						e.held[f] = true
						grown = true
					}
				}
			}
		}
	}
	m.held[actor] = e.held
	return e.held
}

// evaluation is what an actor is known to have so far.
type evaluation struct {
	policy   *policy.Policy
	actor    string
	subjects map[fact][]tuple.Subject
	held     set
}

// has tells whether a fact follows from those that are held.
func (e evaluation) has(f fact) bool {
	resource := e.policy.Resource(f.object.Resource)
	if permission := resource.Permission(f.name); permission != nil {
		return e.holds(f.object, permission.Expr)
	}
	return slices.ContainsFunc(e.subjects[f], func(s tuple.Subject) bool {
		switch s.Kind {
		case tuple.All:
			return true
		case tuple.Actor:
			return e.actor != "" && s.Object.ID == e.actor
		case tuple.Userset:
			return e.held[fact{s.Object, s.Relation}]
		}
		return false
	})
}

func (e evaluation) holds(o tuple.Object, expr policy.Expr) bool {
	holds := func(operand policy.Expr) bool { return e.holds(o, operand) }
	switch expr.Op {
	case policy.Name:
		return e.held[fact{o, expr.Name}]
	case policy.Arrow:
		return slices.ContainsFunc(e.subjects[fact{o, expr.Via}], func(s tuple.Subject) bool {
			return s.Kind == tuple.Entity && e.held[fact{s.Object, expr.Name}]
		})
	case policy.Union:
		return slices.ContainsFunc(expr.Operands, holds)
	case policy.Intersection:
		return !slices.ContainsFunc(expr.Operands, func(operand policy.Expr) bool { return !holds(operand) })
	case policy.Difference:
		return holds(expr.Operands[0]) && !slices.ContainsFunc(expr.Operands[1:], holds)
	}
	return false
}

// stratify orders the names of a policy so that what stands behind a minus is complete before it is
// asked for. A policy that was read has no minus on a cycle.
func stratify(p *policy.Policy) [][]name {
	level := map[name]int{}
	for changed := true; changed; {
		changed = false
		raise := func(n name, to int) {
			if level[n] < to {
				level[n], changed = to, true
			}
		}
		for _, resource := range p.Resources {
			for _, relation := range resource.Relations {
				for _, t := range relation.Types {
					if t.Relation != "" {
						raise(name{resource.Name, relation.Name}, level[name{t.Resource, t.Relation}])
					}
				}
			}
			for _, permission := range resource.Permissions {
				n := name{resource.Name, permission.Name}
				dependencies(resource, permission.Expr, 0, func(on name, behindMinus int) { raise(n, level[on]+behindMinus) })
			}
		}
	}
	strata := make([][]name, 1+slices.Max(append(slices.Collect(maps.Values(level)), 0)))
	for _, resource := range p.Resources {
		for _, relation := range resource.Relations {
			n := name{resource.Name, relation.Name}
			strata[level[n]] = append(strata[level[n]], n)
		}
		for _, permission := range resource.Permissions {
			n := name{resource.Name, permission.Name}
			strata[level[n]] = append(strata[level[n]], n)
		}
	}
	return strata
}

// dependencies calls yield for the names that an expression refers to; minus is 1 behind a minus.
func dependencies(resource *policy.Resource, e policy.Expr, minus int, yield func(on name, minus int)) {
	switch e.Op {
	case policy.Name:
		yield(name{resource.Name, e.Name}, minus)
	case policy.Arrow:
		for _, t := range resource.Relation(e.Via).Types {
			if t.Relation == "" {
				yield(name{t.Resource, e.Name}, minus)
			}
		}
	}
	for i, operand := range e.Operands {
		if e.Op == policy.Difference && i > 0 {
			dependencies(resource, operand, 1, yield)
		} else {
			dependencies(resource, operand, minus, yield)
		}
	}
}
