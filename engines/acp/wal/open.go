package wal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

var magic = [8]byte([]byte("ACPWAL\x01\n"))

// Handler gets what Open finds. An error of it says that the bytes, although
// their checksums are right, make no sense: Open then fails with ErrCorrupt.
type Handler struct {
	// Snapshot gets the newest snapshot, when there is one, before any record.
	Snapshot func(r io.Reader) error
	// Record gets the records behind the snapshot, in order. The bytes are valid
	// during the call.
	Record func(record []byte) error
}

// Recovery says what Open found.
type Recovery struct {
	Created  bool     // the store is new
	Snapshot uint64   // records in the snapshot that was read
	Records  uint64   // read behind it
	CutBytes int64    // of a torn tail that was never durable, and is cut off
	Kept     []string // files that hold what was cut off
	Reason   string   // why the log ends where it does
}

// Open locks the directory, which is made when missing, passes the snapshot and
// the records behind it to the handler, cuts off a torn tail, and returns the
// log to append to. Errors: ErrLocked; ErrForeign, the directory holds other files
// and no store; ErrCorrupt for damage to what was durable,
// naming file and offset, and then nothing was changed; or the file system's.
func Open(fsys vfs.FS, dir string, o Options, h Handler) (*Log, Recovery, error) {
	if o.SegmentBytes == 0 {
		o.SegmentBytes = defaultSegmentBytes
	}
	if err := fsys.MkdirAll(dir); err != nil {
		return nil, Recovery{}, err
	}
	lock, err := fsys.Lock(dir, true)
	if errors.Is(err, vfs.ErrLocked) {
		return nil, Recovery{}, fmt.Errorf("%s: %w", dir, ErrLocked)
	}
	if err != nil {
		return nil, Recovery{}, err
	}
	l := &Log{fsys: fsys, dir: dir, sync: o.Sync, lock: lock}
	recovery, err := l.recover(o, h)
	if err != nil {
		var damage *frames.CorruptError
		if errors.As(err, &damage) {
			err = fmt.Errorf("%s: %w: %w", dir, ErrCorrupt, err)
		}
		return nil, recovery, errors.Join(err, lock.Close())
	}
	return l, recovery, nil
}

func (l *Log) recover(o Options, h Handler) (Recovery, error) {
	var r Recovery
	if err := vfs.Claim(l.fsys, l.dir, finished, unfinished); err != nil {
		return r, err
	}
	old, err := l.identify(&r)
	if err != nil {
		return r, err
	}
	if r.Snapshot > 0 {
		if err := l.readSnapshot(r.Snapshot, h.Snapshot); err != nil {
			return r, err
		}
	}
	end, err := frames.Scan(l.fsys, l.dir, l.id, r.Snapshot, func(f *frames.Frame) error {
		return l.replay(f, &r, h.Record)
	})
	if err == nil && end.LSN < r.Snapshot {
		err = &frames.CorruptError{Segment: snapshotName(r.Snapshot), LSN: end.LSN, Why: "the log ends before the snapshot"}
	}
	if err != nil {
		return r, err
	}
	r.CutBytes, r.Reason = end.TornBytes, end.Reason
	for _, name := range old {
		if err := l.fsys.Remove(path.Join(l.dir, name)); err != nil {
			return r, err
		}
	}
	l.log, err = frames.Open(frames.Options{
		FS:           l.fsys,
		Dir:          l.dir,
		Identity:     l.id,
		SegmentBytes: o.SegmentBytes,
		Mapped:       o.Sync == None,
		Go:           o.background,
	}, end, end.LSN)
	if err != nil {
		return r, err
	}
	l.saved, l.flushed, r.Kept = r.Snapshot, end.LSN, l.log.Kept()
	return r, l.removeTemporary()
}

// identify finds the newest snapshot and whose files these are, and returns the
// names of older snapshots. A new store gets an identity.
func (l *Log) identify(r *Recovery) (old []string, err error) {
	l.id.Magic = magic
	snapshots, err := listSnapshots(l.fsys, l.dir)
	if err != nil {
		return nil, err
	}
	segments, err := frames.List(l.fsys, l.dir)
	if err != nil {
		return nil, err
	}
	switch {
	case len(segments) > 0:
		header, err := frames.ReadHeader(l.fsys, l.dir, segments[0], magic)
		if err != nil {
			return nil, err
		}
		l.id = header.Identity
	case len(snapshots) > 0:
		return nil, &frames.CorruptError{Segment: frames.SegmentName(0), Why: "a snapshot without a log"}
	default:
		r.Created = true
		rand.Read(l.id.UUID[:])
		if err := frames.Create(l.fsys, l.dir, l.id); err != nil {
			return nil, err
		}
	}
	for i, seq := range snapshots {
		if i == len(snapshots)-1 {
			r.Snapshot = seq
		} else {
			old = append(old, snapshotName(seq))
		}
	}
	return old, nil
}

// replay passes the record of a frame on, unless the snapshot has it.
func (l *Log) replay(f *frames.Frame, r *Recovery, record func([]byte) error) error {
	padding := int(f.Flags)
	switch {
	case f.Type != typeRecord || f.Events != 1 || padding > min(7, len(f.Payload)):
		return &frames.CorruptError{LSN: f.LSN, Why: "not a record"}
	case f.LSN < r.Snapshot:
		return nil
	}
	r.Records++
	l.behind += int64(frames.FrameBytes(len(f.Payload)))
	if err := record(f.Payload[:len(f.Payload)-padding]); err != nil {
		return &frames.CorruptError{LSN: f.LSN, Why: err.Error()}
	}
	return nil
}
