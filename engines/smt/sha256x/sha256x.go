package sha256x

import (
	"errors"
	"fmt"
	"slices"
)

// Size is the length of a digest, in bytes.
const Size = 32

// ErrUnavailable says that this processor, or this build, cannot run the
// implementation asked for.
var ErrUnavailable = errors.New("sha256x: implementation not available here")

// Implementation names a way to compute SHA-256. All give the same digests.
type Implementation uint8

const (
	// Auto, the zero value, stands for the fastest implementation available.
	Auto Implementation = iota
	// Std is crypto/sha256, one message at a time.
	Std
	// SHANI interleaves four messages on the SHA extensions of amd64.
	SHANI
)

// String gives the name that Parse reads.
func (i Implementation) String() string {
	switch i {
	case Auto:
		return "auto"
	case Std:
		return "std"
	case SHANI:
		return "shani"
	}
	return fmt.Sprintf("Implementation(%d)", uint8(i))
}

// Parse reads the name of an implementation: "auto", "std" or "shani".
func Parse(name string) (Implementation, error) {
	for i := Auto; i <= SHANI; i++ {
		if i.String() == name {
			return i, nil
		}
	}
	return Auto, fmt.Errorf("sha256x: unknown implementation %q (want auto, std or shani)", name)
}

// Available lists the implementations that run here, slowest first.
func Available() []Implementation {
	if haveSHANI {
		return []Implementation{Std, SHANI}
	}
	return []Implementation{Std}
}

// Best is the fastest implementation available: what Auto stands for.
func Best() Implementation {
	if haveSHANI {
		return SHANI
	}
	return Std
}

// Hasher hashes with one implementation; New makes it. It has no mutable
// state: any number of goroutines may share one. No method allocates.
type Hasher struct {
	impl  Implementation
	std   std
	shani shani
}

// New makes a Hasher. The error wraps ErrUnavailable if impl cannot run here.
func New(impl Implementation) (*Hasher, error) {
	if impl == Auto {
		impl = Best()
	}
	if !slices.Contains(Available(), impl) {
		return nil, fmt.Errorf("%w: %v", ErrUnavailable, impl)
	}
	h := &Hasher{impl: impl}
	if impl == SHANI {
		h.shani = newSHANI()
	}
	return h, nil
}

// Implementation tells which implementation h uses; never Auto.
func (h *Hasher) Implementation() Implementation { return h.impl }

// Sum writes the digest of msg to dst.
func (h *Hasher) Sum(dst *[Size]byte, msg []byte) {
	if h.impl == SHANI {
		h.shani.sum(dst, msg)
	} else {
		h.std.sum(dst, msg)
	}
}

// SumMany writes the digest of msgs[i] to dst[i]. It panics if dst is shorter
// than msgs. The digests must not overlap the messages.
func (h *Hasher) SumMany(dst [][Size]byte, msgs [][]byte) {
	dst = dst[:len(msgs)]
	if h.impl == SHANI {
		h.shani.sumMany(dst, msgs)
	} else {
		h.std.sumMany(dst, msgs)
	}
}

// SumFixed hashes n messages of the same size, laid out at a fixed distance:
// message i is src[i*srcStride:][:size], its digest goes to
// dst[i*dstStride:][:Size]. It panics if one of these is out of range. The
// digests must not overlap the messages.
func (h *Hasher) SumFixed(dst []byte, dstStride int, src []byte, srcStride, size, n int) {
	if h.impl == SHANI {
		h.shani.sumFixed(dst, dstStride, src, srcStride, size, n)
	} else {
		h.std.sumFixed(dst, dstStride, src, srcStride, size, n)
	}
}

// SumGather hashes messages that lie anywhere in an arena: message i is the
// byte prefix followed by src[srcOffsets[i]:][:size], its digest goes to
// dst[dstOffsets[i]:][:Size]. It panics if the lists differ in length, or one
// of these is out of range, or size is above MaxGather. dst and src may be the
// same arena, but no message of a call may overlap a digest of the same call.
func (h *Hasher) SumGather(dst []byte, dstOffsets []uint64, src []byte, srcOffsets []uint64, prefix byte, size int) {
	if len(dstOffsets) != len(srcOffsets) {
		panic(fmt.Sprintf("sha256x: %d offsets of digests, %d of messages", len(dstOffsets), len(srcOffsets)))
	}
	if size > MaxGather {
		panic(fmt.Sprintf("sha256x: SumGather of %d bytes, at most %d", size, MaxGather))
	}
	if h.impl == SHANI {
		h.shani.sumGather(dst, dstOffsets, src, srcOffsets, prefix, size)
	} else {
		h.std.sumGather(dst, dstOffsets, src, srcOffsets, prefix, size)
	}
}

// MaxGather is the largest size for SumGather: with its prefix, a message of
// two blocks.
const MaxGather = twoBlocks - 1

// Longest messages that fill one and two blocks of 64 bytes: nine bytes go to
// the end mark and the length.
const (
	oneBlock  = 64 - 9
	twoBlocks = 128 - 9
)
