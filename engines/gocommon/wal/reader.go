package wal

import (
	"errors"
	"fmt"
	"io"
	"path"

	"assay/gocommon/vfs"
)

// readBytes is the size of the reads of a scan: recovery streams.
const readBytes = 256 << 10

// reader walks over one segment.
type reader struct {
	Header
	name string
	file vfs.File
	size int64 // of the file
	salt uint32

	off  int64 // of the next frame in the file
	base int64 // file offset of buf[0]
	buf  []byte
}

// openReader opens a segment and checks that its header belongs to the store
// and to its name.
func openReader(fsys vfs.FS, dir string, s Segment, id Identity) (*reader, error) {
	file, err := fsys.Open(path.Join(dir, s.Name), false)
	if err != nil {
		return nil, err
	}
	r := &reader{name: s.Name, file: file, off: HeaderBytes, base: HeaderBytes}
	err = r.readHeader(s, id.Magic)
	if err == nil && r.UUID != id.UUID {
		err = &CorruptError{Segment: s.Name, LSN: s.FirstLSN, Why: "segment of another store"}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func (r *reader) readHeader(s Segment, magic [8]byte) error {
	var err error
	if r.size, err = r.file.Size(); err != nil {
		return err
	}
	block := make([]byte, HeaderBytes)
	n, err := r.file.ReadAt(block, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	h, why := decodeHeader(block[:n], magic)
	switch {
	case why != "":
	case h.FirstLSN != s.FirstLSN:
		why = "header does not match the name of the file"
	}
	if why != "" {
		return &CorruptError{Segment: s.Name, LSN: s.FirstLSN, Why: why}
	}
	r.Header, r.salt = h, h.salt()
	return nil
}

// window returns the file's bytes at offset, at least want of them unless the
// file ends before.
func (r *reader) window(offset int64, want int) ([]byte, error) {
	if at := offset - r.base; at >= 0 && at+int64(want) <= int64(len(r.buf)) {
		return r.buf[at:], nil
	}
	return r.read(offset, want)
}

func (r *reader) read(offset int64, want int) ([]byte, error) {
	n := int(min(int64(max(want, readBytes)), r.size-offset))
	if n <= 0 {
		return nil, nil
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	r.buf, r.base = r.buf[:n], offset
	n, err := r.file.ReadAt(r.buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		r.buf = r.buf[:0]
		return nil, err
	}
	r.buf = r.buf[:n]
	return r.buf, nil
}

// next reads the frame that begins at r.off and is expected to have the LSN.
// ok is false when no such frame is there; the tail rule then decides.
func (r *reader) next(f *Frame, lsn uint64) (ok bool, err error) {
	b, err := r.window(r.off, 8)
	if err != nil || len(b) < 8 {
		return false, err
	}
	n := frameLen(b)
	if n == 0 || int64(n) > r.size-r.off {
		return false, nil
	}
	if len(b) < n {
		if b, err = r.window(r.off, n); err != nil || len(b) < n {
			return false, err
		}
	}
	if !verifies(b[:n], r.salt) {
		return false, nil
	}
	f.parse(b[:n], lsn)
	if f.LSN != lsn {
		return false, nil
	}
	r.off += int64(n)
	return true, nil
}

// complete requires that the file has the size it was made with, which is
// durable before its name: a shorter one has lost what was behind.
func (r *reader) complete(end *End) error {
	if r.size == r.SegmentBytes {
		return nil
	}
	return &CorruptError{Segment: r.name, Offset: end.offset, LSN: end.LSN,
		Why: fmt.Sprintf("file has %d bytes, its header says %d", r.size, r.SegmentBytes)}
}

func (r *reader) close() error { return r.file.Close() }
