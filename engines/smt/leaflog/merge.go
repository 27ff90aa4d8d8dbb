package leaflog

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
)

// sortChanges orders the changes of the logs by path and keeps the newest of
// each path.
func (r *replay) sortChanges() {
	slices.SortFunc(r.changes, func(a, b change) int {
		if c := cmp.Compare(a.prefix, b.prefix); c != 0 {
			return c
		}
		if c := bytes.Compare(r.path(a), r.path(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	kept := r.changes[:0]
	for i, c := range r.changes {
		if i+1 < len(r.changes) && c.prefix == r.changes[i+1].prefix && bytes.Equal(r.path(c), r.path(r.changes[i+1])) {
			continue
		}
		kept = append(kept, c)
	}
	r.changes = kept
}

func (r *replay) path(c change) []byte { return r.data[c.at : c.at+r.records.path] }

// merger gives the leaves after the last commit: those of the checkpoint with
// the sorted changes merged in.
type merger struct {
	replay     *replay
	changes    []change // still to come
	checkpoint func() (path, leafValue []byte, err error)

	path, leafValue []byte // next of the checkpoint, nil when not read
	end             bool   // of the checkpoint
}

// next gives the leaves, ascending, and then io.EOF. The slices are valid until
// the next call.
func (m *merger) next() (path, leafValue []byte, err error) {
	for {
		if m.path == nil && !m.end {
			m.path, m.leafValue, err = m.checkpoint()
			if m.end = errors.Is(err, io.EOF); err != nil && !m.end {
				return nil, nil, err
			}
		}
		order := 1 // of the next change to the next leaf of the checkpoint
		switch {
		case len(m.changes) == 0 && m.end:
			return nil, nil, io.EOF
		case m.end:
			order = -1
		case len(m.changes) > 0:
			order = bytes.Compare(m.replay.path(m.changes[0]), m.path)
		}
		if order > 0 {
			path, leafValue, m.path = m.path, m.leafValue, nil
			return path, leafValue, nil
		}
		if order == 0 {
			m.path = nil
		}
		path, leafValue, _ = m.replay.records.next(m.replay.data[m.changes[0].at:])
		m.changes = m.changes[1:]
		if leafValue != nil {
			return path, leafValue, nil
		}
	}
}
