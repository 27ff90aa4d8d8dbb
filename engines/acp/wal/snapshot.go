package wal

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

// Snapshot saves the state after the first seq records, as write writes it, and
// drops the log before it. It may run beside Append: write has its own view of
// that state. When it fails with ErrNotSaved the store goes on without the snapshot.
func (l *Log) Snapshot(seq uint64, write func(io.Writer) error) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	// So that the log of a store never ends before its snapshot.
	if err := l.Sync(); err != nil {
		return err
	}
	l.mu.Lock()
	before, logged := l.saved, int64(l.log.Bytes())
	l.mu.Unlock()
	if seq <= before {
		return nil
	}
	if err := l.writeSnapshot(seq, write); err != nil {
		return notSaved(err)
	}
	l.mu.Lock()
	l.saved, l.behind = seq, -logged
	l.mu.Unlock()
	if before > 0 {
		if err := l.fsys.Remove(path.Join(l.dir, snapshotName(before))); err != nil {
			return notSaved(err)
		}
	}
	return notSaved(frames.Remove(l.fsys, l.dir, seq))
}

// notSaved says of an error that no record was lost by it.
func notSaved(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrNotSaved, err)
}

// writeSnapshot publishes a snapshot: a complete durable file, then its name.
func (l *Log) writeSnapshot(seq uint64, write func(io.Writer) error) error {
	name := path.Join(l.dir, snapshotName(seq))
	temporary := path.Join(l.dir, fmt.Sprintf(temporaryForm, seq))
	file, err := l.fsys.Create(temporary)
	if err != nil {
		return err
	}
	w := newBlockWriter(file, l.id.UUID, seq)
	if err = write(w); err == nil {
		err = w.end()
	}
	if err == nil {
		err = file.Datasync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, l.fsys.Remove(temporary))
	}
	if err := l.fsys.Rename(temporary, name); err != nil {
		return err
	}
	return l.fsys.SyncDir(l.dir)
}

// readSnapshot passes the snapshot to load.
func (l *Log) readSnapshot(seq uint64, load func(io.Reader) error) error {
	name := snapshotName(seq)
	file, err := l.fsys.Open(path.Join(l.dir, name), false)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := newBlockReader(file, name, l.id.UUID, seq)
	if err != nil {
		return err
	}
	err = load(r)
	switch {
	case r.err != nil && r.err != io.EOF:
		return r.err
	case err != nil:
		return &frames.CorruptError{Segment: name, LSN: seq, Why: err.Error()}
	}
	return r.atEnd()
}

const (
	snapshotForm  = "snap-%016x.snap"
	temporaryForm = snapshotForm + ".tmp"
)

func snapshotName(seq uint64) string { return fmt.Sprintf(snapshotForm, seq) }

// listSnapshots returns the numbers of the snapshots in dir, ascending.
func listSnapshots(fsys vfs.FS, dir string) ([]uint64, error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, name := range names {
		if !strings.HasPrefix(name, "snap-") || strings.HasSuffix(name, ".tmp") {
			continue
		}
		var seq uint64
		if _, err := fmt.Sscanf(name, "snap-%x.snap", &seq); err != nil || name != snapshotName(seq) {
			return nil, &frames.CorruptError{Segment: name, Why: "not the name of a snapshot"}
		}
		out = append(out, seq)
	}
	return out, nil
}

// finished tells a file of a store: a segment, the mark of the log or a snapshot.
func finished(name string) bool {
	return isName(name, snapshotForm) || name == frames.MarkName || frames.IsSegment(name)
}

// unfinished tells a file that lost its writer before it got its name.
func unfinished(name string) bool { return isName(name, temporaryForm) || frames.IsTemporary(name) }

// removeTemporary removes the snapshots that were not completed. Files of others stay.
func (l *Log) removeTemporary() error {
	names, err := l.fsys.ReadDir(l.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isName(name, temporaryForm) {
			if err := l.fsys.Remove(path.Join(l.dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func isName(name, form string) bool {
	var number uint64
	_, err := fmt.Sscanf(name, form, &number)
	return err == nil && name == fmt.Sprintf(form, number)
}
