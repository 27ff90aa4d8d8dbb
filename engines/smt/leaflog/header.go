package leaflog

import (
	"encoding/binary"
	"hash/crc32"

	"assay/smt/format"
)

const (
	checkpointMagic = "SMTCKPT\n"
	logMagic        = "SMTLOG\n\x00"
	version         = 1
	headerBytes     = 36
	headerCRC       = 32 // offset of the checksum, which covers what is before it
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header begins a file. It is durable before the file gets its name.
type header struct {
	id     uint64 // of the store
	number uint64 // commits before the log, or in the checkpoint
	format format.Format
}

func (h *header) encode(magic string) []byte {
	b := make([]byte, headerBytes)
	copy(b, magic)
	binary.LittleEndian.PutUint64(b[8:], h.id)
	binary.LittleEndian.PutUint64(b[16:], h.number)
	b[24], b[25] = byte(h.format.Hash), byte(h.format.PathHasher)
	b[26], b[27] = byte(h.format.ValueHasher), byte(h.format.Sum)
	binary.LittleEndian.PutUint16(b[28:], version)
	binary.LittleEndian.PutUint32(b[headerCRC:], crc32.Checksum(b[:headerCRC], castagnoli))
	return b
}

// decodeHeader returns why the bytes are refused, or "".
func decodeHeader(b []byte, magic string) (h header, why string) {
	switch {
	case len(b) < headerBytes:
		return h, "header is cut short"
	case string(b[:8]) != magic:
		return h, "header has no magic number"
	case crc32.Checksum(b[:headerCRC], castagnoli) != binary.LittleEndian.Uint32(b[headerCRC:]):
		return h, "header fails its checksum"
	case binary.LittleEndian.Uint16(b[28:]) != version:
		return h, "format version is not 1"
	}
	h.id = binary.LittleEndian.Uint64(b[8:])
	h.number = binary.LittleEndian.Uint64(b[16:])
	h.format = format.Format{
		Hash:        format.Hash(b[24]),
		PathHasher:  format.PathHasher(b[25]),
		ValueHasher: format.ValueHasher(b[26]),
		Sum:         format.Sum(b[27]),
	}
	return h, ""
}
