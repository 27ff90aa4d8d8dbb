package graph

import (
	"fmt"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// With returns a new graph with the facts of the view under a policy, with relationships deleted and
// then added; its revision is a later one. The error names the fact that has no place in the policy.
func (v View) With(p *policy.Policy, remove, add []tuple.Relationship) (*Graph, error) {
	g := newGraph(p, int(v.g.names.entries.length), v.s.live)
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
	for i := uint32(1); i < v.s.records.length; i++ {
		r := v.s.records.at(i)
		if !r.sees(v.revision) {
			continue
		}
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
