package core

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// RNG names a random number generator.
type RNG uint8

const (
	// RNGChaCha8 is math/rand/v2's ChaCha8: its outputs do not reveal its state.
	RNGChaCha8 RNG = iota
	// RNGWyrand is faster and predictable: for simulations, not for rewards of value.
	RNGWyrand
)

func (g RNG) String() string {
	switch g {
	case RNGChaCha8:
		return "chacha8"
	case RNGWyrand:
		return "wyrand"
	}
	return fmt.Sprintf("RNG(%d)", uint8(g))
}

// ParseRNG is the inverse of RNG.String.
func ParseRNG(name string) (RNG, error) {
	for _, g := range []RNG{RNGChaCha8, RNGWyrand} {
		if g.String() == name {
			return g, nil
		}
	}
	return 0, invalid("rng", "%q, expected chacha8 or wyrand", name)
}

// blockWords is the size of a block of random numbers, in 32-bit words:
// the 124 64-bit words that ChaCha8 gives between two reseedings.
const blockWords = 248

// Rand is a stream of 32-bit words, made in blocks so that a draw costs a load
// and an index.
type Rand struct {
	block [blockWords]uint32
	next  int // index of the next unused word

	kind        RNG
	chacha      rand.ChaCha8
	chachaStart rand.ChaCha8 // generator before block was made: what is encoded
	wyrand      uint64
	wyrandStart uint64
}

// NewRand returns the stream of a seed. RNGWyrand uses its first 8 bytes.
func NewRand(kind RNG, seed [32]byte) *Rand {
	r := &Rand{kind: kind}
	r.chacha.Seed(seed)
	r.wyrand = binary.LittleEndian.Uint64(seed[:])
	r.refill()
	return r
}

func (r *Rand) refill() {
	r.next = 0
	if r.kind == RNGWyrand {
		r.wyrandStart = r.wyrand
		s := r.wyrand
		for i := 0; i < blockWords; i += 2 {
			s += 0x2d358dccaa6c78a5
			hi, lo := bits.Mul64(s, s^0x8bb84b93962eacc9)
			x := hi ^ lo
			r.block[i], r.block[i+1] = uint32(x), uint32(x>>32)
		}
		r.wyrand = s
		return
	}
	r.chachaStart = r.chacha
	for i := 0; i < blockWords; i += 2 {
		x := r.chacha.Uint64()
		r.block[i], r.block[i+1] = uint32(x), uint32(x>>32)
	}
}

// uint32 takes one word.
func (r *Rand) uint32() uint32 {
	if r.next >= blockWords {
		r.refill()
	}
	x := r.block[r.next]
	r.next++
	return x
}

// uint64 takes two words, the low one first.
func (r *Rand) uint64() uint64 {
	low := uint64(r.uint32())
	return uint64(r.uint32())<<32 | low
}

// words returns unused words, at least one. The caller adds those it uses to next.
func (r *Rand) words() []uint32 {
	if r.next >= blockWords {
		r.refill()
	}
	return r.block[r.next:]
}

// below returns a uniform integer in [0, n), n > 0, without bias: Lemire's
// product with rejection (Lemire 2019, doi:10.1145/3230636).
func (r *Rand) below(n uint64) uint64 {
	if n < 1<<32 {
		m := uint64(r.uint32()) * n
		if uint32(m) < uint32(n) {
			for reject := -uint32(n) % uint32(n); uint32(m) < reject; {
				m = uint64(r.uint32()) * n
			}
		}
		return m >> 32
	}
	hi, lo := bits.Mul64(r.uint64(), n)
	if lo < n {
		for reject := -n % n; lo < reject; {
			hi, lo = bits.Mul64(r.uint64(), n)
		}
	}
	return hi
}
