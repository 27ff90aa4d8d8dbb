package graph

import (
	"fmt"

	"assay/acp/tuple"
)

// Check tells whether an actor has a permission, or a relation, on an object. Names without facts
// are fine: the answer is that nobody named has anything, and everyone what * has.
func (v View) Check(permission, actor string, object tuple.Object) (bool, error) {
	held, _, err := v.CheckCost(permission, actor, object)
	return held, err
}

// CheckCost is Check and tells what it looked at.
func (v View) CheckCost(permission, actor string, object tuple.Object) (bool, Cost, error) {
	r, slot, err := v.g.asked(permission, object.Resource)
	if err != nil {
		return false, Cost{}, err
	}
	held, cost := v.check(slot, v.g.names.find(r, object.ID), v.g.names.find(v.g.actors, actor))
	return held, cost, nil
}

// asked returns the numbers of a resource and of a permission or relation of it.
func (g *Graph) asked(permission, resource string) (uint16, uint32, error) {
	r, err := g.resourceNumber(resource)
	if err != nil {
		return 0, 0, err
	}
	slot := g.resources[r][permission]
	if slot == 0 {
		return 0, 0, fmt.Errorf("permission %q of resource %q is %w", permission, resource, ErrUnknown)
	}
	return r, slot, nil
}

// Question is the arguments of Check.
type Question struct {
	Permission, Actor string
	Object            tuple.Object
}

// CheckMany answers questions in their order. What one shares with the one before is looked up once, and
// of an actor whose questions follow each other nothing is evaluated twice. The error is that of the
// first question that has one.
func (v View) CheckMany(questions []Question) ([]bool, error) {
	answers := make([]bool, len(questions))
	var last *Question
	var r uint16
	var slot uint32
	var a asker
	defer func() { a.end() }()
	for i := range questions {
		q := &questions[i]
		if last == nil || q.Permission != last.Permission || q.Object.Resource != last.Object.Resource {
			var err error
			if r, slot, err = v.g.asked(q.Permission, q.Object.Resource); err != nil {
				return nil, err
			}
		}
		if last == nil || q.Actor != last.Actor {
			a.end()
			a = v.asker(v.g.names.find(v.g.actors, q.Actor))
		}
		answers[i] = a.check(slot, v.g.names.find(r, q.Object.ID))
		last = q
	}
	return answers, nil
}

// Resource returns the number of a resource, for Slot and Object.
func (g *Graph) Resource(name string) (uint16, error) { return g.resourceNumber(name) }

// Slot returns the number of a permission or relation of a resource, for CheckNumbers.
func (g *Graph) Slot(resource uint16, name string) (uint32, error) {
	slot := g.resources[resource][name]
	if slot == 0 {
		return 0, fmt.Errorf("%q of resource %q is %w", name, g.policy.Resources[resource].Name, ErrUnknown)
	}
	return slot, nil
}

// ReadSlot is Slot for the name read, without a look-up; 0 if the resource has none.
func (g *Graph) ReadSlot(resource uint16) uint32 { return g.reads[resource] }

// WriteSlot is Slot for the name write, without a look-up; 0 if the resource has none.
func (g *Graph) WriteSlot(resource uint16) uint32 { return g.writes[resource] }

// Object returns the number of an object, or 0 if it has none yet. Numbers never change.
func (g *Graph) Object(resource uint16, id string) uint32 { return g.names.find(resource, id) }

// Actor returns the number of an actor, or 0 if it has none yet. Numbers never change.
func (g *Graph) Actor(id string) uint32 {
	if id == "" {
		return 0
	}
	return g.names.find(g.actors, id)
}

// CheckNumbers is Check by numbers that the graph gave.
func (v View) CheckNumbers(slot, object, actor uint32) bool {
	held, _ := v.check(slot, object, actor)
	return held
}

// Owner returns who owns an object: the first of its relation owner that is an actor, or "". If
// there is none it returns who owned it when it was archived.
func (v View) Owner(object tuple.Object) (owner string, archived bool, err error) {
	r, err := v.g.resourceNumber(object.Resource)
	if err != nil {
		return "", false, err
	}
	actor, archived := v.owner(r, v.g.names.find(r, object.ID))
	if actor == 0 {
		return "", false, nil
	}
	return v.g.names.id(actor), archived, nil
}

// OwnerNumber is Owner by numbers: that of the actor, or 0.
func (v View) OwnerNumber(resource uint16, object uint32) (actor uint32, archived bool) {
	return v.owner(resource, object)
}

func (v View) owner(resource uint16, object uint32) (actor uint32, archived bool) {
	if object == 0 {
		return 0, false
	}
	if actor = v.firstActor(v.s.node(object, v.g.owners[resource])); actor != 0 {
		return actor, false
	}
	if actor = v.firstActor(v.s.node(object, v.g.archived[resource])); actor != 0 {
		return actor, true
	}
	return 0, false
}

func (v View) firstActor(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	for number := v.s.nodes.at(n).actors.Load(); number != 0; {
		var r *record
		if r, number = v.s.step(number, v.revision); r.sees(v.revision) {
			return r.subject.number()
		}
	}
	return 0
}
