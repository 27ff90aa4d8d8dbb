package graph

import (
	"sync/atomic"

	"assay/acp/tuple"
)

// state holds the facts of a policy. One writer changes it while any number of readers look; they
// read the revision first and see the facts of that revision and nothing else. A state only grows,
// until vacuum puts another in its place, which lacks what was deleted.
type state struct {
	revision atomic.Uint64
	objects  array[object] // by the numbers of names
	nodes    array[node]
	records  array[record]
	links    array[link]
	index    table                    // of records, by node and subject
	bySlot   []atomic.Uint32          // first node of each slot
	live     int                      // records that are not deleted
	dead     [chainKinds]sparse[dead] // the writer's, by the number of a chain
}

// object is where the facts about an object, and those in which it is a subject, begin. Object 0 is
// everyone, the subject *.
type object struct {
	nodes atomic.Uint32 // first node
	as    atomic.Uint32 // first record whose subject is this actor or object
}

// node is a slot of an object: those who hold a relation or, where it is a subject itself, a permission.
// Actors are chained apart from the other subjects, which are few and are all that a check has to
// walk over.
type node struct {
	object uint32
	slot   uint32
	next   uint32        // of the object
	peer   uint32        // next node of the slot
	actors atomic.Uint32 // first record of an actor
	others atomic.Uint32 // first record of *, an object or a userset
	as     atomic.Uint32 // first record whose subject is this userset
}

// record is a fact. It is there from revision created up to, but not in, revision deleted.
type record struct {
	node    uint32
	subject subject
	next    uint32 // of the node's chain
	as      uint32 // next of the subject's chain
	older   uint32 // the same fact before it was deleted and set again
	created uint64
	deleted atomic.Uint64 // 0: not
}

// subject is a kind and a number: of the name of an actor or object, or of the node of a userset.
type subject uint32

const subjectBits = 30

func makeSubject(kind tuple.Kind, number uint32) subject {
	return subject(uint32(kind)<<subjectBits | number)
}

func (s subject) kind() tuple.Kind { return tuple.Kind(s >> subjectBits) }
func (s subject) number() uint32   { return uint32(s) & (1<<subjectBits - 1) }

// everyone is the subject *.
var everyone = makeSubject(tuple.All, 0)

func newState(slots, records int) *state {
	s := &state{bySlot: make([]atomic.Uint32, slots)}
	s.objects.init()
	s.nodes.init()
	s.records.init()
	s.links.init()
	s.index.init(records)
	return s
}

// node returns the node of an object's slot, or 0. An object has as many as relations of its were
// ever set.
func (s *state) node(number, slot uint32) uint32 {
	o := s.objects.find(number)
	if o == nil {
		return 0
	}
	for n := o.nodes.Load(); n != 0; {
		node := s.nodes.at(n)
		if node.slot == slot {
			return n
		}
		n = node.next
	}
	return 0
}

// sees tells whether a record is there at a revision.
func (r *record) sees(revision uint64) bool {
	deleted := r.deleted.Load()
	return r.created <= revision && (deleted == 0 || deleted > revision)
}

// find returns the record of a fact that is there at a revision, or 0, and how many versions of it are
// newer than the revision.
func (s *state) find(node uint32, who subject, revision uint64) (number uint32, newer int) {
	p := s.index.probe(mix(node, uint32(who)))
	for number := p.next(); number != 0; number = p.next() {
		r := s.records.at(number)
		if r.node != node || r.subject != who {
			continue
		}
		for r.created > revision {
			if number = r.older; number == 0 {
				return 0, newer
			}
			newer++
			r = s.records.at(number)
		}
		if !r.sees(revision) {
			return 0, newer // and the older ones ended before it began
		}
		return number, newer
	}
	return 0, 0
}

// addNode returns the node of an object's slot, which is new if need be.
func (s *state) addNode(number, slot uint32) uint32 {
	if n := s.node(number, slot); n != 0 {
		return n
	}
	s.objects.grow(number + 1)
	o := s.objects.at(number)
	n := s.nodes.add()
	node := s.nodes.at(n)
	node.object, node.slot = number, slot
	node.next = o.nodes.Load()
	node.peer = s.bySlot[slot].Load()
	o.nodes.Store(n)
	s.bySlot[slot].Store(n)
	return n
}

// add sets a fact as of a revision that is not published yet. The fact must not be there.
func (s *state) add(n uint32, who subject, revision uint64) {
	hash := mix(n, uint32(who))
	p := s.index.probe(hash)
	older := p.next()
	for ; older != 0; older = p.next() {
		if old := s.records.at(older); old.node == n && old.subject == who {
			break
		}
	}
	number := s.append(n, who, older, revision)
	if older != 0 {
		p.replace(number)
	} else {
		s.index.add(hash, number)
	}
}

// append adds a record that the index lacks.
func (s *state) append(n uint32, who subject, older uint32, revision uint64) uint32 {
	number := s.records.add()
	r := s.records.at(number)
	r.node, r.subject, r.older, r.created = n, who, older, revision
	if who.kind() != tuple.Userset {
		s.objects.grow(who.number() + 1)
	}
	node, subject := r.chains()
	chain, as := s.head(node), s.head(subject)
	r.next = chain.Load()
	r.as = as.Load()
	chain.Store(number)
	as.Store(number)
	s.live++
	return number
}

// fill indexes records that were appended, and returns one whose fact is there twice, or 0.
func (s *state) fill() uint32 {
	return s.index.fill(s.records.length-1, func(number uint32) uint32 {
		r := s.records.at(number)
		return mix(r.node, uint32(r.subject))
	}, func(a, b uint32) bool {
		x, y := s.records.at(a), s.records.at(b)
		return x.node == y.node && x.subject == y.subject
	})
}

// remove deletes a fact as of a revision that is not published yet.
func (s *state) remove(number uint32, revision uint64) {
	r := s.records.at(number)
	r.deleted.Store(revision)
	s.live--
	node, subject := r.chains()
	s.shorten(node, revision)
	s.shorten(subject, revision)
}

// deleted is how many records the state holds that are of no present fact.
func (s *state) deleted() int { return int(s.records.length) - 1 - s.live }
