package core

// fenwick finds the item that holds a unit of mass in a binary indexed tree
// (Fenwick 1994). Draws do not use it: it is the textbook structure that the
// others are compared with.
type fenwick struct {
	sums  []uint64 // sums[i] = mass of items i - lowbit(i) .. i-1; sums[0] unused
	top   int      // largest power of two <= number of items
	total uint64
}

func newFenwick(masses []uint64) *fenwick {
	f := &fenwick{sums: make([]uint64, len(masses)+1), top: 1}
	for f.top*2 <= len(masses) {
		f.top *= 2
	}
	for i, m := range masses {
		f.sums[i+1] += m
		if up := i + 1 + (i+1)&-(i+1); up < len(f.sums) {
			f.sums[up] += f.sums[i+1]
		}
		f.total += m
	}
	return f
}

// find returns the item i with sum(masses[:i]) <= unit < sum(masses[:i+1]).
func (f *fenwick) find(unit uint64) int {
	at := 0
	for step := f.top; step > 0; step /= 2 {
		if next := at + step; next < len(f.sums) && f.sums[next] <= unit {
			at = next
			unit -= f.sums[next]
		}
	}
	return at
}

// add changes the mass of item by delta, which may be negative (modulo 2^64).
func (f *fenwick) add(item int, delta uint64) {
	f.total += delta
	for i := item + 1; i < len(f.sums); i += i & -i {
		f.sums[i] += delta
	}
}
