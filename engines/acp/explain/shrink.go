package explain

import "assay/acp/policy"

// shrink returns the nodes of main without those that choices made elsewhere have made needless.
func shrink(main, top *extract) []bool {
	s := main.s
	kept := make([]bool, len(s.gates))
	copy(kept, main.wanted)
	for g := len(s.gates) - 1; g > 0; g-- {
		if !kept[g] || s.gates[g].owner != int32(g) {
			continue
		}
		kept[g] = false
		for _, u := range s.gates[g].uses {
			owner := s.gates[u.gate].owner
			if kept[owner] && !main.stands(owner, kept, true) || top.wanted[owner] && !top.stands(owner, kept, false) {
				kept[g] = true
				break
			}
		}
	}
	return kept
}

func (x *extract) size() (n int) {
	for g, wanted := range x.wanted {
		if wanted && x.s.gates[g].owner == int32(g) {
			n += 1 + len(x.facts[int32(g)])
		}
	}
	return n
}

// stands tells whether a gate is proved by the kept nodes. Behind a minus all must be among them.
func (x *extract) stands(g int32, kept []bool, behind bool) bool {
	gate, holds := &x.s.gates[g], x.s.round[g] > 0
	behind = behind || !holds
	switch {
	case holds && gate.direct != none:
		return true
	case holds && gate.op == policy.Union:
		return x.rests(x.edge(g, behind), kept, behind)
	}
	for i, e := range gate.edges {
		if holds || gate.op == policy.Union {
			if !x.rests(e, kept, behind) {
				return false
			}
		} else if x.s.against(g, i) && x.rests(e, kept, behind) {
			return true
		}
	}
	return holds || gate.op == policy.Union
}

// rests tells whether an edge leads to something that the kept nodes prove, or nowhere.
func (x *extract) rests(e edge, kept []bool, behind bool) bool {
	switch {
	case e.to == none:
		return true
	case x.s.gates[e.to].owner != e.to:
		return x.stands(e.to, kept, behind)
	case x.s.round[e.to] < 0 || behind:
		return kept[e.to]
	}
	return true // what a question that holds rests on is minimal already
}
