package leaflog

import (
	"encoding/binary"
	"hash/crc32"
)

// Kinds of blocks.
const (
	kindPart uint32 = 1 // more blocks of the group follow
	kindLast uint32 = 2 // ends a group; its payload ends with the root
	kindMark uint32 = 3 // says that the commit of its number was synced
)

const blockHeader = 40

// blockBytes ends a block: records are gathered up to this size. A variable for
// the tests.
var blockBytes = 1 << 20

// block is the header of a block.
type block struct {
	id      uint64 // of the store
	commit  uint64
	index   uint32 // in the group
	kind    uint32
	records uint32
	size    uint32 // of the payload, bytes
	crc     uint32 // of the payload
}

// seal fills the header of the block in b, whose payload is in place. The fields
// size and crc are computed.
func (h block) seal(b []byte) {
	payload := b[blockHeader:]
	binary.LittleEndian.PutUint64(b, h.id)
	binary.LittleEndian.PutUint64(b[8:], h.commit)
	binary.LittleEndian.PutUint32(b[16:], h.index)
	binary.LittleEndian.PutUint32(b[20:], h.kind)
	binary.LittleEndian.PutUint32(b[24:], h.records)
	binary.LittleEndian.PutUint32(b[28:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[32:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(b[36:], crc32.Checksum(b[:36], castagnoli))
}

// parseBlock reads the header at the start of b. It is valid when it verifies
// and belongs to the store.
func parseBlock(b []byte, id uint64) (h block, ok bool) {
	if len(b) < blockHeader || binary.LittleEndian.Uint64(b) != id ||
		crc32.Checksum(b[:36], castagnoli) != binary.LittleEndian.Uint32(b[36:]) {
		return h, false
	}
	return block{
		id:      id,
		commit:  binary.LittleEndian.Uint64(b[8:]),
		index:   binary.LittleEndian.Uint32(b[16:]),
		kind:    binary.LittleEndian.Uint32(b[20:]),
		records: binary.LittleEndian.Uint32(b[24:]),
		size:    binary.LittleEndian.Uint32(b[28:]),
		crc:     binary.LittleEndian.Uint32(b[32:]),
	}, true
}

// verifies checks the payload against the header.
func (h *block) verifies(payload []byte) bool {
	return crc32.Checksum(payload, castagnoli) == h.crc
}
