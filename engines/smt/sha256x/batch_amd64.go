package sha256x

import (
	"encoding/binary"
	"unsafe"
)

// batch collects four messages and hashes them together.
//
// The one use of unsafe is SliceData, for the base of a slice that may be empty.
// add's callers check that each offset is in range before the assembly uses it.
//
// It holds offsets where pointers would do: the compiler takes a pointer that
// is stored through *batch to escape, and batches and digests are to stay on
// the stack.
type batch struct {
	dst    *byte  // what offsets of digests count from
	src    []byte // where first blocks are read in place; nil: all is copied
	second second // of all messages
	table  *schedules
	n      int // lanes filled
	lanes  lanes
	size   [4]int       // of the message that the lane's buffer is padded for
	buffer [4][128]byte // padded copies of messages; of a message read in place, the second block
}

// secondOf tells the second block of messages of one size, 1 to twoBlocks.
func secondOf(size int) second {
	switch {
	case size <= oneBlock:
		return noSecond
	case size == scheduledSize:
		return scheduledSecond
	default:
		return plainSecond
	}
}

// inPlace is src if messages of that size fill their first block.
func inPlace(src []byte, size int) []byte {
	if size < 64 {
		return nil
	}
	return src
}

// add takes the message first || rest. Its length must suit b.second; if b.src
// is set, it is 64 at least, and rest must lie at b.src[at:] and stay as it is
// until the batch is hashed: by the fourth add or flush.
func (b *batch) add(dst int, first byte, rest []byte, at int) {
	l := b.n
	b.lanes.dst[l] = dst
	b.lanes.first[l] = uint64(first)
	b.lanes.tail[l] = l*128 + 64
	switch {
	case b.src == nil:
		copy(b.padded(l, 1+len(rest))[1:], rest)
		b.lanes.rest[l] = l*128 + 1
	case b.second == scheduledSecond:
		b.lanes.rest[l] = at
		b.lanes.tail[l] = int(rest[63]) * len(b.table[0])
	default:
		copy(b.padded(l, 1+len(rest))[64:], rest[63:])
		b.lanes.rest[l] = at
	}
	if b.n++; b.n == 4 {
		b.flush()
	}
}

// padded is the buffer of lane l, padded for a message of that size.
func (b *batch) padded(l, size int) *[128]byte {
	buf := &b.buffer[l]
	if size != b.size[l] {
		b.size[l] = size
		clear(buf[:])
		if b.second == noSecond {
			pad(buf[:64], size)
		} else {
			pad(buf[:], size)
		}
	}
	return buf
}

// pad ends a message of that size, to fill blocks of zeros: FIPS 180-4,
// section 5.1.1.
func pad(blocks []byte, size int) {
	blocks[size] = 0x80
	binary.BigEndian.PutUint64(blocks[len(blocks)-8:], uint64(size)*8)
}

// flush hashes the messages added since the last flush.
func (b *batch) flush() {
	src, tail := &b.buffer[0][0], &b.buffer[0][0]
	if b.src != nil {
		src = unsafe.SliceData(b.src)
	}
	if b.second == scheduledSecond {
		tail = &b.table[0][0]
	}
	if b.n < 3 {
		for l := range b.n {
			sum1(&b.lanes, l, b.dst, src, tail, b.second)
		}
	} else {
		if b.n == 3 { // the fourth lane repeats the third
			in := &b.lanes
			in.dst[3], in.rest[3], in.tail[3], in.first[3] = in.dst[2], in.rest[2], in.tail[2], in.first[2]
		}
		sum4(&b.lanes, b.dst, src, tail, b.second)
	}
	b.n = 0
}
