package wal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

const (
	snapshotMagic = "ACPSNAP\n"
	headerBytes   = 48
	headerCRC     = 44 // offset of the header's checksum
	blockHeader   = 8
)

// blockBytes is the most payload of a block. A variable for the tests.
var blockBytes = 1 << 20

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func encodeHeader(id frames.UUID, seq uint64) []byte {
	b := make([]byte, headerBytes)
	copy(b, snapshotMagic)
	le.PutUint32(b[8:], 1) // version
	copy(b[16:], id[:])
	le.PutUint64(b[32:], seq)
	le.PutUint32(b[headerCRC:], crc32.Checksum(b[:headerCRC], castagnoli))
	return b
}

// blockCRC salts the checksum of a block with the file and its place in it.
func blockCRC(header []byte, index uint64, length uint32, payload []byte) uint32 {
	var place [12]byte
	le.PutUint64(place[:], index)
	le.PutUint32(place[8:], length)
	crc := crc32.Checksum(header, castagnoli)
	crc = crc32.Update(crc, castagnoli, place[:])
	return crc32.Update(crc, castagnoli, payload)
}

// blockWriter writes the header, and what is written to it in blocks.
type blockWriter struct {
	file   vfs.File
	header []byte
	off    int64
	index  uint64
	buf    []byte // block header and payload
}

func newBlockWriter(file vfs.File, id frames.UUID, seq uint64) *blockWriter {
	return &blockWriter{file: file, header: encodeHeader(id, seq), off: headerBytes,
		buf: make([]byte, blockHeader, blockHeader+blockBytes)}
}

func (w *blockWriter) Write(p []byte) (n int, err error) {
	n = len(p)
	for len(p) > 0 {
		part := min(len(p), cap(w.buf)-len(w.buf))
		w.buf = append(w.buf, p[:part]...)
		p = p[part:]
		if len(w.buf) == cap(w.buf) {
			if err := w.flush(); err != nil {
				return n - len(p), err
			}
		}
	}
	return n, nil
}

func (w *blockWriter) flush() error {
	payload := w.buf[blockHeader:]
	le.PutUint32(w.buf, uint32(len(payload)))
	le.PutUint32(w.buf[4:], blockCRC(w.header, w.index, uint32(len(payload)), payload))
	if _, err := w.file.WriteAt(w.buf, w.off); err != nil {
		return err
	}
	w.off += int64(len(w.buf))
	w.index++
	w.buf = w.buf[:blockHeader]
	return nil
}

// end writes what is left, an empty block, and then the header.
func (w *blockWriter) end() error {
	if len(w.buf) > blockHeader {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.file.WriteAt(w.header, 0)
	return err
}

// blockReader reads what a blockWriter wrote, block by verified block.
type blockReader struct {
	file   vfs.File
	name   string
	header []byte
	seq    uint64
	off    int64
	size   int64
	index  uint64
	buf    []byte
	rest   []byte // of the block in buf
	err    error  // io.EOF behind the empty block
}

func newBlockReader(file vfs.File, name string, id frames.UUID, seq uint64) (*blockReader, error) {
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	r := &blockReader{file: file, name: name, header: encodeHeader(id, seq), seq: seq, off: headerBytes, size: size,
		buf: make([]byte, blockHeader+blockBytes)}
	found := make([]byte, headerBytes)
	if _, err := file.ReadAt(found, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case string(found[:8]) != snapshotMagic:
		return nil, r.damage(0, "snapshot has no magic number")
	case crc32.Checksum(found[:headerCRC], castagnoli) != le.Uint32(found[headerCRC:]):
		return nil, r.damage(0, "snapshot header fails its checksum")
	case le.Uint32(found[8:]) != 1:
		return nil, r.damage(8, "format version is not 1")
	case string(found) != string(r.header):
		return nil, r.damage(16, "snapshot of another store or with another name")
	}
	return r, nil
}

func (r *blockReader) damage(off int64, why string) error {
	return &frames.CorruptError{Segment: r.name, Offset: off, LSN: r.seq, Why: why}
}

func (r *blockReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 && r.err == nil {
		r.err = r.next()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// next reads and verifies a block.
func (r *blockReader) next() error {
	n := min(int64(len(r.buf)), r.size-r.off)
	if n < blockHeader {
		return r.damage(r.off, "snapshot is cut short")
	}
	if _, err := r.file.ReadAt(r.buf[:n], r.off); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	length := le.Uint32(r.buf)
	if int64(length) > n-blockHeader {
		return r.damage(r.off, "block is longer than the file or than a block can be")
	}
	payload := r.buf[blockHeader : blockHeader+int(length)]
	if blockCRC(r.header, r.index, length, payload) != le.Uint32(r.buf[4:]) {
		return r.damage(r.off, "block fails its checksum")
	}
	r.off += blockHeader + int64(length)
	r.index++
	r.rest = payload
	if length == 0 {
		return io.EOF
	}
	return nil
}

// atEnd requires that the file was read to its end.
func (r *blockReader) atEnd() error {
	switch n, err := r.Read(make([]byte, 1)); {
	case n > 0:
		return r.damage(r.off, "snapshot is longer than its contents")
	case err != io.EOF:
		return err
	case r.off != r.size:
		return r.damage(r.off, "bytes behind the end of the snapshot")
	}
	return nil
}
