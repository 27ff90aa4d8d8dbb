package graph

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"assay/acp/tuple"
)

// ErrCursor is the error of a cursor that no list gave.
var ErrCursor = errors.New("not a cursor of this list")

// Lists are found from the other end: from the actor along the facts it is in, and along what these
// facts can lead to, to the objects; and from an object down to the actors. Where a permission on the
// way has & or -, what is found is only possible, and a check decides.
//
// Pages are cut by the numbers of names. A cursor is the last number of a page.

// ListObjects returns the ids of the objects of a resource on which an actor has a permission, and the
// cursor for those that do not fit.
func (v View) ListObjects(resource, permission, actor, cursor string, limit int) (ids []string, next string, err error) {
	slot, err := v.slot(resource, permission)
	if err != nil {
		return nil, "", err
	}
	after, err := parseCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	number := v.g.Actor(actor)
	found := v.reachUp(slot, number)
	exact := !v.g.slots[slot].algebra
	from, _ := slices.BinarySearch(found, after+1)
	found = found[from:]
	ids = make([]string, 0, page(limit, len(found)))
	for i, object := range found {
		if !exact {
			if held, _ := v.check(slot, object, number); !held {
				continue
			}
		}
		if limit > 0 && len(ids) == limit {
			return ids, formatCursor(found[i-1]), nil
		}
		ids = append(ids, v.g.names.id(object))
	}
	return ids, "", nil
}

func (v View) slot(resource, permission string) (uint32, error) {
	r, err := v.g.Resource(resource)
	if err != nil {
		return 0, err
	}
	return v.g.Slot(r, permission)
}

func page(limit, found int) int {
	if limit > 0 {
		return min(limit, found)
	}
	return found
}

func parseCursor(cursor string) (uint32, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(cursor, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%q is %w", cursor, ErrCursor)
	}
	return uint32(n), nil
}

func formatCursor(number uint32) string { return strconv.FormatUint(uint64(number), 10) }

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

// reachUp returns the numbers of the objects on which an actor can hold a slot, sorted.
func (v View) reachUp(target, actor uint32) []uint32 {
	useful, atOnce := v.g.leadsTo(target)
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
		for number := v.as(who); number != 0; {
			rec := v.s.records.at(number)
			if rec.sees(v.revision) {
				each(v.s.nodes.at(rec.node))
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
		for _, user := range v.g.slots[slot].supports {
			hold(object, user)
		}
		if n := v.s.node(object, slot); n != 0 {
			along(makeSubject(tuple.Userset, n), direct)
		}
		if v.g.slots[slot].arrowTarget {
			along(makeSubject(tuple.Entity, object), func(n *node) {
				for _, use := range v.g.slots[n.slot].viaArrow {
					if use.target == slot {
						hold(n.object, use.holder)
					}
				}
			})
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
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

// Actors is who has a permission on an object. Where Everyone is false, it is who Actors names. Where
// it is true, it is every actor, also those that no fact names, but not who Except names; Actors then
// has those that facts about the object lead to.
type Actors struct {
	Everyone bool
	Actors   []string
	Except   []string
	Next     string // the cursor for those that do not fit; "": there are none
}

// ListActors returns who has a permission on an object; at most limit of Actors and Except together.
func (v View) ListActors(object tuple.Object, permission, cursor string, limit int) (Actors, error) {
	slot, err := v.slot(object.Resource, permission)
	if err != nil {
		return Actors{}, err
	}
	after, err := parseCursor(cursor)
	if err != nil {
		return Actors{}, err
	}
	var list Actors
	number := v.g.names.find(v.g.slots[slot].resource, object.ID)
	if number == 0 {
		return list, nil
	}
	list.Everyone, _ = v.check(slot, number, 0)
	found := v.reachDown(slot, number)
	exact := !v.g.slots[slot].algebra && !list.Everyone
	from, _ := slices.BinarySearch(found, after+1)
	for i, actor := range found[from:] {
		held := exact
		if !exact {
			held, _ = v.check(slot, number, actor)
		}
		if !held && !list.Everyone {
			continue
		}
		if limit > 0 && len(list.Actors)+len(list.Except) == limit {
			list.Next = formatCursor(found[from+i-1])
			return list, nil
		}
		if held {
			list.Actors = append(list.Actors, v.g.names.id(actor))
		} else {
			list.Except = append(list.Except, v.g.names.id(actor))
		}
	}
	return list, nil
}

// reachDown returns the numbers of the actors that facts lead to from a slot of an object, sorted.
func (v View) reachDown(slot, object uint32) []uint32 {
	var found []uint32
	r := reached{seen: map[uint64]struct{}{}}
	r.add(object, slot)
	for {
		object, slot, more := r.next()
		if !more {
			break
		}
		for i := range v.g.slots[slot].program {
			st := &v.g.slots[slot].program[i]
			if st.kind == stepPermission {
				r.add(object, st.slot)
				continue
			}
			n := v.s.node(object, st.slot)
			if n == 0 {
				continue
			}
			if st.kind == stepRelation {
				for number := v.s.nodes.at(n).actors.Load(); number != 0; {
					rec := v.s.records.at(number)
					if rec.sees(v.revision) {
						found = append(found, rec.subject.number())
					}
					number = rec.next
				}
			}
			for number := v.s.nodes.at(n).others.Load(); number != 0; {
				rec := v.s.records.at(number)
				number = rec.next
				if !rec.sees(v.revision) {
					continue
				}
				switch {
				case st.kind == stepRelation && rec.subject.kind() == tuple.Userset:
					held := v.s.nodes.at(rec.subject.number())
					r.add(held.object, held.slot)
				case st.kind == stepArrow && rec.subject.kind() == tuple.Entity:
					to := rec.subject.number()
					if target := st.targets[v.g.names.resource(to)]; target != 0 {
						r.add(to, target)
					}
				}
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
