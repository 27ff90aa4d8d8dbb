package graph

import (
	"slices"

	"assay/acp/tuple"
)

// walk finds what a list may have, and counts what that takes.
type walk struct {
	View
	facts  uint64 // walked over
	visits uint64 // relations and permissions of objects that were evaluated
	steps  int    // all that evaluating them took, in the steps of workOf
}

// from returns the objects or actors that facts lead to from an origin.
func (w *walk) from(o origin) (c *candidates, err error) {
	if !o.down {
		return &candidates{origin: o, found: w.up(o.slot, o.number)}, nil
	}
	found, everyone := w.down(o.slot, o.number)
	c = &candidates{origin: o, found: found, everyone: everyone}
	if w.g.slots[o.slot].algebra && !w.checkEach(c) {
		err = w.evaluate(c, workOf(w.facts))
	}
	return c, err
}

// checkEach checks each candidate, and then returns true. It gives up when that takes much more than the
// walk did.
func (w *walk) checkEach(c *candidates) bool {
	limit := 4 * (int(w.facts) + len(c.found) + 1)
	check := func(actor uint32) bool {
		held, cost := w.check(c.slot, c.number, actor)
		w.visits += uint64(cost.Visits)
		limit -= cost.Visits + cost.Probes
		return held
	}
	c.everyone, c.held = check(0), make([]bool, len(c.found))
	for i, actor := range c.found {
		if limit < 0 {
			return false
		}
		c.held[i] = check(actor)
	}
	return true
}

// sorted returns numbers in their order, each once.
func sorted(numbers []uint32) []uint32 {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// reached is a set of slots of objects, and those that were not followed yet.
type reached struct {
	seen map[uint64]struct{}
	work []uint64
}

func (r *reached) add(object, slot uint32) {
	key := uint64(object)<<32 | uint64(slot)
	if _, there := r.seen[key]; !there {
		r.seen[key] = struct{}{}
		r.work = append(r.work, key)
	}
}

func (r *reached) next() (object, slot uint32, more bool) {
	if len(r.work) == 0 {
		return 0, 0, false
	}
	key := r.work[len(r.work)-1]
	r.work = r.work[:len(r.work)-1]
	return uint32(key >> 32), uint32(key), true
}

// up returns the numbers of the objects on which an actor can hold a slot, sorted.
func (w *walk) up(target, actor uint32) []uint32 {
	useful, atOnce := w.g.leadsTo(target)
	var found []uint32
	var r *reached
	hold := func(object, slot uint32) {
		if !useful[slot] {
			return
		}
		if atOnce[slot] {
			found = append(found, object)
			return
		}
		if r == nil {
			r = &reached{seen: map[uint64]struct{}{}}
		}
		r.add(object, slot)
	}
	along := func(who subject, each func(n *node)) {
		for number := w.as(who); number != 0; {
			w.facts++
			var rec *record
			if rec, number = w.s.stepAs(number, w.revision); rec.sees(w.revision) {
				each(w.s.nodes.at(rec.node))
			}
		}
	}
	direct := func(n *node) { hold(n.object, n.slot) }
	if actor != 0 {
		along(makeSubject(tuple.Actor, actor), direct)
	}
	along(everyone, direct)
	for r != nil {
		object, slot, more := r.next()
		if !more {
			break
		}
		if slot == target {
			found = append(found, object)
		}
		for _, user := range w.g.slots[slot].supports {
			hold(object, user)
		}
		if n := w.s.node(object, slot); n != 0 {
			along(makeSubject(tuple.Userset, n), direct)
		}
		if w.g.slots[slot].arrowTarget {
			along(makeSubject(tuple.Entity, object), func(n *node) {
				for _, use := range w.g.slots[n.slot].viaArrow {
					if use.target == slot {
						hold(n.object, use.holder)
					}
				}
			})
		}
	}
	return sorted(found)
}

// leadsTo returns which slots can lead to a target, itself among them, and which of them lead there at
// once and no further: those that the target asks for itself, where neither leads on elsewhere.
func (c *compiled) leadsTo(target uint32) (useful, atOnce []bool) {
	useful, atOnce = make([]bool, len(c.slots)), make([]bool, len(c.slots))
	work := []uint32{target}
	useful[target] = true
	for len(work) > 0 {
		slot := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range c.slots[slot].from {
			if !useful[from] {
				useful[from] = true
				work = append(work, from)
			}
		}
	}
	ends := func(slot uint32) bool {
		return !c.slots[slot].leadsOn && !slices.ContainsFunc(c.slots[slot].supports, func(user uint32) bool {
			return user != target && useful[user]
		})
	}
	if ends(target) {
		for slot := range useful {
			atOnce[slot] = useful[slot] && ends(uint32(slot))
		}
	}
	return useful, atOnce
}

// down returns the numbers of the actors that facts lead to from a slot of an object, sorted, and whether
// they lead to everyone.
func (w *walk) down(slot, object uint32) (found []uint32, public bool) {
	found = make([]uint32, 0, 16)
	r := reached{seen: map[uint64]struct{}{}}
	r.add(object, slot)
	for object, slot, more := r.next(); more; object, slot, more = r.next() {
		w.expand(object, slot, func(_ int, object, slot uint32) { r.add(object, slot) }, func(_ int, who subject) {
			if who == everyone {
				public = true
			} else {
				found = append(found, who.number())
			}
		})
	}
	return sorted(found), public
}

// expand tells what a slot of an object depends on, by step of its program: slots of objects, and the actors
// and everyone that facts name.
func (w *walk) expand(object, slot uint32, on func(step int, object, slot uint32), member func(step int, who subject)) {
	for i := range w.g.slots[slot].program {
		st := &w.g.slots[slot].program[i]
		if st.kind == stepPermission {
			on(i, object, st.slot)
			continue
		}
		n := w.s.node(object, st.slot)
		if n == 0 {
			continue
		}
		if st.kind == stepRelation {
			for number := w.s.nodes.at(n).actors.Load(); number != 0; {
				w.facts++
				var rec *record
				if rec, number = w.s.step(number, w.revision); rec.sees(w.revision) {
					member(i, rec.subject)
				}
			}
		}
		for number := w.s.nodes.at(n).others.Load(); number != 0; {
			w.facts++
			var rec *record
			if rec, number = w.s.step(number, w.revision); !rec.sees(w.revision) {
				continue
			}
			switch kind := rec.subject.kind(); {
			case st.kind == stepRelation && kind == tuple.All:
				member(i, everyone)
			case st.kind == stepRelation && kind == tuple.Userset:
				held := w.s.nodes.at(rec.subject.number())
				on(i, held.object, held.slot)
			case st.kind == stepArrow && kind == tuple.Entity:
				to := rec.subject.number()
				if target := st.targets[w.g.names.resource(to)]; target != 0 {
					on(i, to, target)
				}
			}
		}
	}
}
