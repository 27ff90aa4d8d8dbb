package graph

import (
	"assay/acp/tuple"
)

// Cost is what a check looked at. It is exact: the same check of the same facts costs the same.
type Cost struct {
	Probes int // facts looked up by key or walked over
	Visits int // relations and permissions of objects that were evaluated
}

// checker answers one question. Questions whose program stays at its object need nothing else;
// others take a search from the pool.
type checker struct {
	g        *Graph
	s        *state
	revision uint64
	actor    subject
	cost     Cost
}

// check tells whether an actor holds a slot of an object. An actor or object of number 0 has no name
// in the graph: no fact is about it, and an actor can still be one of everyone.
func (v View) check(slot, object, actor uint32) (bool, Cost) {
	c := checker{g: v.g, s: v.s, revision: v.revision, actor: makeSubject(tuple.Actor, actor)}
	if object == 0 {
		return false, c.cost // every relation of it is empty, and no expression holds of nothing
	}
	if v.g.slots[slot].simple {
		return c.simple(slot, object), c.cost
	}
	se := takeSearch()
	held := se.run(&c, object, slot)
	se.release()
	return held, c.cost
}

// asker answers questions of one actor. It keeps what it evaluated for those to come.
type asker struct {
	checker
	search *search // nil before the first question that needs one
}

func (v View) asker(actor uint32) asker {
	return asker{checker: checker{g: v.g, s: v.s, revision: v.revision, actor: makeSubject(tuple.Actor, actor)}}
}

// check is View.check.
func (a *asker) check(slot, object uint32) bool {
	if object == 0 {
		return false
	}
	if a.g.slots[slot].simple {
		return a.simple(slot, object)
	}
	if a.search == nil {
		a.search = takeSearch()
	}
	return a.search.run(&a.checker, object, slot)
}

func (a *asker) end() {
	if a.search != nil {
		a.search.release()
	}
}

// simple runs a program whose steps are all direct.
func (c *checker) simple(slot, object uint32) bool {
	c.cost.Visits++
	program := c.g.slots[slot].program
	for at := int32(0); ; {
		st := &program[at]
		if c.direct(c.s.node(object, st.slot)) {
			at = st.yes
		} else {
			at = st.no
		}
		if at < 0 {
			return at == accept
		}
	}
}

// direct tells whether a fact sets the actor, or everyone, on a node.
func (c *checker) direct(n uint32) bool {
	if n == 0 {
		return false
	}
	if c.actor.number() != 0 {
		if c.find(n, c.actor) {
			return true
		}
	}
	node := c.s.nodes.at(n)
	if node.others.Load() == 0 {
		return false
	}
	return c.find(n, everyone)
}

func (c *checker) find(n uint32, who subject) bool {
	number, newer := c.s.find(n, who, c.revision)
	c.cost.Probes += 1 + newer
	return number != 0
}
