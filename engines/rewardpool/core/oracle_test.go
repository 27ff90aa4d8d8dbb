package core

// pool is a small pool and what happens to it: draws in phases, with a change
// of one item before each phase but the first.
type pool struct {
	name   string
	items  []Item
	phases []phase
}

type phase struct {
	item   int // changed before the phase, unless it is the first
	delta  int64
	weight uint64
	draws  int
}

// oracle gives the exact law of a pool by forward dynamic programming, with
// none of the code under test.
type oracle struct {
	pool   pool
	law    Law
	stride []int // of the counts of each item in a cell number
	cells  int
}

func newOracle(p pool, law Law) *oracle {
	o := &oracle{pool: p, law: law, cells: 1}
	draws := 0
	for _, ph := range p.phases {
		draws += ph.draws
	}
	for range p.items {
		o.stride = append(o.stride, o.cells)
		o.cells *= draws + 1
	}
	return o
}

// chances of each item, given what was drawn so far.
func (o *oracle) chances(weights []float64, stock []int64, drawn []int64) []float64 {
	chances := make([]float64, len(stock))
	var sum float64
	for i, q := range stock {
		left := float64(q - drawn[i])
		if q == Unlimited {
			left = 1
		}
		if left > 0 {
			chances[i] = weights[i]
			if o.law == LawUnit {
				chances[i] *= left
			}
		}
		sum += chances[i]
	}
	for i := range chances {
		if sum > 0 {
			chances[i] /= sum
		}
	}
	return chances
}

// walk calls visit(phase weights, phase stock) before each draw.
func (o *oracle) walk(visit func(weights []float64, stock []int64)) {
	var weights []float64
	var stock []int64
	for _, it := range o.pool.items {
		weights = append(weights, float64(it.Weight))
		stock = append(stock, it.Quantity)
	}
	for i, ph := range o.pool.phases {
		if i > 0 {
			stock[ph.item] += ph.delta
			weights[ph.item] = float64(ph.weight)
		}
		for range ph.draws {
			visit(weights, stock)
		}
	}
}

// joint is the probability of each cell: count of item i x stride[i], summed.
func (o *oracle) joint() []float64 {
	now := map[int]float64{0: 1}
	o.walk(func(weights []float64, stock []int64) {
		next := map[int]float64{}
		for cell, p := range now {
			drawn := make([]int64, len(stock))
			for i := range drawn {
				size := o.cells
				if i+1 < len(drawn) {
					size = o.stride[i+1]
				}
				drawn[i] = int64(cell % size / o.stride[i])
			}
			stuck := true
			for i, c := range o.chances(weights, stock, drawn) {
				if c > 0 {
					next[cell+o.stride[i]] += p * c
					stuck = false
				}
			}
			if stuck {
				next[cell] += p
			}
		}
		now = next
	})
	return dense(now, o.cells)
}

// sequences is the probability of each sequence of a pool that does not run
// empty: items as digits to the base len(items), first draw first.
func (o *oracle) sequences() []float64 {
	type node struct {
		p     float64
		drawn []int64
	}
	base := len(o.pool.items)
	now := []node{{1, make([]int64, base)}}
	o.walk(func(weights []float64, stock []int64) {
		next := make([]node, len(now)*base)
		for s, at := range now {
			if at.p == 0 {
				continue
			}
			for i, c := range o.chances(weights, stock, at.drawn) {
				drawn := append([]int64(nil), at.drawn...)
				drawn[i]++
				next[s*base+i] = node{at.p * c, drawn}
			}
		}
		now = next
	})
	p := make([]float64, len(now))
	for i := range now {
		p[i] = now[i].p
	}
	return p
}

func dense(m map[int]float64, n int) []float64 {
	d := make([]float64, n)
	for i, p := range m {
		d[i] = p
	}
	return d
}
