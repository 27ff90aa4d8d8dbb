package graph

import (
	"slices"

	"assay/acp/tuple"
)

// walk finds what a list may have, and counts the facts it walks over.
type walk struct {
	View
	facts uint64
}

// from returns the numbers of the objects or actors that facts lead to from an origin, sorted.
func (w *walk) from(o origin) []uint32 {
	var found []uint32
	if o.down {
		found = w.down(o.slot, o.number)
	} else {
		found = w.up(o.slot, o.number)
	}
	slices.Sort(found)
	return slices.Compact(found)
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

// up returns the numbers of the objects on which an actor can hold a slot, some of them repeatedly.
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
			rec := w.s.records.at(number)
			if rec.sees(w.revision) {
				each(w.s.nodes.at(rec.node))
			}
			number = rec.as
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
	return found
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

// down returns the numbers of the actors that facts lead to from a slot of an object, some of them
// repeatedly.
func (w *walk) down(slot, object uint32) []uint32 {
	var found []uint32
	r := reached{seen: map[uint64]struct{}{}}
	r.add(object, slot)
	for {
		object, slot, more := r.next()
		if !more {
			break
		}
		for i := range w.g.slots[slot].program {
			st := &w.g.slots[slot].program[i]
			if st.kind == stepPermission {
				r.add(object, st.slot)
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
						found = append(found, rec.subject.number())
					}
				}
			}
			for number := w.s.nodes.at(n).others.Load(); number != 0; {
				w.facts++
				var rec *record
				if rec, number = w.s.step(number, w.revision); !rec.sees(w.revision) {
					continue
				}
				switch {
				case st.kind == stepRelation && rec.subject.kind() == tuple.Userset:
					held := w.s.nodes.at(rec.subject.number())
					r.add(held.object, held.slot)
				case st.kind == stepArrow && rec.subject.kind() == tuple.Entity:
					to := rec.subject.number()
					if target := st.targets[w.g.names.resource(to)]; target != 0 {
						r.add(to, target)
					}
				}
			}
		}
	}
	return found
}
