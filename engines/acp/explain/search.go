package explain

import (
	"fmt"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// search is all that a question leads to, as a graph of gates. A gate is a node, or a part of a
// permission's expression; it holds or fails by what its edges lead to. Gate 0 is the question.
type search struct {
	view   View
	actor  string
	gates  []gate
	number map[Node]int32
	facts  []tuple.Relationship
	fact   map[tuple.Relationship]int32
	round  []int32 // of each gate: 0 undecided, r: holds since round r, -r: fails since round r
	by     []int32 // of a gate that holds by any edge: the first that held
	order  []int32 // the gates that hold, each behind what it rests on
}

// gate holds if any of its edges does, or all (Intersection), or the first and none of the others
// (Difference). A direct fact makes it hold at once.
type gate struct {
	node   Node
	owner  int32 // the gate of the node
	op     policy.Op
	direct int32 // the fact that names the actor or *, or none
	edges  []edge
	uses   []use
}

const none = -1

// edge leads to another gate, or to none where an arrow's target lacks the name.
type edge struct{ to, fact int32 }

// use is an edge from its other end.
type use struct{ gate, edge int32 }

func newSearch(v View, actor string, question Node) (*search, error) {
	s := &search{
		view: v, actor: actor,
		number: map[Node]int32{}, fact: map[tuple.Relationship]int32{},
	}
	if s.gate(question) == none {
		return nil, fmt.Errorf("%s: %w", question, ErrUnknown)
	}
	for next := 0; next < len(s.gates); next++ { // breadth first; expand adds gates
		if s.gates[next].owner == int32(next) {
			s.expand(int32(next))
		}
	}
	for g := range s.gates {
		for e, to := range s.gates[g].edges {
			if to.to != none {
				s.gates[to.to].uses = append(s.gates[to.to].uses, use{int32(g), int32(e)})
			}
		}
	}
	s.round, s.by = make([]int32, len(s.gates)), make([]int32, len(s.gates))
	return s, nil
}

// gate returns the gate of a node, or none if its resource lacks the name.
func (s *search) gate(n Node) int32 {
	if g, known := s.number[n]; known {
		return g
	}
	if relation, permission := definition(s.view.Policy(), n); relation == nil && permission == nil {
		return none
	}
	g := int32(len(s.gates))
	s.number[n] = g
	s.gates = append(s.gates, gate{node: n, owner: g, op: policy.Union, direct: none})
	return g
}

// definition returns what a node is by its policy, or nothing.
func definition(p *policy.Policy, n Node) (*policy.Relation, *policy.Permission) {
	r := p.Resource(n.Object.Resource)
	if r == nil {
		return nil, nil
	}
	return r.Relation(n.Name), r.Permission(n.Name)
}

func (s *search) intern(f tuple.Relationship) int32 {
	i, known := s.fact[f]
	if !known {
		i = int32(len(s.facts))
		s.fact[f] = i
		s.facts = append(s.facts, f)
	}
	return i
}

func (s *search) expand(g int32) {
	n := s.gates[g].node
	if _, permission := definition(s.view.Policy(), n); permission != nil {
		s.build(g, &permission.Expr)
		return
	}
	for _, subject := range []tuple.Subject{{Object: tuple.Object{ID: s.actor}}, {Kind: tuple.All}} {
		f := tuple.Relationship{Object: n.Object, Relation: n.Name, Subject: subject}
		if (subject.Kind == tuple.All || s.actor != "") && s.view.Has(f) {
			s.gates[g].direct = s.intern(f)
			return
		}
	}
	s.links(g, n.Name, tuple.Userset, "")
}

// links adds the edges of a relation's subjects of one kind.
func (s *search) links(g int32, relation string, kind tuple.Kind, target string) {
	object := s.gates[g].node.Object
	for subject := range s.view.Subjects(object, relation) {
		if subject.Kind != kind {
			continue
		}
		to := Node{subject.Object, target}
		if kind == tuple.Userset {
			to.Name = subject.Relation
		}
		e := edge{s.gate(to), s.intern(tuple.Relationship{Object: object, Relation: relation, Subject: subject})}
		s.gates[g].edges = append(s.gates[g].edges, e)
	}
}

// build makes a gate that of an expression.
func (s *search) build(g int32, e *policy.Expr) {
	switch e.Op {
	case policy.None:
	case policy.Name:
		s.gates[g].edges = []edge{{s.gate(Node{s.gates[g].node.Object, e.Name}), none}}
	case policy.Arrow:
		s.links(g, e.Via, tuple.Entity, e.Name)
	default:
		s.gates[g].op = e.Op
		for i := range e.Operands {
			to := s.operand(g, &e.Operands[i])
			s.gates[g].edges = append(s.gates[g].edges, edge{to, none})
		}
	}
}

func (s *search) operand(g int32, e *policy.Expr) int32 {
	owner := s.gates[g].owner
	if e.Op == policy.Name {
		return s.gate(Node{s.gates[owner].node.Object, e.Name})
	}
	to := int32(len(s.gates))
	s.gates = append(s.gates, gate{node: s.gates[owner].node, owner: owner, op: policy.Union, direct: none})
	s.build(to, e)
	return to
}

// solve decides gates until the question is decided. Each round first finds what holds, given what is
// known to fail, and then what cannot hold, given what is known to hold: exclusions that are not yet
// decided are false in the one and true in the other.
func (s *search) solve() error {
	for round := int32(1); s.round[0] == 0; round++ {
		decided := false
		s.least(nil, func(g int32) bool { return s.round[g] < 0 }, func(g, by int32) {
			if s.round[g] == 0 {
				s.round[g], s.by[g], decided = round, by, true
				s.order = append(s.order, g)
			}
		})
		possible := make([]bool, len(s.gates))
		s.least(nil, func(g int32) bool { return s.round[g] <= 0 }, func(g, _ int32) { possible[g] = true })
		for g := range possible {
			if !possible[g] && s.round[g] == 0 {
				s.round[g], decided = -round, true
			}
		}
		if !decided {
			return fmt.Errorf("%s depends on itself behind a -", s.gates[0].node)
		}
	}
	return nil
}

// least calls visit for all gates that hold by the usable facts (nil: all), given which operands
// behind a minus count as failing; each after what it rests on, with the edge that made it hold.
func (s *search) least(usable []bool, excluded func(int32) bool, visit func(g, by int32)) {
	missing := make([]int32, len(s.gates))
	var held []int32
	for g := range s.gates {
		gate := &s.gates[g]
		missing[g] = 1
		if gate.op != policy.Union {
			missing[g] = int32(len(gate.edges))
		}
		if gate.op == policy.Difference {
			for _, e := range gate.edges[1:] {
				if e.to == none || excluded(e.to) {
					missing[g]--
				}
			}
		}
		if gate.direct != none && (usable == nil || usable[gate.direct]) {
			missing[g] = 0
			held = append(held, int32(g))
			visit(int32(g), none)
		}
	}
	for next := 0; next < len(held); next++ {
		for _, u := range s.gates[held[next]].uses {
			gate := &s.gates[u.gate]
			fact := gate.edges[u.edge].fact
			if gate.op == policy.Difference && u.edge > 0 || fact != none && usable != nil && !usable[fact] {
				continue
			}
			if missing[u.gate]--; missing[u.gate] == 0 {
				held = append(held, u.gate)
				visit(u.gate, u.edge)
			}
		}
	}
}
