package graph

import (
	"fmt"
	"slices"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// With returns a new graph with the facts of the view under a policy, with relationships deleted and
// then added; its revision is a later one. The error names the fact that has no place in the policy.
func (v View) With(p *policy.Policy, remove, add []tuple.Relationship) (*Graph, error) {
	numbers := v.numbers()
	g := newGraph(p, len(numbers), len(numbers))
	var c Change
	apply := func(r tuple.Relationship, to *[]Fact) error {
		c.Delete, c.Add = c.Delete[:0], c.Add[:0]
		f, err := g.Fact(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		*to = append(*to, f)
		g.Apply(&c)
		return nil
	}
	for _, number := range numbers {
		r := v.s.records.at(number)
		n := v.s.nodes.at(r.node)
		if v.g.slots[n.slot].relation == archived {
			object := v.g.object(n.object)
			f, err := g.Archived(object, v.g.names.id(r.subject.number()))
			if err != nil {
				return nil, fmt.Errorf("archived %s: %w", object, err)
			}
			g.Apply(&Change{Add: []Fact{f}})
			continue
		}
		if err := apply(v.relationship(r), &c.Add); err != nil {
			return nil, err
		}
	}
	for _, r := range remove {
		if err := apply(r, &c.Delete); err != nil {
			return nil, err
		}
	}
	for _, r := range add {
		if err := apply(r, &c.Add); err != nil {
			return nil, err
		}
	}
	// At least as many revisions as it took here: facts that came in one batch come one by one.
	state := g.state.Load()
	state.revision.Store(max(v.revision+1, state.revision.Load()))
	return g, nil
}

// numbers returns the records that the view sees, the oldest first. It finds them along the chains:
// only the writer knows how many there are.
func (v View) numbers() []uint32 {
	var numbers []uint32
	chain := func(number uint32) {
		for number != 0 {
			r := v.s.records.at(number)
			if r.sees(v.revision) {
				numbers = append(numbers, number)
			}
			number = r.next
		}
	}
	for slot := range v.s.bySlot {
		for at := v.s.bySlot[slot].Load(); at != 0; {
			n := v.s.nodes.at(at)
			chain(n.actors.Load())
			chain(n.others.Load())
			at = n.peer
		}
	}
	slices.Sort(numbers)
	return numbers
}
