package sha256x

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// scheduledSize is the size of an inner node and a leaf of the trie. The second
// block of such a message holds one byte of it, so that there are only 256
// such blocks, and their message schedules fit a table.
const scheduledSize = 65

// schedules holds, for each last byte of a message of scheduledSize, the words
// of the second block's message schedule plus the round constants: 64 words of
// 4 bytes, little-endian.
type schedules [256][64 * 4]byte

var makeSchedules = sync.OnceValue(func() *schedules {
	t := new(schedules)
	for last := range t {
		var w [64]uint32
		w[0] = uint32(last)<<24 | 0x80<<16
		w[15] = scheduledSize * 8
		for i := 16; i < 64; i++ {
			x, y := w[i-15], w[i-2]
			s0 := bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
			s1 := bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10
			w[i] = w[i-16] + s0 + w[i-7] + s1
		}
		for i := range w {
			binary.LittleEndian.PutUint32(t[last][4*i:], w[i]+constant(i))
		}
	}
	return t
})
