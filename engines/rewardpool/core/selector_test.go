package core

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Given the same unit, every selector by sums returns the same item.
func TestSelectorsFindTheSameItem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 10, 15, 16, 17, 31, 255, 256, 257, 4097} {
		masses := make([]uint64, n)
		for i := range masses {
			if rng.IntN(4) > 0 {
				masses[i] = rng.Uint64N(1 << rng.IntN(41))
			}
		}
		masses[rng.IntN(n)]++
		tree, binary := newSumTree(masses), newFenwick(masses)
		for range 50 {
			i := rng.IntN(n)
			mass := rng.Uint64N(1 << rng.IntN(41))
			tree.add(i, mass-masses[i])
			binary.add(i, mass-masses[i])
			masses[i] = mass
			prefix := newPrefixSums(masses)
			if tree.total != prefix.total || binary.total != prefix.total {
				t.Fatalf("totals %d %d %d", tree.total, binary.total, prefix.total)
			}
			if prefix.total == 0 {
				continue
			}
			end := uint64(0) // units at random, and the first and last of an item
			for _, m := range masses[:i] {
				end += m
			}
			for _, unit := range []uint64{0, prefix.total - 1, rng.Uint64N(prefix.total), end, end + mass - 1} {
				if unit >= prefix.total {
					continue
				}
				want, sum := 0, masses[0]
				for sum <= unit {
					want++
					sum += masses[want]
				}
				if a, b, c := tree.find(unit), binary.find(unit), prefix.find(unit); a != want || b != want || c != want {
					t.Fatalf("%d items, unit %d: tree %d, fenwick %d, prefix %d, want %d", n, unit, a, b, c, want)
				}
			}
		}
	}
}

// The buckets give each item exactly mass x K units, and the first bits of a cut
// with what is left of it are the cut.
func TestAliasTableIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{2, 3, 10, 16, 17, 1000, 5000} {
		for _, shape := range []func(i int) uint64{
			func(int) uint64 { return 1 },
			func(i int) uint64 { return uint64(i) },
			func(i int) uint64 { return MaxWeight / uint64(i+1) },
			func(int) uint64 { return rng.Uint64N(MaxWeight) * uint64(rng.IntN(2)) },
			func(i int) uint64 { return 1 + (MaxTotalMass-uint64(n))/2*uint64(max(0, 2-i)) },
		} {
			masses := make([]uint64, n)
			var total uint64
			for i := range masses {
				masses[i] = shape(i)
				total += masses[i]
			}
			masses[0]++
			masses[n-1]++
			total += 2
			a := newAlias(masses, total)
			units := make([]big.Int, n)
			give := func(item uint32, u uint64) {
				units[item].Add(&units[item], new(big.Int).SetUint64(u))
			}
			k := uint(math.Log2(float64(len(a.cells))))
			for i, c := range a.cells {
				if a.cuts[i] > 0 {
					give(uint32(i), a.cuts[i])
				}
				give(c.second, total-a.cuts[i])
				_, rest := a.split(i)
				whole := new(big.Int).Mul(big.NewInt(int64(c.cut>>k)), new(big.Int).SetUint64(total))
				whole.Add(whole, new(big.Int).SetUint64(rest))
				if cut := new(big.Int).Lsh(new(big.Int).SetUint64(a.cuts[i]), 32-k); cut.Cmp(whole) != 0 || rest >= total {
					t.Fatalf("%d items, bucket %d: cut %d is split into %d and %d", n, i, a.cuts[i], c.cut, rest)
				}
			}
			for i, m := range masses {
				want := new(big.Int).Lsh(new(big.Int).SetUint64(m), k)
				if units[i].Cmp(want) != 0 {
					t.Fatalf("%d items, item %d: %v units, want %v", n, i, &units[i], want)
				}
			}
		}
	}
}

// A word below the cut is the bucket's own item, one above is the second, and
// at the cut what is left of it decides.
func TestAliasDecidesAtTheCut(t *testing.T) {
	masses := []uint64{5, 1, 1, 2, 7, 3} // K = 8, T = 19
	a := newAlias(masses, 19)
	for bucket, c := range a.cells {
		if c.cut == 0 {
			continue
		}
		at := uint32(bucket)<<29 | c.cut>>3
		for _, word := range []uint32{at - 1, at + 1} {
			want := uint32(bucket)
			if word > at {
				want = c.second
			}
			var got [1]uint32
			if n := a.pickEach(got[:], []uint32{word}); n != 1 || got[0] != want {
				t.Errorf("bucket %d, word %x: item %d of %d, want %d", bucket, word, got[0], n, want)
			}
		}
		var got [1]uint32
		if n := a.pickEach(got[:], []uint32{at}); n != 0 {
			t.Errorf("bucket %d: the word at the cut was decided", bucket)
		}
		r := NewRand(RNGChaCha8, [32]byte{byte(bucket)})
		own := make([]int, 2)
		for range 20_000 {
			if r.next >= blockWords {
				r.refill()
			}
			r.block[r.next] = at
			if a.pick(r) == uint32(bucket) {
				own[0]++
			} else {
				own[1]++
			}
		}
		_, rest := a.split(bucket)
		if p := goodnessOfFit(own, []float64{float64(rest) / 19, 1 - float64(rest)/19}); p < 1e-4 {
			t.Errorf("bucket %d: own item %v of the draws at the cut, rest %d of 19: p = %.2g", bucket, own, rest, p)
		}
	}
}

// Large pools with ample stock: draws against the weights in 256 cells, and the
// largest deviation of a single item.
func TestLargePoolsFollowTheWeights(t *testing.T) {
	const n = 1_000_000
	for _, size := range []int{1000, 100_000, 1_000_000} {
		for name, weight := range map[string]func(i int) uint64{
			"equal": func(int) uint64 { return 1 },
			"Zipf":  func(i int) uint64 { return MaxWeight / uint64(i+1) },
		} {
			weights := make([]uint64, size)
			for i := range weights {
				weights[i] = weight(i)
			}
			kinds := []string{"alias"}
			if size == 1000 {
				kinds = []string{"alias", "fenwick", "sumtree", "prefix"}
			}
			for k, kind := range kinds {
				s, err := NewSelector(kind, weights)
				if err != nil {
					t.Fatal(err)
				}
				r := NewRand(RNGChaCha8, [32]byte{byte(size >> 4), byte(k)})
				counts := make([]int, size)
				for range n {
					counts[s.Pick(r)]++
				}
				checkCounts(t, kind+" "+name, counts, weights, n)
			}
		}
	}
}

func checkCounts(t *testing.T, name string, counts []int, weights []uint64, n float64) {
	t.Helper()
	var total float64
	for _, w := range weights {
		total += float64(w)
	}
	const cells = 256
	cellCounts, cellShare := make([]int, cells), make([]float64, cells)
	var below, worst float64
	for i, w := range weights {
		share := float64(w) / total
		cell := min(cells-1, int(below*cells))
		cellCounts[cell] += counts[i]
		cellShare[cell] += share
		below += share
		if expected := n * share; expected >= 100 {
			worst = max(worst, math.Abs(float64(counts[i])-expected)/math.Sqrt(expected*(1-share)))
		}
	}
	var g float64
	used := 0
	for i, c := range cellCounts {
		if cellShare[i] == 0 {
			continue
		}
		used++
		if c > 0 {
			g += 2 * float64(c) * math.Log(float64(c)/(n*cellShare[i]))
		}
	}
	if p := chiSquareP(g, used-1); p < 1e-4 {
		t.Errorf("%s, %d items: G-test p = %.2g", name, len(weights), p)
	}
	if p := float64(len(weights)) * math.Erfc(worst/math.Sqrt2); p < 1e-4 {
		t.Errorf("%s, %d items: largest |z| = %.2f", name, len(weights), worst)
	}
}

func TestNewSelectorRefusesBadInput(t *testing.T) {
	for name, try := range map[string]func() (Selector, error){
		"kind":   func() (Selector, error) { return NewSelector("dice", []uint64{1, 2}) },
		"one":    func() (Selector, error) { return NewSelector("alias", []uint64{0, 2}) },
		"weight": func() (Selector, error) { return NewSelector("alias", []uint64{1, MaxWeight + 1}) },
	} {
		var bad *InvalidError
		if _, err := try(); !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
