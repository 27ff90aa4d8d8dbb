package graph

import "math"

// A chain of a node's records begins with the newest. Deleted ones stay in it for those who read older
// revisions. So that others need not walk over them, a chain with many of them gets a bypass: a record
// of no fact, from which those who read its revision or a later one go on along links to the records
// that were left when it was made.

// chain is one of the two chains of a node.
type chain struct {
	node   uint32
	actors bool
}

// dead counts the records of a chain that were deleted since its last bypass.
type dead struct{ count, limit int }

// deadSlack is how many deleted records a chain has at least before it gets a bypass.
const deadSlack = 64

// link is an element of a bypass.
type link struct{ record, next uint32 }

// linked marks a place in a chain that is the number of a link, not of a record.
const linked = 1 << 31

// step returns the record at a place of a chain, which may not be seen, and the next place, 0 at the end.
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

// isBypass tells a record that is no fact. No revision sees it; deleted is the one it was made in, and as
// the first link.
func (r *record) isBypass() bool { return r.node == 0 }

// bypassed tells whether those who read a revision go on along the links.
func (r *record) bypassed(revision uint64) bool { return r.isBypass() && r.deleted.Load() <= revision }

// shorten counts a deletion in a chain, and gives it a bypass when it has more deleted records than
// others. So a deletion pays for one or two steps of the walk.
func (s *state) shorten(c chain, revision uint64) {
	d := s.dead[c]
	if d == nil {
		d = &dead{limit: deadSlack}
		s.dead[c] = d
	}
	if d.count++; d.count <= d.limit {
		return
	}
	head := &s.nodes.at(c.node).others
	if c.actors {
		head = &s.nodes.at(c.node).actors
	}
	var left []uint32
	for place := head.Load(); place != 0; {
		number := place
		if place&linked != 0 {
			number = s.links.at(place &^ linked).record
		}
		var r *record
		if r, place = s.step(place, revision); r.sees(revision) {
			left = append(left, number)
		}
	}
	d.limit = deadSlack + len(left)
	if d.count <= d.limit {
		return
	}
	d.count = 0
	number := s.records.add()
	bypass := s.records.at(number)
	bypass.created = math.MaxUint64
	bypass.deleted.Store(revision)
	bypass.next = head.Load()
	for i := len(left) - 1; i >= 0; i-- {
		at := s.links.add()
		*s.links.at(at) = link{left[i], bypass.as}
		bypass.as = at | linked
	}
	head.Store(number)
}
