package core

// sumTree finds the item that holds a unit of mass, in a tree of nodes with 16
// children: two cache lines a level, searched without a branch.
type sumTree struct {
	levels [][]sumNode // root first; the last level holds the masses of the items
	total  uint64
}

type sumNode [16]uint64 // mass below each child

func newSumTree(masses []uint64) *sumTree {
	t := &sumTree{}
	for sums := masses; ; {
		nodes := make([]sumNode, (len(sums)+15)/16)
		above := make([]uint64, len(nodes))
		for i, m := range sums {
			nodes[i>>4][i&15] = m
			above[i>>4] += m
		}
		t.levels = append([][]sumNode{nodes}, t.levels...)
		if len(nodes) == 1 {
			t.total = above[0]
			return t
		}
		sums = above
	}
}

// find returns the item i with sum(masses[:i]) <= unit < sum(masses[:i+1]).
func (t *sumTree) find(unit uint64) int {
	i := 0
	for _, nodes := range t.levels {
		node := &nodes[i]
		var sum, below uint64
		child := 0
		for _, m := range node {
			sum += m
			passed := int64(sum-unit-1) >> 63 // all ones when sum <= unit; both are below 2^63
			below += m & uint64(passed)
			child -= int(passed)
		}
		unit -= below
		i = i<<4 | child
	}
	return i
}

// add changes the mass of item by delta, which may be negative (modulo 2^64).
func (t *sumTree) add(item int, delta uint64) {
	t.total += delta
	for l := len(t.levels) - 1; l >= 0; l-- {
		t.levels[l][item>>4][item&15] += delta
		item >>= 4
	}
}
