package format

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// AppendPath appends the path of key, HashSize bytes. It fails with
// ErrKeyLength when key itself must be the path and has another length.
func (f Format) AppendPath(dst, key []byte) ([]byte, error) {
	if f.PathHasher == HashKey {
		return f.appendHash(dst, key), nil
	}
	if len(key) != f.HashSize() {
		return dst, fmt.Errorf("%w: %d bytes, expected %d", ErrKeyLength, len(key), f.HashSize())
	}
	return append(dst, key...), nil
}

// Bit is bit i of path, 0 (left) or 1 (right). Bit 0 is the most significant of
// the first byte and chooses the child of the root.
func Bit(path []byte, i int) byte { return path[i>>3] >> (7 - i&7) & 1 }

// CommonPrefix is the number of leading bits that a and b share, at most the
// bits of the shorter.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.BigEndian.Uint64(a[i:]) ^ binary.BigEndian.Uint64(b[i:]); x != 0 {
			return 8*i + bits.LeadingZeros64(x)
		}
	}
	for ; i < n; i++ {
		if x := a[i] ^ b[i]; x != 0 {
			return 8*i + bits.LeadingZeros8(x)
		}
	}
	return 8 * n
}
