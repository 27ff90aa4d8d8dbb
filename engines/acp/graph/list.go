package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"assay/acp/tuple"
)

// ErrCursor is the error of a cursor that no list gave.
var ErrCursor = errors.New("not a cursor of this list")

// Lister answers lists of a view. Lists are found from the other end: from the actor along the facts it
// is in, and along what these facts can lead to, to the objects; and from an object down to the actors.
// Where a permission on the way has & or -, what is found is only possible. Of objects a check decides, and
// all checks of a page share what they find; of actors, sets of all of them are evaluated at
// once where that is less work.
//
// Pages are cut by the numbers of names, which never change: a cursor is the last number of a page. The
// lister keeps what the walk of its last list found, until the last page, so that the next page goes on
// there. A cursor of another lister of the graph is good too, but costs a walk.
type Lister struct {
	View     View
	last     atomic.Pointer[candidates]
	examined atomic.Uint64
	visits   atomic.Uint64
}

// origin is where a walk begins.
type origin struct {
	down         bool   // from an object to actors; otherwise from an actor to objects
	slot, number uint32 // what is asked for; the object or actor
}

// candidates is what a walk found.
type candidates struct {
	origin
	found    []uint32 // numbers of names, sorted
	held     []bool   // of actors, where not all of them hold the slot: who does
	everyone bool     // of actors: whether those hold it whom no fact names
}

// Examined is how many facts the lists walked over, and how many candidates they looked at.
func (l *Lister) Examined() uint64 { return l.examined.Load() }

// Visits is how many relations and permissions of objects the lists evaluated, each for one actor or for
// all at once.
func (l *Lister) Visits() uint64 { return l.visits.Load() }

// candidates returns what a walk from an origin finds, or found for the page before.
func (l *Lister) candidates(o origin) (*candidates, error) {
	if c := l.last.Load(); c != nil && c.origin == o {
		return c, nil
	}
	w := walk{View: l.View}
	c, err := w.from(o)
	l.examined.Add(w.facts)
	l.visits.Add(w.visits)
	return c, err
}

// page calls take for the candidates behind a cursor, and tells it how many there are from this one on,
// until it returns false; that candidate is the first of the next page, whose cursor is returned.
func (l *Lister) page(c *candidates, after uint32, take func(i, left int) bool) (next string) {
	start, _ := slices.BinarySearch(c.found, after+1)
	for i := start; i < len(c.found); i++ {
		if !take(i, len(c.found)-i) {
			l.examined.Add(uint64(i-start) + 1)
			l.last.Store(c)
			return strconv.FormatUint(uint64(c.found[i]-1), 10)
		}
	}
	l.examined.Add(uint64(len(c.found) - start))
	l.last.CompareAndSwap(c, nil)
	return ""
}

// ListObjects returns the ids of the objects of a resource on which an actor has a permission, at most
// limit (0: all) of those behind the cursor ("": from the start), and the cursor of those that do not
// fit.
func (l *Lister) ListObjects(resource, permission, actor, cursor string, limit int) (ids []string, next string, err error) {
	slot, after, err := l.parse(resource, permission, cursor)
	if err != nil {
		return nil, "", err
	}
	v := l.View
	number := v.g.Actor(actor)
	exact := !v.g.slots[slot].algebra
	c, err := l.candidates(origin{slot: slot, number: number})
	if err != nil {
		return nil, "", err
	}
	a := v.asker(number)
	defer a.end()
	next = l.page(c, after, func(i, left int) bool {
		object := c.found[i]
		if !exact && !a.check(slot, object) {
			return true
		}
		if limit > 0 && len(ids) == limit {
			return false
		}
		if ids == nil {
			ids = make([]string, 0, min(left, cmp.Or(max(limit, 0), left)))
		}
		ids = append(ids, v.g.names.id(object))
		return true
	})
	l.visits.Add(uint64(a.cost.Visits))
	return ids, next, nil
}

// parse returns the slot of a list and the number that its cursor stands for.
func (l *Lister) parse(resource, permission, cursor string) (slot, after uint32, err error) {
	r, err := l.View.g.Resource(resource)
	if err != nil {
		return 0, 0, err
	}
	if slot, err = l.View.g.Slot(r, permission); err != nil || cursor == "" {
		return slot, 0, err
	}
	n, err := strconv.ParseUint(cursor, 10, 31)
	if err != nil {
		return 0, 0, fmt.Errorf("%q is %w", cursor, ErrCursor)
	}
	return slot, uint32(n), nil
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
//
// Where & or - is on the way, each candidate is checked, until that takes much more than the walk did; then sets
// of all actors are evaluated, each relation and permission of an object once, or on a cycle through & or -
// again while its set grows. Sets share what is equal, and are put together by what differs, so that the work
// grows with the facts. It can still grow with their square, in parts of 256 actors, where many sets differ
// everywhere. No list could do much better: the actors who hold x - y on one of n objects tell whether one of n
// vectors is orthogonal to one of n others, which nobody knows to find in time n to a power below 2, and which
// the strong exponential time hypothesis says cannot be found so. So the work is bounded: the error is ErrWork
// behind 16,777,216 steps and 256 for each fact that is walked over, and behind 4,194,304 parts of sets and 32
// for each. A step takes about 0.1 microseconds, a part 32 bytes at most.
func (l *Lister) ListActors(object tuple.Object, permission, cursor string, limit int) (Actors, error) {
	slot, after, err := l.parse(object.Resource, permission, cursor)
	if err != nil {
		return Actors{}, err
	}
	v := l.View
	number := v.g.names.find(v.g.slots[slot].resource, object.ID)
	if number == 0 {
		return Actors{}, nil
	}
	c, err := l.candidates(origin{down: true, slot: slot, number: number})
	if err != nil {
		return Actors{}, err
	}
	list := Actors{Everyone: c.everyone}
	list.Next = l.page(c, after, func(i, _ int) bool {
		held := c.held == nil || c.held[i]
		switch {
		case !held && !list.Everyone:
		case limit > 0 && len(list.Actors)+len(list.Except) == limit:
			return false
		case held:
			list.Actors = append(list.Actors, v.g.names.id(c.found[i]))
		default:
			list.Except = append(list.Except, v.g.names.id(c.found[i]))
		}
		return true
	})
	return list, nil
}
