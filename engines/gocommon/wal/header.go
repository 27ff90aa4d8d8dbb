package wal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// HeaderBytes is the size of the header block of a segment.
const HeaderBytes = 4096

const (
	headerVersion = 2
	headerCRC     = 64 // offset of the checksum, which covers what is before it
)

// UUID identifies a store; it salts every checksum of its log.
type UUID [16]byte

// Identity says whose log it is: every segment begins with it.
type Identity struct {
	Magic [8]byte // of the engine's segments
	UUID  UUID
}

// Header is the first block of a segment. It is durable before the segment
// has its name, so a named segment without a valid header is corrupt.
type Header struct {
	Identity
	Number       uint64 // of the segment, counted from 1
	FirstLSN     uint64 // events before the first frame
	DurableLSN   uint64 // events known durable when the segment was begun
	SegmentBytes int64  // full size of the file
	PrevSeal     uint32 // checksum of the SEAL frame before, 0 when there is none
}

func (h *Header) encode() []byte {
	b := make([]byte, HeaderBytes)
	copy(b, h.Magic[:])
	binary.LittleEndian.PutUint16(b[8:], headerVersion)
	binary.LittleEndian.PutUint32(b[12:], h.PrevSeal)
	copy(b[16:], h.UUID[:])
	binary.LittleEndian.PutUint64(b[32:], h.Number)
	binary.LittleEndian.PutUint64(b[40:], h.FirstLSN)
	binary.LittleEndian.PutUint64(b[48:], h.DurableLSN)
	binary.LittleEndian.PutUint64(b[56:], uint64(h.SegmentBytes))
	binary.LittleEndian.PutUint32(b[headerCRC:], crc32.Checksum(b[:headerCRC], castagnoli))
	return b
}

// decodeHeader returns why the block is refused, or "".
func decodeHeader(b []byte, magic [8]byte) (h Header, why string) {
	switch {
	case len(b) < HeaderBytes:
		return h, "header is cut short"
	case [8]byte(b) != magic:
		return h, "header has no magic number"
	case crc32.Checksum(b[:headerCRC], castagnoli) != binary.LittleEndian.Uint32(b[headerCRC:]):
		return h, "header fails its checksum"
	case binary.LittleEndian.Uint16(b[8:]) != headerVersion:
		return h, fmt.Sprintf("format version is %d, expected %d", binary.LittleEndian.Uint16(b[8:]), headerVersion)
	case len(bytes.Trim(b[headerCRC+4:HeaderBytes], "\x00")) != 0:
		return h, "header padding is not zero"
	}
	h.Magic, h.UUID = magic, UUID(b[16:])
	h.PrevSeal = binary.LittleEndian.Uint32(b[12:])
	h.Number = binary.LittleEndian.Uint64(b[32:])
	h.FirstLSN = binary.LittleEndian.Uint64(b[40:])
	h.DurableLSN = binary.LittleEndian.Uint64(b[48:])
	h.SegmentBytes = int64(binary.LittleEndian.Uint64(b[56:]))
	return h, ""
}

// salt seeds the checksum of every frame of the segment, so that a frame of
// another store or of another segment does not verify.
func (h *Header) salt() uint32 {
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], h.Number)
	return crc32.Update(crc32.Checksum(h.UUID[:], castagnoli), castagnoli, number[:])
}
