package wal

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Frame types. A caller's own types are 1 to 7; their payload is opaque here.
const (
	TypeSeal byte = 8    // last frame of a full segment
	TypeLone byte = 0xD1 // short frame: one event whose payload is a 24-bit value
)

const (
	frameHeader = 28 // bytes before the payload
	loneBytes   = 16
	sealBytes   = 32
	// MaxPayload bounds the payload of a frame, in bytes.
	MaxPayload = 8<<20 - frameHeader
	// MaxLone is the largest value of a short frame.
	MaxLone = 1<<24 - 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Frame is one record of the log.
type Frame struct {
	Type    byte
	Flags   byte   // the caller's
	Events  uint32 // how far the frame advances the LSN
	LSN     uint64 // events logged before this frame
	Durable uint64 // events that were durable when the frame was written, at least
	Value   uint32 // of a TypeLone frame
	Payload []byte // of the others; valid until the next frame is read
}

// FrameBytes returns the size on disk of a frame with the payload, in bytes.
func FrameBytes(payload int) int { return (frameHeader + payload + 7) &^ 7 }

// PaddedPayload returns the length that a payload has when it is read back: a
// frame is padded with zeros to a multiple of 8 bytes.
func PaddedPayload(payload int) int { return FrameBytes(payload) - frameHeader }

// durableBack is how far the durable LSN lies behind; it saturates, which
// claims less.
func durableBack(lsn, durable uint64) uint32 {
	return uint32(min(lsn-durable, math.MaxUint32))
}

// putFrame fills the header of the frame in b, whose payload is in place and whose
// padding is zero.
func putFrame(b []byte, salt uint32, typ, flags byte, events uint32, lsn, durable uint64) (crc uint32) {
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	b[8], b[9], b[10], b[11] = typ, flags, 0, 0
	binary.LittleEndian.PutUint32(b[12:], events)
	binary.LittleEndian.PutUint64(b[16:], lsn)
	binary.LittleEndian.PutUint32(b[24:], durableBack(lsn, durable))
	crc = frameCRC(b, salt)
	binary.LittleEndian.PutUint32(b[4:], crc)
	return crc
}

func frameCRC(b []byte, salt uint32) uint32 {
	return crc32.Update(crc32.Update(salt, castagnoli, b[:4]), castagnoli, b[8:])
}

func putLone(b []byte, salt uint32, value uint32, lsn, durable uint64) {
	_ = b[loneBytes-1]
	binary.LittleEndian.PutUint64(b, uint64(TypeLone)|uint64(value)<<8|lsn<<32)
	binary.LittleEndian.PutUint32(b[8:], durableBack(lsn, durable))
	binary.LittleEndian.PutUint32(b[12:], crc32.Update(salt, castagnoli, b[:12]))
}

// frameLen returns the size that the frame at the start of b claims, or 0 when
// no frame can start there. b holds at least 8 bytes.
func frameLen(b []byte) int {
	if b[0] == TypeLone {
		return loneBytes
	}
	n := binary.LittleEndian.Uint32(b)
	if n%8 != 0 || n < sealBytes || n > frameHeader+MaxPayload {
		return 0
	}
	return int(n)
}

// parse reads the fields of a frame of full length, unverified. next is the
// LSN expected: the upper half of a short frame's LSN is taken from it.
func (f *Frame) parse(b []byte, next uint64) {
	if b[0] == TypeLone {
		word := binary.LittleEndian.Uint64(b)
		f.Type, f.Flags, f.Events, f.Value, f.Payload = TypeLone, 0, 1, uint32(word)>>8, nil
		f.LSN = next + uint64(uint32(word>>32)-uint32(next))
		f.Durable = claimed(f.LSN, binary.LittleEndian.Uint32(b[8:]))
		return
	}
	*f = Frame{
		Type:    b[8],
		Flags:   b[9],
		Events:  binary.LittleEndian.Uint32(b[12:]),
		LSN:     binary.LittleEndian.Uint64(b[16:]),
		Payload: b[frameHeader:],
	}
	f.Durable = claimed(f.LSN, binary.LittleEndian.Uint32(b[24:]))
}

func claimed(lsn uint64, back uint32) uint64 { return lsn - min(lsn, uint64(back)) }

func verifies(b []byte, salt uint32) bool {
	if b[0] == TypeLone {
		return crc32.Update(salt, castagnoli, b[:12]) == binary.LittleEndian.Uint32(b[12:])
	}
	return frameCRC(b, salt) == binary.LittleEndian.Uint32(b[4:])
}
