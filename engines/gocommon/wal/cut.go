package wal

import (
	"errors"

	"assay/gocommon/vfs"
)

// errCut ends the scan of Cut.
var errCut = errors.New("wal: cut here")

// Cut is for repair: it ends the log before the first frame that goes beyond
// lsn or does not verify, whether or not it was durable, and returns the end.
// from is the LSN of a snapshot below lsn. What lies behind is destroyed.
func Cut(fsys vfs.FS, dir string, id Identity, from, lsn uint64) (End, error) {
	end, err := Scan(fsys, dir, id, from, func(f *Frame) error {
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
	return end, end.cut(fsys, dir)
}
