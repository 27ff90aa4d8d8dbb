package impact

import (
	"slices"

	"assay/acp"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// beneath is what lies beneath some nodes, before or after the change: all that they ask for, each looked
// at once. It tells which of the nodes an actor is beneath.
type beneath struct {
	numbers map[node]int32
	nodes   []node
	askers  [][]int32          // by number: who asks for it
	holders map[string][]int32 // by actor: the relations that name it; "" is everyone
	tops    int32              // so many are asked about, and have the first numbers
	met     []int              // by number: the last search that met it
	search  int
	steps   *int // of all searches
}

func (i *Impact) beneath(tops []node) *beneath {
	b := &beneath{numbers: map[node]int32{}, holders: map[string][]int32{}, steps: &i.examined.Steps}
	for _, n := range tops {
		b.number(n)
	}
	b.tops = int32(len(b.nodes))
	for asker := int32(0); int(asker) < len(b.nodes); asker++ {
		n := b.nodes[asker]
		for _, s := range []*acp.Snapshot{i.before, i.after} {
			if r := s.Policy().Resource(n.object.Resource); r == nil {
				continue
			} else if permission := r.Permission(n.name); permission != nil {
				i.operands(b, s, asker, permission.Expr)
			} else {
				i.subjects(b, s, asker)
			}
		}
	}
	b.skip()
	b.met = make([]int, len(b.nodes))
	return b
}

func (b *beneath) number(n node) int32 {
	number, there := b.numbers[n]
	if !there {
		number = int32(len(b.nodes))
		b.numbers[n] = number
		b.nodes, b.askers = append(b.nodes, n), append(b.askers, nil)
	}
	return number
}

// ask notes that a node is asked for. All that one asks for is noted together.
func (b *beneath) ask(asker int32, n node) {
	number := b.number(n)
	if askers := b.askers[number]; len(askers) == 0 || askers[len(askers)-1] != asker {
		b.askers[number] = append(askers, asker)
	}
}

func (i *Impact) operands(b *beneath, s *acp.Snapshot, asker int32, e policy.Expr) {
	object := b.nodes[asker].object
	switch e.Op {
	case policy.Name:
		b.ask(asker, node{object, e.Name})
	case policy.Arrow:
		others, _, _ := s.Others(object, e.Via) // a policy has the relations of its arrows
		i.examined.Relationships += len(others)
		for _, o := range others {
			if o.Kind == tuple.Entity {
				b.ask(asker, node{o.Object, e.Name})
			}
		}
	}
	for _, operand := range e.Operands {
		i.operands(b, s, asker, operand)
	}
}

func (i *Impact) subjects(b *beneath, s *acp.Snapshot, asker int32) {
	n := b.nodes[asker]
	subjects, err := s.Subjects(n.object, n.name)
	if err != nil {
		return // the policy lacks it
	}
	i.examined.Relationships += len(subjects)
	for _, subject := range subjects {
		switch subject.Kind {
		case tuple.Userset:
			b.ask(asker, node{subject.Object, subject.Relation})
		case tuple.Actor:
			b.holders[subject.Object.ID] = append(b.holders[subject.Object.ID], asker)
		case tuple.All:
			b.holders[""] = append(b.holders[""], asker)
		}
	}
}

// skip puts who asks in the place of a node for which only one asks. Without it each actor of a chain of
// groups would be followed through the rest of the chain. The first who asks has a lower number.
func (b *beneath) skip() {
	on := make([]int32, len(b.nodes))
	for n := range b.nodes {
		on[n] = int32(n)
		if int32(n) >= b.tops && len(b.askers[n]) == 1 {
			on[n] = on[b.askers[n][0]]
		}
	}
	for _, all := range b.askers {
		for k, n := range all {
			all[k] = on[n]
		}
	}
	for _, all := range b.holders {
		for k, n := range all {
			all[k] = on[n]
		}
	}
}

// above returns the numbers of the nodes that an actor is beneath, of those that were asked about, sorted.
func (b *beneath) above(actor string) []int32 {
	b.search++
	var found, work []int32
	meet := func(numbers []int32) {
		*b.steps += len(numbers)
		for _, n := range numbers {
			if b.met[n] == b.search {
				continue
			}
			b.met[n] = b.search
			work = append(work, n)
			if n < b.tops {
				found = append(found, n)
			}
		}
	}
	meet(b.holders[actor])
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		meet(b.askers[n])
	}
	slices.Sort(found)
	return found
}
