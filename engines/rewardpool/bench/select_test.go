package bench

import (
	"flag"
	"math"
	"testing"

	"assay/gocommon/seed"
	"assay/rewardpool/core"
)

var itemCount = flag.Int("items", 10, "number of items of BenchmarkSelect")

// BenchmarkSelect picks items with one of the selectors, with replacement.
func BenchmarkSelect(b *testing.B) {
	for _, kind := range []string{"alias", "fenwick", "sumtree", "prefix"} {
		b.Run("selector="+kind, func(b *testing.B) {
			weights := make([]uint64, *itemCount)
			for i := range weights {
				weights[i] = uint64(10 * (i%100 + 1))
			}
			selector, err := core.NewSelector(kind, weights)
			if err != nil {
				b.Fatal(err)
			}
			random := core.NewRand(core.RNGChaCha8, seed.Bytes())
			var sum uint64
			b.ResetTimer()
			for range b.N {
				sum += uint64(selector.Pick(random))
			}
			b.StopTimer()
			checkPicks(b, selector, weights, random)
			_ = sum
		})
	}
}

// checkPicks compares how often items of the upper half are picked with their weight, within six
// standard deviations.
func checkPicks(b *testing.B, selector core.Selector, weights []uint64, random *core.Rand) {
	const picks = 20_000
	half := len(weights) / 2
	var upper, total, got float64
	for i, weight := range weights {
		total += float64(weight)
		if i >= half {
			upper += float64(weight)
		}
	}
	for range picks {
		item := selector.Pick(random)
		if int(item) >= len(weights) {
			b.Fatalf("picked item %d of %d", item, len(weights))
		}
		if int(item) >= half {
			got++
		}
	}
	share := upper / total
	if limit := 6 * math.Sqrt(picks*share*(1-share)); math.Abs(got-picks*share) > limit {
		b.Fatalf("the upper half of the items was picked %v times of %d, expected %v +- %v", got, picks, picks*share, limit)
	}
}
