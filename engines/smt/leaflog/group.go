package leaflog

import (
	"fmt"

	"assay/gocommon/vfs"
)

// group writes the blocks of one commit or of a checkpoint, without a sync.
type group struct {
	file    vfs.File
	off     int64 // of the next block in the file
	block   block // header of the next block
	buf     []byte
	written *counters
}

// begin starts the group with the number at the offset. The buffer is kept from
// the group before.
func (g *group) begin(number uint64, off int64) {
	g.off = off
	g.block.commit, g.block.index, g.block.records = number, 0, 0
	g.buf = append(g.buf[:0], make([]byte, blockHeader)...)
}

// add appends a change; a nil leaf value is a deletion.
func (g *group) add(path, leafValue []byte) error {
	if len(leafValue) > maxLeafValue {
		return fmt.Errorf("leaflog: leaf value of %d bytes, at most %d fit", len(leafValue), maxLeafValue)
	}
	if len(g.buf)-blockHeader >= blockBytes {
		if err := g.flush(kindPart); err != nil {
			return err
		}
	}
	g.buf = appendRecord(g.buf, path, leafValue)
	g.block.records++
	return nil
}

// end writes the last block.
func (g *group) end(root []byte) error {
	g.buf = append(g.buf, root...)
	return g.flush(kindLast)
}

func (g *group) flush(kind uint32) error {
	g.block.kind = kind
	g.block.seal(g.buf)
	if err := g.written.write(g.file, g.buf, g.off); err != nil {
		return err
	}
	g.off += int64(len(g.buf))
	g.block.index++
	g.block.records = 0
	g.buf = g.buf[:blockHeader]
	return nil
}
