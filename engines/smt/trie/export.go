package trie

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// Export writes the leaves, sorted, with a checksum and the root.
func (t *Trie) Export(w io.Writer) error {
	v, err := t.hashed()
	if err != nil {
		return err
	}
	return v.export(w)
}

// Export is Trie.Export.
func (s *Snapshot) Export(w io.Writer) error {
	v, err := s.state()
	if err != nil {
		return err
	}
	return v.export(w)
}

// An export is: magic, the four bytes of the format, the root; in path order for
// every leaf a 1, path, length of the leaf value (4 bytes, big-endian), leaf value;
// a 0; the CRC-32C of all before it (4 bytes, big-endian).
var exportMagic = []byte("smtleaf1")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (v view) exportHeader() []byte {
	f := v.s.Format
	return append(bytes.Clone(exportMagic), byte(f.Hash), byte(f.PathHasher), byte(f.ValueHasher), byte(f.Sum))
}

func (v view) export(w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 64<<10)
	sum := crc32.New(castagnoli)
	out := io.MultiWriter(buffered, sum)
	_, err := out.Write(append(v.exportHeader(), v.digest...))
	var record []byte
	v.walk(v.root, func(i uint32) bool {
		value := v.s.leafValue(i)
		record = append(append(record[:0], 1), v.s.path(i)...)
		record = append(binary.BigEndian.AppendUint32(record, uint32(len(value))), value...)
		if err == nil {
			_, err = out.Write(record)
		}
		return err == nil
	})
	if err == nil {
		_, err = out.Write([]byte{0})
	}
	if err == nil {
		_, err = buffered.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
	}
	if err != nil {
		return err
	}
	return buffered.Flush()
}

// Import fills an empty trie with what Export wrote, and computes and compares
// the root. It reads r to its end. ErrCorrupt means that the export is damaged, cut
// off, of another format, or that something follows it. A failed import leaves the
// trie empty.
func (t *Trie) Import(r io.Reader) error {
	if err := t.ready(); err != nil {
		return err
	}
	in := importer{r: bufio.NewReaderSize(r, 64<<10), sum: crc32.New(castagnoli), t: t}
	want := t.now().exportHeader()
	header, err := in.take(len(want))
	if err != nil {
		return err
	}
	if !bytes.Equal(header, want) {
		return fmt.Errorf("%w: header %x, expected %x", ErrCorrupt, header, want)
	}
	root, err := in.take(t.store.digest)
	if err != nil {
		return err
	}
	root = bytes.Clone(root)
	if err := t.LoadSorted(in.next); err != nil {
		return err
	}
	if found := t.Root(); !bytes.Equal(found, root) {
		t.clear()
		return fmt.Errorf("%w: root %x, expected %x", ErrCorrupt, found, root)
	}
	return nil
}

// importer reads the leaves of an export.
type importer struct {
	r      *bufio.Reader
	sum    hash.Hash32
	t      *Trie
	buf    []byte
	path   pathBuffer
	offset int64
}

// take reads n bytes, which are valid until the next call. The buffer grows as
// bytes arrive, not as a damaged length asks.
func (in *importer) take(n int) ([]byte, error) {
	in.buf = in.buf[:0]
	for len(in.buf) < n {
		from := len(in.buf)
		in.buf = append(in.buf, make([]byte, min(n-from, 64<<10))...)
		if _, err := io.ReadFull(in.r, in.buf[from:]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("%w: cut off at byte %d", ErrCorrupt, in.offset)
			}
			return nil, err
		}
	}
	in.offset += int64(n)
	in.sum.Write(in.buf)
	return in.buf, nil
}

func (in *importer) next() (path, leafValue []byte, err error) {
	s := &in.t.store
	kind, err := in.take(1)
	if err != nil {
		return nil, nil, err
	}
	switch kind[0] {
	case 0:
		return nil, nil, in.finish()
	case 1:
	default:
		return nil, nil, fmt.Errorf("%w: %02x at byte %d, expected 00 or 01", ErrCorrupt, kind[0], in.offset-1)
	}
	head, err := in.take(s.hash + 4)
	if err != nil {
		return nil, nil, err
	}
	size := int(binary.BigEndian.Uint32(head[s.hash:]))
	if limit := max(in.t.config.MaxValue, s.hash) + s.meta; size > limit {
		return nil, nil, fmt.Errorf("%w: leaf value of %d bytes at byte %d, at most %d", ErrCorrupt, size, in.offset, limit)
	}
	path = append(in.path[:0], head[:s.hash]...)
	leafValue, err = in.take(size)
	return path, leafValue, err
}

// finish checks the checksum, and that nothing follows, and gives io.EOF.
func (in *importer) finish() error {
	sum := in.sum.Sum32()
	stored, err := in.take(4)
	if err != nil {
		return err
	}
	if found := binary.BigEndian.Uint32(stored); found != sum {
		return fmt.Errorf("%w: checksum %08x at byte %d, expected %08x", ErrCorrupt, found, in.offset-4, sum)
	}
	if _, err := in.r.ReadByte(); err != nil {
		return err // io.EOF, if all is well
	}
	return fmt.Errorf("%w: more bytes from byte %d on, expected the end", ErrCorrupt, in.offset)
}
