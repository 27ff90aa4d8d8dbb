package core

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

func TestRandIsTheNamedGenerator(t *testing.T) {
	seed := [32]byte{1, 2, 3, 4, 5, 6, 7, 8, 9}
	r, want := NewRand(RNGChaCha8, seed), rand.NewChaCha8(seed)
	for i := range 1000 {
		if got, want := r.uint64(), want.Uint64(); got != want {
			t.Fatalf("chacha8 word %d: %x, want %x", i, got, want)
		}
	}
	r = NewRand(RNGWyrand, seed)
	state := uint64(0x0807060504030201)
	for i := range 1000 {
		state += 0x2d358dccaa6c78a5
		hi, lo := bits.Mul64(state, state^0x8bb84b93962eacc9)
		if got := r.uint64(); got != hi^lo {
			t.Fatalf("wyrand word %d: %x, want %x", i, got, hi^lo)
		}
	}
}

// Bounds of three quarters of the range of a word show at once what is wrong
// with a modulo or with a product without rejection.
func TestBelowHasNoBias(t *testing.T) {
	modulo := func(r *Rand, n uint64) uint64 { return r.uint64() % n }
	product := func(r *Rand, n uint64) uint64 { hi, _ := bits.Mul64(r.uint64(), n); return hi }
	for _, c := range []struct {
		name  string
		bound uint64
		draw  func(*Rand, uint64) uint64
		fair  bool
	}{
		{"below", 3 << 62, (*Rand).below, true},
		{"below", 3 << 30, (*Rand).below, true},
		{"below", 1<<32 - 1, (*Rand).below, true},
		{"below", 1 << 32, (*Rand).below, true},
		{"modulo", 3 << 62, modulo, false},
		{"product", 3 << 62, product, false},
	} {
		r := NewRand(RNGChaCha8, [32]byte{7})
		thirds, residues := make([]int, 3), make([]int, 3)
		for range 300_000 {
			x := c.draw(r, c.bound)
			if x >= c.bound {
				t.Fatalf("%s(%d) = %d", c.name, c.bound, x)
			}
			hi, lo := bits.Mul64(x, 3)
			third, _ := bits.Div64(hi, lo, c.bound)
			thirds[third]++
			residues[x%3]++
		}
		even := []float64{1. / 3, 1. / 3, 1. / 3}
		p := min(goodnessOfFit(thirds, even), goodnessOfFit(residues, even))
		if c.fair && p < 1e-4 || !c.fair && p > 1e-12 {
			t.Errorf("%s(%d): p = %.2g", c.name, c.bound, p)
		}
	}
}

func TestBelowCoversSmallBoundsExactly(t *testing.T) {
	for _, bound := range []uint64{1, 2, 3, 10, 1000} {
		r := NewRand(RNGWyrand, [32]byte{byte(bound)})
		counts, even := make([]int, bound), make([]float64, bound)
		for range 200_000 {
			counts[r.below(bound)]++
		}
		for i := range even {
			even[i] = 1 / float64(bound)
		}
		if p := goodnessOfFit(counts, even); p < 1e-4 {
			t.Errorf("below(%d): p = %.2g", bound, p)
		}
	}
}

func TestDrawsAreSeriallyIndependent(t *testing.T) {
	const n, lags = 400_000, 8
	for _, rng := range []RNG{RNGChaCha8, RNGWyrand} {
		s, err := New(Config{Items: items(1, Unlimited, 2, Unlimited, 5, Unlimited, 8, Unlimited), RNG: rng, Seed: [32]byte{3}})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]uint32, n)
		s.DrawN(out)
		exact := make([]float64, 16)
		for i := range exact {
			exact[i] = float64(s.weights[i/4]*s.weights[i%4]) / (16 * 16)
		}
		for lag := 1; lag <= lags; lag++ {
			counts := make([]int, 16)
			for i := 0; i+lag < n; i += 2 * lag { // disjoint pairs
				for j := i; j < i+lag && j+lag < n; j++ {
					counts[4*out[j]+out[j+lag]]++
				}
			}
			if p := goodnessOfFit(counts, exact); p < 1e-4 {
				t.Errorf("%v, lag %d: p = %.2g", rng, lag, p)
			}
		}
	}
}
