package explain

import (
	"slices"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Explain answers whether an actor has a permission, or a relation, on an object, with the proof. It
// costs about what a refused check does. The error is ErrUnknown if the policy has no such name.
func Explain(v View, permission, actor string, object tuple.Object) (Certificate, error) {
	c := Certificate{Revision: v.Revision(), Actor: actor, Question: Node{object, permission}}
	s, err := newSearch(v, actor, c.Question)
	if err != nil {
		return c, err
	}
	if err := s.solve(); err != nil {
		return c, err
	}
	c.Allowed = s.round[0] > 0
	by, order := s.by, []int32(nil)
	if c.Allowed {
		by, order = s.minimal()
	}
	main, top := s.collect(by, nil)
	for main.chose {
		less, rest := s.collect(by, shrink(main, top))
		if less.size() >= main.size() {
			break
		}
		main, top = less, rest
	}
	c.Steps = main.steps()
	for _, g := range order {
		if s.gates[g].owner == g && top.wanted[g] && !main.wanted[g] {
			c.Steps = append(c.Steps, Step{Holds: true, Proofs: []Proof{top.proof(g)}})
		}
	}
	return c, nil
}

// collect returns what a proof needs: top, of a question that holds, by the edges given, and main, all
// that fails and what is excluded by it. If within is given, main stays inside of it where it can.
func (s *search) collect(by []int32, within []bool) (main, top *extract) {
	main = &extract{s: s, by: s.by, within: within, wanted: make([]bool, len(s.gates)), behind: map[int32]bool{}, facts: map[int32][]int32{}}
	top = &extract{s: s, by: by, within: within, wanted: make([]bool, len(s.gates)), behind: map[int32]bool{}, facts: map[int32][]int32{}, failing: main}
	main.failing = main
	top.want(0, false)
	top.run()
	main.run()
	main.chose = main.chose || top.chose
	return main, top
}

// extract collects the gates that a proof needs, from its end to its beginning.
type extract struct {
	s       *search
	by      []int32 // of a gate that holds by any edge: which
	failing *extract
	wanted  []bool
	behind  map[int32]bool    // of the parts of expressions: what is behind a minus
	facts   map[int32][]int32 // by the gate of the node
	within  []bool            // if given, the nodes to prefer
	work    []int32
	choices []int32
	chose   bool // whether there was a choice
}

// want takes a gate into the proof. What fails, and what is reached through that, is proved in main,
// which comes first.
func (x *extract) want(g int32, behind bool) {
	if behind = behind || x.s.round[g] < 0; behind && x.s.gates[g].owner == g {
		x = x.failing
	} else if behind {
		x.behind[g] = true
	}
	if !x.wanted[g] {
		x.wanted[g] = true
		x.work = append(x.work, g)
	}
}

// edge returns by which edge a gate holds that needs only one.
func (x *extract) edge(g int32, behind bool) edge {
	by := x.by[g]
	if behind {
		by = x.s.by[g]
	}
	return x.s.gates[g].edges[by]
}

func (x *extract) run() {
	for {
		if n := len(x.work); n > 0 {
			g := x.work[n-1]
			x.work = x.work[:n-1]
			x.gate(g)
		} else if n := len(x.choices); n > 0 {
			g := x.choices[n-1]
			x.choices = x.choices[:n-1]
			x.choose(g)
		} else {
			return
		}
	}
}

// along takes an edge into the proof.
func (x *extract) along(g int32, e edge) {
	if e.fact != none {
		x.use(g, e.fact)
	}
	if e.to != none {
		x.want(e.to, x.behind[g])
	}
}

func (x *extract) use(g, fact int32) {
	owner := x.s.gates[g].owner
	if !slices.Contains(x.facts[owner], fact) {
		x.facts[owner] = append(x.facts[owner], fact)
	}
}

func (x *extract) gate(g int32) {
	gate, holds := &x.s.gates[g], x.s.round[g] > 0
	switch {
	case holds && gate.direct != none:
		x.use(g, gate.direct)
	case holds && gate.op == policy.Union:
		x.along(g, x.edge(g, x.behind[g]))
	case !holds && gate.op != policy.Union:
		x.choices = append(x.choices, g) // made when it is known what is needed anyway
	default:
		for _, e := range gate.edges {
			x.along(g, e)
		}
	}
}

// choose takes, of the operands by which a gate fails, the one that adds least to the proof.
func (x *extract) choose(g int32) {
	x.chose = true
	best, least, inside := int32(none), 0, false
	for i, e := range x.s.gates[g].edges {
		if !x.s.against(g, i) {
			continue
		}
		cost, in := x.cost(e.to), x.within == nil || x.rests(e, x.within, true)
		if best == none || in && !inside || in == inside && cost < least {
			best, least, inside = e.to, cost, in
		}
	}
	x.want(best, true)
}

// against tells whether an operand is one by which the gate fails: decided not later than the gate.
func (s *search) against(g int32, operand int) bool {
	round := s.round[s.gates[g].edges[operand].to]
	if s.gates[g].op == policy.Difference && operand > 0 {
		return round > 0 && round <= -s.round[g]
	}
	return round < 0 && round >= s.round[g]
}

// cost is how many nodes and facts a gate adds to the proof at once.
func (x *extract) cost(g int32) int {
	gate, holds := &x.s.gates[g], x.s.round[g] > 0
	if x.wanted[g] || x.failing.wanted[g] {
		return 0
	}
	if gate.owner == g || holds {
		return 1
	}
	sum, least := 0, -1
	for i, e := range gate.edges {
		cost := 0
		if e.to != none && (gate.op == policy.Union || x.s.against(g, i)) {
			cost = x.cost(e.to)
		}
		if e.fact != none && !slices.Contains(x.facts[gate.owner], e.fact) {
			cost++
		}
		sum += cost
		if gate.op != policy.Union && x.s.against(g, i) && (least < 0 || cost < least) {
			least = cost
		}
	}
	if gate.op == policy.Union {
		return sum
	}
	return least
}

func (x *extract) proof(g int32) Proof {
	p := Proof{Node: x.s.gates[g].node}
	for _, f := range x.facts[g] {
		p.Facts = append(p.Facts, x.s.facts[f])
	}
	return p
}

// steps returns what was collected, in the order of the rounds.
func (x *extract) steps() []Step {
	var steps []Step
	failed := map[int32][]Proof{}
	last := int32(0)
	for g, round := range x.s.round {
		if round < 0 && x.wanted[g] && x.s.gates[g].owner == int32(g) {
			failed[-round] = append(failed[-round], x.proof(int32(g)))
			last = max(last, -round)
		}
	}
	next := 0
	for round := int32(1); round <= last || next < len(x.s.order); round++ {
		for ; next < len(x.s.order) && x.s.round[x.s.order[next]] == round; next++ {
			if g := x.s.order[next]; x.wanted[g] && x.s.gates[g].owner == g {
				steps = append(steps, Step{Holds: true, Proofs: []Proof{x.proof(g)}})
			}
		}
		if len(failed[round]) > 0 {
			steps = append(steps, Step{Proofs: failed[round]})
		}
	}
	return steps
}
