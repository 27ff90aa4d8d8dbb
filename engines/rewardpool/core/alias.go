package core

import "math/bits"

// alias draws an item in constant time (Walker 1977, Vose 1991), exactly.
//
// With K = 2^k buckets and total mass T, each bucket holds T units and each item
// mass x K units: its own bucket up to a cut, the rest as second item of others.
// A random word of 32 bits times K gives the bucket in the high half of the
// product and in the low half the first bits of a uniform fraction of it. They
// nearly always tell on which side of cut / T the fraction lies; when they do
// not, which has probability 2^(k-32), the side is drawn with what is left.
type alias struct {
	cells []aliasCell
	cuts  []uint64 // units of a bucket that are its own item's
	total uint64   // T
}

// aliasCell is a bucket: a fraction below cut is its own item, one above is
// second, one equal is undecided.
type aliasCell struct {
	cut    uint32 // first 32 bits of cuts / T, the last k of them zero
	second uint32
}

// newAlias builds the table of the masses, of which at least two are not zero.
//
// Mass is kept as full buckets + rest, rest < T, so that nothing exceeds 64
// bits. One sweep pairs each bucket that its item does not fill with the next
// item of a bucket or more, which gives what is missing. There always is one:
// the masses add up to the buckets exactly.
func newAlias(masses []uint64, total uint64) *alias {
	k := uint(bits.Len(uint(len(masses) - 1)))
	a := &alias{cells: make([]aliasCell, 1<<k), cuts: make([]uint64, 1<<k), total: total}
	const placed = -1
	full, rest := make([]int32, 1<<k), a.cuts
	for i, m := range masses {
		q, r := bits.Div64(m>>(64-k), m<<k, total)
		full[i], rest[i] = int32(q), r
	}
	donor := 0
	for full[donor] < 1 {
		donor++
	}
	for i := range full {
		for light := i; full[light] == 0; {
			full[light] = placed
			a.place(light, donor, k)
			full[donor]--
			rest[donor] += rest[light]
			if rest[donor] >= total {
				rest[donor] -= total
				full[donor]++
			}
			if full[donor] == 0 {
				light = donor
				for donor < len(full) && full[donor] < 1 {
					donor++
				}
			}
		}
	}
	for i := range full {
		if full[i] != placed { // one full bucket: all of it is the second's
			a.place(i, i, k)
		}
	}
	return a
}

// place fills a bucket, whose cut is known, up with second.
func (a *alias) place(bucket, second int, k uint) {
	part, _ := a.split(bucket)
	a.cells[bucket] = aliasCell{cut: part << k, second: uint32(second)}
}

// split writes cut / T of a bucket as (part + rest / T) / 2^(32-k).
func (a *alias) split(bucket int) (part uint32, rest uint64) {
	scale := uint64(1<<32) / uint64(len(a.cells))
	hi, lo := bits.Mul64(a.cuts[bucket], scale)
	q, rest := bits.Div64(hi, lo, a.total)
	return uint32(q), rest
}

// pick draws an item with probability mass / T.
func (a *alias) pick(r *Rand) uint32 {
	x := uint64(r.uint32()) * uint64(len(a.cells))
	bucket, fraction := uint32(x>>32), uint32(x)
	c := &a.cells[bucket]
	if fraction == c.cut {
		if _, rest := a.split(int(bucket)); r.below(a.total) < rest {
			return bucket
		}
		return c.second
	}
	return c.side(bucket, fraction)
}

// pickEach does what pick does for each word, until one is undecided, and
// returns how many items it stored; len(words) <= len(dst).
func (a *alias) pickEach(dst, words []uint32) int {
	cells := a.cells
	for i, word := range words {
		x := uint64(word) * uint64(len(cells))
		bucket, fraction := uint32(x>>32), uint32(x)
		c := &cells[bucket]
		if fraction == c.cut {
			return i
		}
		dst[i] = c.side(bucket, fraction)
	}
	return len(words)
}

// side has no branch, which would be mispredicted half of the time.
func (c *aliasCell) side(bucket, fraction uint32) uint32 {
	below := uint32((int64(fraction) - int64(c.cut)) >> 63) // all ones or zero
	return c.second ^ (bucket^c.second)&below
}
