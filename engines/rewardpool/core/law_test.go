package core

import (
	"fmt"
	"slices"
	"testing"
)

func items(pairs ...int64) []Item { // weight, quantity, ...
	var list []Item
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Item{ID: fmt.Sprint(i / 2), Weight: uint64(pairs[i]), Quantity: pairs[i+1]})
	}
	return list
}

var smallPools = []pool{
	{"five", items(10, 1, 20, 2, 30, 3, 40, 4, 100, 6), []phase{{draws: 8}}},
	{"single", items(7, 3), []phase{{draws: 5}}},
	{"pair", items(1, 5, 3, 5), []phase{{draws: 6}}},
	{"equal", items(1, 2, 1, 2, 1, 2, 1, 2), []phase{{draws: 5}}},
	{"unlimited", items(5, Unlimited, 2, 2, 9, 3), []phase{{draws: 7}}},
	{"zero weight", items(0, 5, 3, 2, 4, 4), []phase{{draws: 5}}},
	{"exhausted at start", items(50, 0, 3, 2, 4, 4, 1, 1), []phase{{draws: 5}}},
	{"runs empty", items(3, 2, 5, 2, 7, 1), []phase{{draws: 7}}},
	{"heavy", items(1<<40, 2, 1, 3, 1<<39, 2), []phase{{draws: 5}}},
	{"rare", items(1, 4, 1000, 4, 1000, 4), []phase{{draws: 6}}},
	{"restock", items(10, 1, 20, 2, 30, 2), []phase{{draws: 3}, {item: 0, delta: 3, weight: 10, draws: 4}}},
	{"reweighted", items(10, 3, 20, 3, 30, 3), []phase{{draws: 3}, {item: 1, delta: 0, weight: 90, draws: 3}}},
	{"raised from zero", items(0, 3, 20, 3, 30, 3), []phase{{draws: 3}, {item: 0, delta: 1, weight: 50, draws: 3}}},
	{"taken away", items(10, 3, 20, 4, 30, Unlimited), []phase{{draws: 1}, {item: 1, delta: -3, weight: 20, draws: 4}}},
}

// trials repeats a pool's life on one stream of random numbers.
type trials struct {
	start  *State
	forced bool // draw from the tree, not from the alias table
	batch  bool
}

func newTrials(t *testing.T, p pool, law Law, forced, batch bool, seed byte) trials {
	t.Helper()
	s, err := New(Config{Items: p.items, Law: law, RNG: RNG(seed % 2), Seed: [32]byte{seed, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return trials{s, forced, batch}
}

// run lives one life and appends the items drawn to out.
func (tr trials) run(t *testing.T, p pool, out []uint32) []uint32 {
	s := *tr.start // shares the random numbers, which go on
	s.stock, s.weights = slices.Clone(s.stock), slices.Clone(s.weights)
	for i, ph := range p.phases {
		if i > 0 {
			if err := s.Update(p.items[ph.item].ID, Update{Delta: &ph.delta, Weight: &ph.weight}); err != nil {
				t.Fatal(err)
			}
		}
		if tr.forced {
			s.selection.wait = 1 << 30
		}
		if tr.batch {
			var dst [16]uint32
			out = append(out, dst[:s.DrawN(dst[:ph.draws])]...)
			continue
		}
		for range ph.draws {
			if item, ok := s.Draw(); ok {
				out = append(out, item)
			}
		}
	}
	return out
}

func (o *oracle) count(t *testing.T, tr trials, n int) []int {
	counts := make([]int, o.cells)
	var out []uint32
	for range n {
		out = tr.run(t, o.pool, out[:0])
		cell := 0
		for _, item := range out {
			cell += o.stride[item]
		}
		counts[cell]++
	}
	return counts
}

func TestJointCountsFollowTheLaw(t *testing.T) {
	const n = 60_000
	for i, p := range smallPools {
		for _, law := range []Law{LawClass, LawUnit} {
			o := newOracle(p, law)
			exact := o.joint()
			for mode := range 4 {
				tr := newTrials(t, p, law, mode&1 == 1, mode&2 == 2, byte(8*i+mode))
				if got := goodnessOfFit(o.count(t, tr, n), exact); got < 1e-4 {
					t.Errorf("%s, law %v, tree %v, batch %v: p = %.2g", p.name, law, tr.forced, tr.batch, got)
				}
			}
		}
	}
}

// The test above must be able to fail: each law is refused by the other's oracle.
func TestJointCountsRefuseTheOtherLaw(t *testing.T) {
	for _, law := range []Law{LawClass, LawUnit} {
		o := newOracle(smallPools[0], law)
		tr := newTrials(t, smallPools[0], LawClass+LawUnit-law, false, true, 1)
		if p := goodnessOfFit(o.count(t, tr, 20_000), o.joint()); p > 1e-12 {
			t.Errorf("law %v: p = %.2g for draws of the other law", law, p)
		}
	}
}

func TestPValuesAreUniform(t *testing.T) {
	for _, law := range []Law{LawClass, LawUnit} {
		o := newOracle(smallPools[0], law)
		exact := o.joint()
		var ps []float64
		for seed := range 50 {
			tr := newTrials(t, smallPools[0], law, false, true, byte(seed))
			ps = append(ps, goodnessOfFit(o.count(t, tr, 10_000), exact))
		}
		if p := uniformP(ps); p < 1e-3 {
			t.Errorf("law %v: the p-values of 50 seeds are not uniform, p = %.2g", law, p)
		}
	}
}

func TestSequencesFollowTheLaw(t *testing.T) {
	for i, p := range []pool{
		{"order", items(10, 1, 20, 2, 30, 3), []phase{{draws: 5}}},
		{"order with change", items(5, 2, 3, 2, 1, Unlimited), []phase{{draws: 2}, {item: 1, delta: 1, weight: 8, draws: 3}}},
	} {
		for _, law := range []Law{LawClass, LawUnit} {
			for mode := range 4 {
				o := newOracle(p, law)
				exact := o.sequences()
				counts := make([]int, len(exact))
				tr := newTrials(t, p, law, mode&1 == 1, mode&2 == 2, byte(100+4*i+mode))
				var out []uint32
				for range 100_000 {
					out = tr.run(t, p, out[:0])
					cell := 0
					for _, item := range out {
						cell = cell*len(p.items) + int(item)
					}
					counts[cell]++
				}
				if got := goodnessOfFit(counts, exact); got < 1e-4 {
					t.Errorf("%s, law %v, tree %v, batch %v: p = %.2g", p.name, law, tr.forced, tr.batch, got)
				}
			}
		}
	}
}
