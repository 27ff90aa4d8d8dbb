package wal

import (
	"fmt"
	"path"
	"strings"

	"assay/gocommon/vfs"
)

// tmpSuffix marks files that are not part of the log (yet).
const tmpSuffix = ".tmp"

func preparedName(number uint64) string { return fmt.Sprintf("segment-%d%s", number, tmpSuffix) }

// SegmentName returns the file name of the segment that begins at lsn.
func SegmentName(lsn uint64) string { return fmt.Sprintf("wal-%016x.seg", lsn) }

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
		var lsn uint64
		if !strings.HasPrefix(name, "wal-") {
			continue
		}
		if _, err := fmt.Sscanf(name, "wal-%x.seg", &lsn); err != nil || name != SegmentName(lsn) {
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
func prepare(fsys vfs.FS, dir string, h Header, mapped bool) (*segment, error) {
	file, err := fsys.Create(path.Join(dir, preparedName(h.Number)))
	if err != nil {
		return nil, err
	}
	s := &segment{file: file, Header: h}
	err = file.Allocate(h.SegmentBytes)
	switch {
	case err != nil:
	case mapped:
		// The zeros stay dirty: a sync would protect the pages against the stores.
		s.mapping, err = file.Map()
	default:
		err = file.Datasync() // so that the sync of a commit has no metadata to write
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// activate gives a prepared segment its header and then its name, both durable.
func (s *segment) activate(fsys vfs.FS, dir string) error {
	if err := s.file.WriteDurable(s.Header.encode(), 0); err != nil {
		return err
	}
	from, to := preparedName(s.Number), SegmentName(s.FirstLSN)
	if err := fsys.Rename(path.Join(dir, from), path.Join(dir, to)); err != nil {
		return err
	}
	if err := fsys.SyncDir(dir); err != nil {
		return err
	}
	s.named = true
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
