package graph

import (
	"iter"

	"assay/acp/tuple"
)

// ArchivedObjects returns the archived objects, each with who owned it.
func (v View) ArchivedObjects() iter.Seq2[tuple.Object, string] {
	return func(yield func(tuple.Object, string) bool) {
		for _, slot := range v.g.archived {
			for at := v.s.bySlot[slot].Load(); at != 0; at = v.s.nodes.at(at).peer {
				n := v.s.nodes.at(at)
				for number := n.actors.Load(); number != 0; {
					var r *record
					if r, number = v.s.step(number, v.revision); r.sees(v.revision) && !yield(v.g.object(n.object), v.g.names.id(r.subject.number())) {
						return
					}
				}
			}
		}
	}
}
