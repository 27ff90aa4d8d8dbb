package wal

import (
	"bytes"
	"errors"
	"io"
	"path"

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
	var err error
	if l.mark, err = readMark(opt.FS, opt.Dir); err != nil {
		return nil, err
	}
	if l.kept, err = end.keep(opt.FS, opt.Dir); err != nil {
		return nil, err
	}
	if err := l.mark.lower(opt.FS, opt.Dir, &end); err != nil {
		return nil, err
	}
	if err := removeTemporary(opt.FS, opt.Dir, l.mark.ready); err != nil {
		return nil, err
	}
	if err := end.cut(opt.FS, opt.Dir); err != nil {
		return nil, err
	}
	l.ready = l.mark.ready
	l.durable.Store(lsn)
	if end.last.Number == 0 || end.sealed || end.LSN != lsn {
		err = l.begin(end)
	} else {
		err = l.resume(end)
	}
	if err != nil {
		return nil, err
	}
	if err := l.writeMark(l.ready); err != nil {
		return nil, errors.Join(err, l.seg.close())
	}
	return l, nil
}

// resume goes on in the last segment.
func (l *Log) resume(end End) error {
	file, err := l.opt.FS.Open(path.Join(l.opt.Dir, SegmentName(end.last.FirstLSN)), true)
	if err != nil {
		return err
	}
	seg := &segment{Header: end.last, file: file, named: true}
	if l.opt.Mapped {
		if seg.mapping, err = file.Map(); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	l.named.Store(seg.Number)
	l.enter(seg, end.offset)
	return nil
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
	seg, err := l.prepare(h)
	if err != nil {
		return err
	}
	if err := l.activate(seg); err != nil {
		return errors.Join(err, seg.close())
	}
	l.enter(seg, HeaderBytes)
	return nil
}

// removeTemporary removes what a log left unfinished, but not the segment that
// its mark calls ready. Files of others stay.
func removeTemporary(fsys vfs.FS, dir string, ready uint64) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if IsTemporary(name) && name != preparedName(ready) {
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
