package wal

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"assay/gocommon/vfs"
)

// errCut ends the scan of Cut.
var errCut = errors.New("wal: cut here")

// Cut is for repair: it ends the log before the first frame that goes beyond
// lsn or does not verify, whether or not it was durable, and returns the end.
// from is the LSN of a snapshot below lsn. What lies behind is destroyed.
func Cut(fsys vfs.FS, dir string, id Identity, from, lsn uint64) (End, error) {
	end, err := scanFrames(fsys, dir, id, from, func(f *Frame) error {
		if f.LSN+uint64(f.Events) > lsn {
			return errCut
		}
		return nil
	})
	var corrupt *CorruptError
	if err != nil && !errors.Is(err, errCut) && !errors.As(err, &corrupt) {
		return end, err
	}
	if len(end.segments) == 0 && err != nil {
		return end, err
	}
	segments, err := List(fsys, dir)
	if err != nil {
		return end, err
	}
	for i, s := range segments {
		if s.FirstLSN == end.last.FirstLSN {
			end.later = segments[i+1:]
		}
	}
	m, err := readMark(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &corrupt) || err == nil && m.identity != id {
		err = newMark(fsys, dir, id)
	} else if err == nil {
		err = m.lower(fsys, dir, &end)
	}
	if err != nil {
		return end, err
	}
	if err := end.shorten(fsys, dir); err != nil {
		return end, err
	}
	return end, end.cut(fsys, dir)
}

// shorten takes off the last segment what lies beyond the size that its header
// says.
func (end *End) shorten(fsys vfs.FS, dir string) error {
	name := SegmentName(end.last.FirstLSN)
	file, err := fsys.Open(path.Join(dir, name), false)
	if err != nil {
		return err
	}
	defer file.Close()
	if size, err := file.Size(); err != nil || size <= end.last.SegmentBytes {
		return err
	}
	return publish(fsys, dir, cutTemp, name, io.NewSectionReader(file, 0, end.last.SegmentBytes))
}

const cutTemp = "wal-cut" + tmpSuffix

// keep copies the torn tails to files of their own before they are cut off, and
// returns their names. The same bytes get the same name.
func (end *End) keep(fsys vfs.FS, dir string) (names []string, err error) {
	if len(end.tails) == 0 {
		return nil, nil
	}
	there, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, t := range end.tails {
		name, err := t.keep(fsys, dir, there)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (t *tail) keep(fsys vfs.FS, dir string, there []string) (name string, err error) {
	file, err := fsys.Open(path.Join(dir, t.name), false)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(file, t.from, t.to-t.from)); err != nil {
		return "", err
	}
	name = fmt.Sprintf("cut-%s-%d-%x", t.name, t.from, sum.Sum(nil)[:8])
	if slices.Contains(there, name) {
		return name, nil
	}
	return name, publish(fsys, dir, cutTemp, name, io.NewSectionReader(file, t.from, t.to-t.from))
}
