package leaflog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"

	"assay/gocommon/vfs"
)

// writeCheckpoint makes the checkpoint of the leaves after h.number commits,
// durable and named, and returns its size in bytes.
func writeCheckpoint(fsys vfs.FS, dir string, h header, leaves iter.Seq2[[]byte, []byte], root []byte, c *counters) (size int64, err error) {
	name := fileName(checkpointPrefix, h.number, checkpointSuffix)
	file, err := createFile(fsys, dir, name, c, func(f vfs.File) error {
		if err := c.write(f, h.encode(checkpointMagic), 0); err != nil {
			return err
		}
		g := group{file: f, block: block{id: h.id}, written: c}
		g.begin(h.number, headerBytes)
		for path, leafValue := range leaves {
			if err := g.add(path, leafValue); err != nil {
				return err
			}
		}
		err := g.end(root)
		size = g.off
		return err
	})
	if err != nil {
		return 0, err
	}
	return size, file.Close()
}

// checkpoint reads a checkpoint block by block.
type checkpoint struct {
	file    vfs.File
	name    string
	header  header
	size    int64
	records recordFormat

	off    int64 // of the block being read
	block  block
	blocks uint32 // read so far
	buf    []byte
	rest   []byte // records of the block not yet given
	given  uint32
	before []byte // path of the record before
	root   []byte // once the last block is read
}

// openCheckpoint reads the header, which sets r.id.
func (r *replay) openCheckpoint(name string, number uint64) (*checkpoint, error) {
	f, err := r.fsys.Open(path.Join(r.dir, name), false)
	if err != nil {
		return nil, err
	}
	c := &checkpoint{file: f, name: name, off: headerBytes, records: r.records}
	if c.size, err = f.Size(); err == nil {
		var b []byte
		if b, err = c.read(0, headerBytes); err == nil {
			c.header, err = r.checkHeader(b, checkpointMagic, name, number)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}

// read returns n bytes of the file, or fewer at its end, valid until the next read.
func (c *checkpoint) read(off int64, n int) ([]byte, error) {
	n = int(min(int64(n), c.size-off))
	if cap(c.buf) < n {
		c.buf = make([]byte, max(n, min(blockBytes+blockBytes/4, int(c.size))))
	}
	b := c.buf[:n]
	if m, err := c.file.ReadAt(b, off); m < n && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// next gives the leaves, ascending, and then io.EOF. The slices are valid until
// the next call.
func (c *checkpoint) next() (path, leafValue []byte, err error) {
	for len(c.rest) == 0 {
		if err := c.nextBlock(); err != nil {
			return nil, nil, err
		}
	}
	path, leafValue, n := c.records.next(c.rest)
	if leafValue == nil || bytes.Compare(c.before, path) >= 0 {
		return nil, nil, c.corrupt("records do not make sense")
	}
	c.before = append(c.before[:0], path...)
	c.rest = c.rest[n:]
	c.given++
	return path, leafValue, nil
}

// nextBlock leaves the block being read, if any, and verifies the next.
func (c *checkpoint) nextBlock() error {
	if c.blocks > 0 {
		if c.given != c.block.records {
			return c.corrupt("block has another number of records")
		}
		c.off += blockHeader + int64(c.block.size)
		if c.block.kind == kindLast {
			if c.off != c.size {
				return c.corrupt("bytes behind the last block")
			}
			return io.EOF
		}
	}
	b, err := c.read(c.off, blockHeader)
	if err != nil {
		return err
	}
	h, ok := parseBlock(b, c.header.id)
	switch {
	case !ok || h.commit != c.header.number || h.index != c.blocks || h.kind != kindPart && h.kind != kindLast:
		return c.corrupt(fmt.Sprintf("no header of block %d", c.blocks))
	case int64(h.size) > c.size-c.off-blockHeader:
		return c.corrupt("block is cut short")
	}
	if b, err = c.read(c.off+blockHeader, int(h.size)); err != nil {
		return err
	}
	if !h.verifies(b) {
		return c.corrupt("block fails its checksum")
	}
	if h.kind == kindLast {
		if len(b) < c.records.root {
			return c.corrupt("block without a root")
		}
		stop := len(b) - c.records.root
		c.root = bytes.Clone(b[stop:])
		b = b[:stop]
	}
	c.block, c.rest, c.given = h, b, 0
	c.blocks++
	return nil
}

func (c *checkpoint) corrupt(why string) error {
	return &CorruptError{File: c.name, Offset: c.off, Why: why}
}
