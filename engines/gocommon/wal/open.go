package wal

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"assay/gocommon/vfs"
)

// Open continues the log behind end, the result of a Scan, or begins it when
// there is none. What lies behind the end is removed and zeroed, and all of the
// log is synced, before the first append. lsn is that of the caller's state; it
// is above end.LSN when events were not logged, and then a segment begins at it.
func Open(opt Options, end End, lsn uint64) (*Log, error) {
	if opt.Go == nil {
		opt.Go = func(f func()) { go f() }
	}
	l := &Log{opt: opt, lsn: lsn, free: make(chan *Batch, 4)}
	if err := removeTemporary(opt.FS, opt.Dir); err != nil {
		return nil, err
	}
	if err := end.cut(opt.FS, opt.Dir); err != nil {
		return nil, err
	}
	l.durable.Store(lsn)
	if end.last.Number == 0 || end.sealed || end.LSN != lsn {
		return l, l.begin(end)
	}
	file, err := opt.FS.Open(path.Join(opt.Dir, SegmentName(end.last.FirstLSN)), true)
	if err != nil {
		return nil, err
	}
	seg := &segment{Header: end.last, file: file, named: true}
	if opt.Mapped {
		if seg.mapping, err = file.Map(); err != nil {
			file.Close()
			return nil, err
		}
	}
	l.enter(seg, end.offset)
	return l, nil
}

// begin makes the first segment, or the one behind a complete segment.
func (l *Log) begin(end End) error {
	h := Header{
		Identity:     l.opt.Identity,
		Number:       end.last.Number + 1,
		FirstLSN:     l.lsn,
		DurableLSN:   l.lsn,
		SegmentBytes: l.opt.SegmentBytes,
	}
	if end.sealed {
		h.PrevSeal = end.seal
	}
	seg, err := prepare(l.opt.FS, l.opt.Dir, h, l.opt.Mapped)
	if err != nil {
		return err
	}
	if err := seg.activate(l.opt.FS, l.opt.Dir); err != nil {
		return errors.Join(err, seg.close())
	}
	l.enter(seg, HeaderBytes)
	return nil
}

func removeTemporary(fsys vfs.FS, dir string) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, tmpSuffix) {
			if err := fsys.Remove(path.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// cut removes the segments behind a torn tail, the newest first, then zeroes
// the tail, and syncs. Stopped anywhere in between, the next Scan finds the
// same end.
func (end *End) cut(fsys vfs.FS, dir string) error {
	for i := len(end.later) - 1; i >= 0; i-- {
		if err := fsys.Remove(path.Join(dir, end.later[i].Name)); err != nil {
			return err
		}
	}
	for _, s := range end.segments {
		offset := end.last.SegmentBytes // sync only
		if s.FirstLSN == end.last.FirstLSN {
			offset = end.offset
		}
		if err := zeroFrom(fsys, path.Join(dir, s.Name), offset, end.last.SegmentBytes); err != nil {
			return err
		}
	}
	return fsys.SyncDir(dir)
}

// zeroFrom makes the bytes from offset to size zero and syncs the file. It
// writes only where it has to.
func zeroFrom(fsys vfs.FS, name string, offset, size int64) error {
	f, err := fsys.Open(name, true)
	if err != nil {
		return err
	}
	defer f.Close()
	most := max(min(size-offset, readBytes), 0)
	block, zeros := make([]byte, most), make([]byte, most)
	for offset < size {
		want := min(size-offset, most)
		n, err := f.ReadAt(block[:want], offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !bytes.Equal(block[:n], zeros[:want]) {
			if _, err := f.WriteAt(zeros[:want], offset); err != nil {
				return err
			}
		}
		offset += want
	}
	return f.Datasync()
}
