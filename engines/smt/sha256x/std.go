package sha256x

import "crypto/sha256"

// std hashes one message after the other with the standard library.
type std struct{}

func (std) sum(dst *[Size]byte, msg []byte) { *dst = sha256.Sum256(msg) }

func (s std) sumMany(dst [][Size]byte, msgs [][]byte) {
	for i, m := range msgs {
		s.sum(&dst[i], m)
	}
}

func (s std) sumFixed(dst []byte, dstStride int, src []byte, srcStride, size, n int) {
	for i := range n {
		s.sum(digest(dst, i*dstStride), src[i*srcStride:][:size])
	}
}

func (s std) sumGather(dst []byte, dstOffsets []uint64, src []byte, srcOffsets []uint64, prefix byte, size int) {
	var msg [1 + MaxGather]byte
	msg[0] = prefix
	for i, off := range srcOffsets {
		copy(msg[1:], src[off:][:size])
		s.sum(digest(dst, dstOffsets[i]), msg[:1+size])
	}
}

// digest is the place of a digest in dst; it panics if that is out of range.
func digest[T int | uint64](dst []byte, offset T) *[Size]byte {
	return (*[Size]byte)(dst[offset:])
}
