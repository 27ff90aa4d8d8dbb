package sha256x

import (
	"fmt"
	"testing"
)

// An operation is one message. 32 bytes are one block, 65 two with the second
// scheduled beforehand, 113 two.
func BenchmarkSumFixed(b *testing.B) {
	for _, size := range []int{32, 65, 113} {
		for _, n := range []int{1, 2, 3, 4, 64} {
			for _, impl := range Available() {
				b.Run(fmt.Sprintf("size=%d/messages=%d/hash=%v", size, n, impl), func(b *testing.B) {
					h, _ := New(impl)
					src, dst := random(1, n*size), make([]byte, n*Size)
					for i := 0; i < b.N; i += n {
						h.SumFixed(dst, Size, src, size, size, n)
					}
				})
			}
		}
	}
}

func BenchmarkSumMany(b *testing.B) {
	const n = 64
	for _, size := range []int{32, 65, 113, 130} {
		for _, impl := range Available() {
			b.Run(fmt.Sprintf("size=%d/hash=%v", size, impl), func(b *testing.B) {
				h, _ := New(impl)
				src, msgs, dst := random(1, n*size), make([][]byte, n), make([][Size]byte, n)
				for i := range msgs {
					msgs[i] = src[i*size:][:size]
				}
				for i := 0; i < b.N; i += n {
					h.SumMany(dst, msgs)
				}
			})
		}
	}
}

// Inner nodes of an arena in random order: in the caches, and far larger.
func BenchmarkSumGather(b *testing.B) {
	for _, arena := range []int{1 << 14, 1 << 28} {
		for _, size := range []int{64, 112} {
			for _, impl := range Available() {
				b.Run(fmt.Sprintf("arena=%d/size=%d/hash=%v", arena, size, impl), func(b *testing.B) {
					h, _ := New(impl)
					src := make([]byte, arena)
					for i := range src {
						src[i] = byte(i * i >> 8)
					}
					const n = 1024
					src64, places, dst := make([]uint64, n), make([]uint64, n), make([]byte, n*Size)
					x := uint64(1)
					for i := 0; i < b.N; i += n {
						for j := range src64 {
							x = x*6364136223846793005 + 1442695040888963407
							src64[j], places[j] = (x>>20)%uint64(arena/128)*128, uint64(j*Size)
						}
						h.SumGather(dst, places, src, src64, 1, size)
					}
				})
			}
		}
	}
}
