package explain

import "assay/acp/policy"

// minimal returns a proof of a question that holds by as few facts as possible in the sense that none
// can be left out: by which edge each gate holds, and the gates in their order. What is excluded stays
// so. The time is that of the search, times the facts of the first proof that are not forced.
func (s *search) minimal() (by, order []int32) {
	usable := s.derivation(s.by)
	by, _, _ = s.restricted(usable)
	needed := s.forced(usable, by)
	for f := range usable {
		if !usable[f] || needed[f] {
			continue
		}
		usable[f] = false
		without, _, holds := s.restricted(usable)
		if !holds {
			usable[f], needed[f] = true, true
			continue
		}
		usable = s.derivation(without)
	}
	by, order, _ = s.restricted(usable)
	return by, order
}

// restricted finds what holds by the usable facts; by is none-1 for gates that do not.
func (s *search) restricted(usable []bool) (by, order []int32, holds bool) {
	by = make([]int32, len(s.gates))
	for g := range by {
		by[g] = none - 1
	}
	before := func(g int32) bool { return s.round[g] < 0 && -s.round[g] < s.round[0] } // failed when the question was decided
	s.least(usable, before, func(g, edge int32) {
		by[g] = edge
		order = append(order, g)
	})
	return by, order, by[0] >= none
}

// walk visits the gates that a question's proof needs, except what it excludes; next returns the
// edges of a gate that holds by any.
func (s *search) walk(visit func(g int32), next func(g int32) []edge) {
	seen := make([]bool, len(s.gates))
	work := []int32{0}
	seen[0] = true
	for len(work) > 0 {
		g := work[len(work)-1]
		work = work[:len(work)-1]
		visit(g)
		edges := s.gates[g].edges
		switch s.gates[g].op {
		case policy.Union:
			edges = next(g)
		case policy.Difference:
			edges = edges[:1]
		}
		for _, e := range edges {
			if e.to != none && !seen[e.to] {
				seen[e.to] = true
				work = append(work, e.to)
			}
		}
	}
}

// derivation returns which facts the proof uses.
func (s *search) derivation(by []int32) []bool {
	used := make([]bool, len(s.facts))
	s.walk(func(g int32) {
		if f := s.gates[g].direct; f != none {
			used[f] = true
		}
	}, func(g int32) []edge {
		if s.gates[g].direct != none {
			return nil
		}
		e := s.gates[g].edges[by[g]]
		if e.fact != none {
			used[e.fact] = true
		}
		return []edge{e}
	})
	return used
}

// forced returns facts without which there is no proof: along the way from the question as long as
// there is no choice. Of a long chain these are all.
func (s *search) forced(usable []bool, by []int32) []bool {
	needed := make([]bool, len(s.facts))
	s.walk(func(g int32) {
		if f := s.gates[g].direct; f != none {
			needed[f] = true
		}
	}, func(g int32) []edge {
		var only []edge
		for _, e := range s.gates[g].edges {
			if e.to != none && by[e.to] >= none && (e.fact == none || usable[e.fact]) {
				only = append(only, e)
			}
		}
		if len(only) != 1 {
			return nil
		}
		if only[0].fact != none {
			needed[only[0].fact] = true
		}
		return only
	})
	return needed
}
