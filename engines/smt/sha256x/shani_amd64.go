package sha256x

import "unsafe"

// shani hashes four messages at a time.
type shani struct {
	table *schedules
}

func newSHANI() shani { return shani{table: makeSchedules()} }

func (s shani) sum(dst *[Size]byte, msg []byte) {
	if len(msg) == 0 || len(msg) > twoBlocks {
		std{}.sum(dst, msg)
		return
	}
	var buf [128]byte
	second := noSecond
	padded := buf[:64]
	if len(msg) > oneBlock {
		second = plainSecond
		padded = buf[:]
	}
	pad(padded, len(msg))
	copy(padded, msg)
	var in lanes
	in.first[0], in.rest[0], in.tail[0] = uint64(buf[0]), 1, 64
	sum1(&in, 0, &dst[0], &buf[0], &buf[0], second)
}

func (s shani) sumMany(dst [][Size]byte, msgs [][]byte) {
	if len(msgs) == 0 {
		return
	}
	short := batch{dst: &dst[0][0], second: noSecond}
	long := batch{dst: &dst[0][0], second: plainSecond}
	for i, m := range msgs {
		switch {
		case len(m) == 0 || len(m) > twoBlocks:
			std{}.sum(&dst[i], m)
		case len(m) <= oneBlock:
			short.add(i*Size, m[0], m[1:], 0)
		default:
			long.add(i*Size, m[0], m[1:], 0)
		}
	}
	short.flush()
	long.flush()
}

func (s shani) sumFixed(dst []byte, dstStride int, src []byte, srcStride, size, n int) {
	if size == 0 || size > twoBlocks {
		std{}.sumFixed(dst, dstStride, src, srcStride, size, n)
		return
	}
	b := batch{dst: unsafe.SliceData(dst), src: inPlace(src, size), second: secondOf(size), table: s.table}
	for i := range n {
		digest(dst, i*dstStride) // in range
		msg := src[i*srcStride:][:size]
		b.add(i*dstStride, msg[0], msg[1:], i*srcStride+1)
	}
	b.flush()
}

func (s shani) sumGather(dst []byte, dstOffsets []uint64, src []byte, srcOffsets []uint64, prefix byte, size int) {
	b := batch{dst: unsafe.SliceData(dst), src: inPlace(src, 1+size), second: secondOf(1 + size), table: s.table}
	for i, off := range srcOffsets {
		digest(dst, dstOffsets[i]) // in range
		b.add(int(dstOffsets[i]), prefix, src[off:][:size], int(off))
	}
	b.flush()
}
