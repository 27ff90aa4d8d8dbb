package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"assay/gocommon/vfs"
)

// tmpSuffix marks files that are not part of the log (yet).
const tmpSuffix = ".tmp"

func preparedName(number uint64) string { return fmt.Sprintf("wal-next-%d%s", number, tmpSuffix) }

// IsTemporary says that a log gives the name to a file that is not finished. A
// process that ends leaves it behind.
func IsTemporary(name string) bool {
	var number uint64
	_, err := fmt.Sscanf(name, "wal-next-%d"+tmpSuffix, &number)
	return err == nil && name == preparedName(number) || name == markTemp || name == cutTemp
}

// SegmentName returns the file name of the segment that begins at lsn.
func SegmentName(lsn uint64) string { return fmt.Sprintf("wal-%016x.seg", lsn) }

// IsSegment says that a file of the name is a segment.
func IsSegment(name string) bool {
	_, ok := firstLSN(name)
	return ok
}

// firstLSN is the inverse of SegmentName.
func firstLSN(name string) (lsn uint64, ok bool) {
	_, err := fmt.Sscanf(name, "wal-%x.seg", &lsn)
	return lsn, err == nil && name == SegmentName(lsn)
}

// Segment is a segment file found in a directory.
type Segment struct {
	Name     string
	FirstLSN uint64 // from the name
}

// List returns the segments of dir in the order of their LSN.
func List(fsys vfs.FS, dir string) ([]Segment, error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Segment
	for _, name := range names {
		if !strings.HasPrefix(name, "wal-") || strings.HasSuffix(name, tmpSuffix) {
			continue
		}
		lsn, ok := firstLSN(name)
		if !ok {
			return nil, &CorruptError{Segment: name, Why: "not the name of a segment"}
		}
		out = append(out, Segment{Name: name, FirstLSN: lsn})
	}
	return out, nil
}

// ReadHeader reads the header of a segment whose UUID is not known yet.
func ReadHeader(fsys vfs.FS, dir string, s Segment, magic [8]byte) (Header, error) {
	r := reader{name: s.Name}
	var err error
	if r.file, err = fsys.Open(path.Join(dir, s.Name), false); err != nil {
		return Header{}, err
	}
	defer r.close()
	err = r.readHeader(s, magic)
	return r.Header, err
}

// Remove deletes the segments whose frames all lie below lsn and syncs the
// directory. The last segment always stays.
func Remove(fsys vfs.FS, dir string, lsn uint64) error {
	segments, err := List(fsys, dir)
	if err != nil {
		return err
	}
	removed := false
	for i := 0; i+1 < len(segments) && segments[i+1].FirstLSN <= lsn; i++ {
		if err := fsys.Remove(path.Join(dir, segments[i].Name)); err != nil {
			return err
		}
		removed = true
	}
	if !removed {
		return nil
	}
	return fsys.SyncDir(dir)
}

// segment is an open segment, or the prepared file that will become one.
type segment struct {
	Header
	file    vfs.File
	mapping []byte // in mmap mode
	named   bool   // has its header and its name
}

// prepare makes the file of a future segment: zeros, mapped when asked, so that
// no append grows the file, runs out of space or faults a page.
func (l *Log) prepare(h Header) (*segment, error) {
	name := path.Join(l.opt.Dir, preparedName(h.Number))
	if l.ready == h.Number {
		if s, err := l.takeReady(name, h); s != nil || err != nil {
			return s, err
		}
		if err := l.Mark(); err != nil { // no longer ready
			return nil, err
		}
	}
	file, err := l.opt.FS.Create(name)
	if err != nil {
		return nil, err
	}
	s := &segment{file: file, Header: h}
	err = file.Allocate(h.SegmentBytes)
	switch {
	case err != nil:
	case l.opt.Mapped:
		// The zeros stay dirty: a sync would protect the pages against the stores.
		s.mapping, err = file.Map()
	default:
		err = file.Datasync() // so that the sync of a commit has no metadata to write
	}
	if err != nil {
		return nil, errors.Join(err, file.Close(), l.opt.FS.Remove(name))
	}
	return s, nil
}

// takeReady opens the segment that the process before left prepared, unless it is
// gone or has another size.
func (l *Log) takeReady(name string, h Header) (*segment, error) {
	file, err := l.opt.FS.Open(name, true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &segment{file: file, Header: h}
	size, err := file.Size()
	if err == nil && size == h.SegmentBytes && l.opt.Mapped {
		s.mapping, err = file.Map()
	}
	if err != nil || size != h.SegmentBytes {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// activate gives a prepared segment its header and then its name, both durable.
func (l *Log) activate(s *segment) error {
	if err := s.file.WriteDurable(s.Header.encode(), 0); err != nil {
		return err
	}
	from, to := preparedName(s.Number), SegmentName(s.FirstLSN)
	if err := l.opt.FS.Rename(path.Join(l.opt.Dir, from), path.Join(l.opt.Dir, to)); err != nil {
		return err
	}
	if err := l.opt.FS.SyncDir(l.opt.Dir); err != nil {
		return err
	}
	s.named = true
	l.named.Store(s.Number)
	return nil
}

func (s *segment) close() error {
	var err error
	if s.mapping != nil {
		err = s.file.Unmap(s.mapping)
		s.mapping = nil
	}
	if cerr := s.file.Close(); err == nil {
		err = cerr
	}
	return err
}
