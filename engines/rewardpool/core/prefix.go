package core

import "math"

// prefixSums finds the item that holds a unit of mass in an array of running
// sums: by counting without a branch up to 16 items, by halving above.
type prefixSums struct {
	small [16]uint64 // running sums; unused places hold a sum that no unit reaches
	large []uint64
	total uint64
}

const prefixSmall = 16

func newPrefixSums(masses []uint64) *prefixSums {
	p := &prefixSums{}
	if len(masses) > prefixSmall {
		p.large = make([]uint64, len(masses))
	}
	for i := range p.small {
		p.small[i] = math.MaxInt64
	}
	for i, m := range masses {
		p.total += m
		if p.large != nil {
			p.large[i] = p.total
		} else {
			p.small[i] = p.total
		}
	}
	return p
}

// find returns the item i with sum(masses[:i]) <= unit < sum(masses[:i+1]).
func (p *prefixSums) find(unit uint64) int {
	if p.large == nil {
		return countUpTo(&p.small, unit)
	}
	low, n := 0, len(p.large)
	for n > 1 {
		half := n / 2
		if p.large[low+half-1] <= unit {
			low += half
		}
		n -= half
	}
	return low
}

// countUpTo counts the sums that are <= unit.
func countUpTo(sums *[prefixSmall]uint64, unit uint64) int {
	n := 0
	for _, s := range sums {
		n += int(^(unit - s) >> 63) // both are below 2^63
	}
	return n
}
