package graph

import (
	"math"
	"slices"
	"sync/atomic"

	"assay/acp/tuple"
)

// A chain of records begins with the newest. Deleted ones stay in it for those who read older revisions. So
// that others need not walk over them, a chain with many of them gets a bypass: a record of no fact, from
// which those who read its revision or a later one go on along links to the records that were left when it
// was made.

// chain is one of the chains that a record is in: one of its node, and one of its subject.
type chain struct {
	kind   chainKind
	number uint32
}

type chainKind uint8

const (
	actorsOf  chainKind = iota // a node
	othersOf                   // a node
	asUserset                  // a node
	asName                     // an actor, an object or everyone
	chainKinds
)

// chains returns the chains that a record is in.
func (r *record) chains() (node, subject chain) {
	node, subject = chain{othersOf, r.node}, chain{asName, r.subject.number()}
	switch r.subject.kind() {
	case tuple.Actor:
		node.kind = actorsOf
	case tuple.Userset:
		subject.kind = asUserset
	}
	return node, subject
}

// head returns where a chain begins.
func (s *state) head(c chain) *atomic.Uint32 {
	switch c.kind {
	case actorsOf:
		return &s.nodes.at(c.number).actors
	case othersOf:
		return &s.nodes.at(c.number).others
	case asUserset:
		return &s.nodes.at(c.number).as
	}
	return &s.objects.at(c.number).as
}

// ofSubject tells a chain of a subject, whose records go on along as, from one of a node.
func (c chain) ofSubject() bool { return c.kind >= asUserset }

// dead counts the records of a chain that were deleted since its last bypass, and those that were left when
// it was last walked over.
type dead struct{ deleted, left uint32 }

// deadSlack is how many deleted records a chain has at least before it gets a bypass.
const deadSlack = 64

// link is an element of a bypass.
type link struct{ record, next uint32 }

// linked marks a place in a chain that is the number of a link, not of a record.
const linked = 1 << 31

// step returns the record at a place of a node's chain, which may not be seen, and the next place, 0 at the
// end.
func (s *state) step(place uint32, revision uint64) (r *record, next uint32) {
	if place&linked != 0 {
		l := s.links.at(place &^ linked)
		return s.records.at(l.record), l.next
	}
	r = s.records.at(place)
	if r.bypassed(revision) {
		return r, r.as
	}
	return r, r.next
}

// stepAs is step along a subject's chain. A bypass of it has next and as the other way round.
func (s *state) stepAs(place uint32, revision uint64) (r *record, next uint32) {
	if place&linked != 0 {
		l := s.links.at(place &^ linked)
		return s.records.at(l.record), l.next
	}
	r = s.records.at(place)
	if r.bypassed(revision) {
		return r, r.next
	}
	return r, r.as
}

// isBypass tells a record that is no fact. No revision sees it; deleted is the one it was made in, and as
// the first link.
func (r *record) isBypass() bool { return r.node == 0 }

// bypassed tells whether those who read a revision go on along the links.
func (r *record) bypassed(revision uint64) bool { return r.isBypass() && r.deleted.Load() <= revision }

// shorten counts a deletion in a chain, and gives it a bypass when it has more deleted records than
// others. So a deletion pays for one or two steps of the walk.
func (s *state) shorten(c chain, revision uint64) {
	d := s.dead[c.kind].at(c.number)
	if d.deleted++; d.deleted <= deadSlack+d.left {
		return
	}
	left := s.left(c, revision)
	if d.left = uint32(len(left)); d.deleted > deadSlack+d.left {
		s.bypass(c, left, revision)
		d.deleted = 0
	}
}

// left returns the records of a chain that a revision sees.
func (s *state) left(c chain, revision uint64) []uint32 {
	step := s.step
	if c.ofSubject() {
		step = s.stepAs
	}
	var left []uint32
	for place := s.head(c).Load(); place != 0; {
		number := place
		if place&linked != 0 {
			number = s.links.at(place &^ linked).record
		}
		var r *record
		if r, place = step(place, revision); r.sees(revision) {
			left = append(left, number)
		}
	}
	return left
}

// bypass puts a bypass along some records before a chain.
func (s *state) bypass(c chain, left []uint32, revision uint64) {
	number := s.records.add()
	r := s.records.at(number)
	r.created = math.MaxUint64
	r.deleted.Store(revision)
	whole, links := &r.next, &r.as
	if c.ofSubject() {
		whole, links = links, whole
	}
	head := s.head(c)
	*whole = head.Load()
	for _, record := range slices.Backward(left) {
		at := s.links.add()
		*s.links.at(at) = link{record, *links}
		*links = at | linked
	}
	head.Store(number)
}
