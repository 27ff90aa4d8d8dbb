package core

import (
	"fmt"
	"testing"
)

func ample(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{ID: fmt.Sprint(i), Quantity: 1 << 40, Weight: uint64(i%1000) + 1}
	}
	return items
}

func benchPool(b *testing.B, law Law, rng RNG, n int) *State {
	items := ample(n)
	if law == LawUnit {
		for i := range items {
			items[i].Quantity = 1 << 30
		}
	}
	s, err := New(Config{Items: items, Law: law, RNG: rng})
	if err != nil {
		b.Fatal(err)
	}
	s.Draw() // builds the table
	return s
}

func BenchmarkDraw(b *testing.B) {
	for _, rng := range []RNG{RNGChaCha8, RNGWyrand} {
		for _, law := range []Law{LawClass, LawUnit} {
			for _, n := range []int{1, 10, 1000, 100_000, 1_000_000} {
				b.Run(fmt.Sprintf("rng=%v/law=%v/items=%d/api=one", rng, law, n), func(b *testing.B) {
					s := benchPool(b, law, rng, n)
					b.ReportAllocs()
					for b.Loop() {
						s.Draw()
					}
				})
				b.Run(fmt.Sprintf("rng=%v/law=%v/items=%d/api=batch", rng, law, n), func(b *testing.B) {
					s := benchPool(b, law, rng, n)
					dst := make([]uint32, 10_000)
					b.ReportAllocs()
					b.ResetTimer()
					for left := b.N; left > 0; left -= len(dst) {
						s.DrawN(dst[:min(left, len(dst))])
					}
				})
			}
		}
	}
}

func BenchmarkRand(b *testing.B) {
	for _, rng := range []RNG{RNGChaCha8, RNGWyrand} {
		r := NewRand(rng, [32]byte{})
		b.Run(fmt.Sprintf("rng=%v/bits=32", rng), func(b *testing.B) {
			for range b.N {
				r.uint32()
			}
		})
		b.Run(fmt.Sprintf("rng=%v/bits=64", rng), func(b *testing.B) {
			for range b.N {
				r.uint64()
			}
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	for _, kind := range []string{"alias", "prefix", "sumtree", "fenwick"} {
		for _, n := range []int{10, 16, 1000, 1_000_000} {
			b.Run(fmt.Sprintf("selector=%s/items=%d", kind, n), func(b *testing.B) {
				weights := make([]uint64, n)
				for i, it := range ample(n) {
					weights[i] = it.Weight
				}
				s, err := NewSelector(kind, weights)
				if err != nil {
					b.Fatal(err)
				}
				r := NewRand(RNGChaCha8, [32]byte{})
				b.ResetTimer()
				for range b.N {
					s.Pick(r)
				}
			})
		}
	}
}

func BenchmarkReproduce(b *testing.B) {
	out := make([]uint32, 10_000)
	benchPool(b, LawClass, RNGChaCha8, 10).DrawN(out)
	for range b.N {
		b.StopTimer()
		s := benchPool(b, LawClass, RNGChaCha8, 10)
		b.StartTimer()
		if err := s.Reproduce(out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	const live = 1_000_000
	w := newWindow(live)
	for i := range uint64(live) {
		w.remember(requestID(i, i), 0)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range uint64(b.N) {
		id := requestID(live+i, i)
		w.lookup(id)
		w.remember(id, 0)
	}
}
