package graph

import (
	"math/bits"
	"slices"
	"sort"
)

// sets makes sets of small numbers. A set never changes: it is a binary tree over blocks of 256 numbers, a
// part of which is 0 when it is empty. What an operation makes shares with its operands all in which it is
// equal to one of them, and parts that two operands share are not looked into. So it costs about as much
// as the smaller operand, or as what differs.
type sets struct {
	height int // of all trees
	blocks []block
	halves [][2]set
	full   []set // by height: all numbers
	recent []operation
	steps  int // parts of trees looked at
	limit  budget
}

// budget is how many steps may be taken and parts made. Behind it operations return what they like.
type budget struct{ steps, parts int }

// operation is one that was done: facts that name the same sets again and again ask for it again.
type operation struct {
	op         operator
	a, b, made set
}

// recentOperations is how many are kept, by their hash.
const recentOperations = 1 << 10

// set is the number of a block, or above height 0 of a pair of halves.
type set uint32

// block is the bits of 1 << blockBits numbers.
type block [4]uint64

const blockBits = 8

type operator uint8

const (
	union operator = iota
	intersection
	difference
)

// newSets returns sets of numbers below count.
func newSets(count int, limit budget) *sets {
	s := &sets{height: bits.Len(uint(count-1) >> blockBits), blocks: make([]block, 2), halves: make([][2]set, 1), full: []set{1}, recent: make([]operation, recentOperations), limit: limit}
	for i := range s.blocks[1] {
		s.blocks[1][i] = ^uint64(0)
	}
	for range s.height {
		below := s.full[len(s.full)-1]
		s.halves = append(s.halves, [2]set{below, below})
		s.full = append(s.full, set(len(s.halves)-1))
	}
	return s
}

// all returns the set of all numbers.
func (s *sets) all() set { return s.full[s.height] }

// of returns the set of some numbers, and sorts them.
func (s *sets) of(numbers []uint32) set {
	slices.Sort(numbers)
	return s.build(numbers, s.height)
}

func (s *sets) build(numbers []uint32, height int) set {
	if len(numbers) == 0 {
		return 0
	}
	s.steps++
	if height == 0 {
		var b block
		for _, n := range numbers {
			b[n>>6%uint32(len(b))] |= 1 << (n & 63)
		}
		return s.block(b, 0, 0)
	}
	middle := sort.Search(len(numbers), func(i int) bool { return numbers[i]>>(blockBits-1+height)&1 != 0 })
	return s.pair(s.build(numbers[:middle], height-1), s.build(numbers[middle:], height-1), 0, 0, height)
}

// has tells whether a number is in a set.
func (s *sets) has(in set, number uint32) bool {
	for height := s.height; height > 0; height-- {
		in = s.halves[in][number>>(blockBits-1+height)&1]
	}
	b := &s.blocks[in]
	return b[number>>6%uint32(len(b))]>>(number&63)&1 != 0
}

// over tells whether the budget is spent.
func (s *sets) over() bool {
	return s.steps > s.limit.steps || len(s.blocks)+len(s.halves) > s.limit.parts
}

// apply returns the union, intersection or difference of two sets.
func (s *sets) apply(op operator, a, b set) set {
	recent := &s.recent[mix(uint32(a), uint32(b)<<2|uint32(op))%recentOperations]
	if recent.op == op && recent.a == a && recent.b == b && a != b {
		s.steps++
	} else {
		*recent = operation{op, a, b, s.combine(op, a, b, s.height)}
	}
	return recent.made
}

func (s *sets) combine(op operator, a, b set, height int) set {
	if s.steps++; s.over() {
		return 0
	}
	full := s.full[height]
	switch op {
	case union:
		switch {
		case a == b || b == 0 || a == full:
			return a
		case a == 0 || b == full:
			return b
		}
	case intersection:
		switch {
		case a == b || a == 0 || b == full:
			return a
		case b == 0 || a == full:
			return b
		}
	case difference:
		switch {
		case a == b || b == full:
			return 0
		case a == 0 || b == 0:
			return a
		}
	}
	if height > 0 {
		x, y := s.halves[a], s.halves[b]
		return s.pair(s.combine(op, x[0], y[0], height-1), s.combine(op, x[1], y[1], height-1), a, b, height)
	}
	x, y := s.blocks[a], s.blocks[b]
	for i := range x {
		switch op {
		case union:
			x[i] |= y[i]
		case intersection:
			x[i] &= y[i]
		case difference:
			x[i] &^= y[i]
		}
	}
	return s.block(x, a, b)
}

// block returns a set of height 0, one of two if it is equal.
func (s *sets) block(bits block, a, b set) set {
	switch bits {
	case s.blocks[a]:
		return a
	case s.blocks[b]:
		return b
	case block{}:
		return 0
	}
	s.blocks = append(s.blocks, bits)
	return set(len(s.blocks) - 1)
}

// pair returns a set of two halves, one of two sets if it is equal.
func (s *sets) pair(left, right, a, b set, height int) set {
	halves := [2]set{left, right}
	switch halves {
	case s.halves[a]:
		return a
	case s.halves[b]:
		return b
	case [2]set{}:
		return 0
	case s.halves[s.full[height]]:
		return s.full[height]
	}
	s.halves = append(s.halves, halves)
	return set(len(s.halves) - 1)
}
