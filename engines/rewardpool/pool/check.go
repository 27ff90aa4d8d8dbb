package pool

import (
	"errors"
	"fmt"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

// Report says what Check, Verify or Repair found.
type Report struct {
	Snapshots      int      // that verify
	Segments       int      // of the log
	Frames         uint64   // read
	Draws          uint64   // re-executed and compared
	FirstLSN       uint64   // where the history begins: the oldest snapshot
	LSN            uint64   // where it ends
	TruncatedBytes int64    // torn tail that Open would cut, or that Repair cut
	Reason         string   // of the end
	StateHash      [32]byte // at the end
	Copies         []string // made by Repair
}

// Check verifies all snapshots and the frames of the log from the oldest
// snapshot on, without executing draws; Draws and StateHash stay zero. It
// writes nothing. The error is a *wal.CorruptError for damage, ErrLocked while
// another process has the pool open for writing.
func Check(dir string) (Report, error) { return inspect(vfs.OS{}, dir, false) }

// Verify does what Check does, re-executes the history from the oldest
// snapshot, compares each draw with the logged one, and compares the state
// with each later snapshot.
func Verify(dir string) (Report, error) { return inspect(vfs.OS{}, dir, true) }

func inspect(fsys vfs.FS, dir string, execute bool) (rep Report, err error) {
	cfg := Config{FS: fsys, ReadOnly: true}
	lock, err := lockDir(&cfg, dir)
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	h, err := openHistory(fsys, dir)
	if err != nil {
		return rep, err
	}
	rep.Snapshots, rep.FirstLSN = len(h.hashes), h.oldest.lsn
	segments, err := wal.List(fsys, dir)
	if err != nil {
		return rep, err
	}
	rep.Segments = len(segments)
	r := newReplayer(h.state, h.oldest.lsn)
	step := h.checkMark
	if execute {
		r.atSnapshot = func(lsn uint64) error { return h.compare(r, lsn) }
		step = func(f *wal.Frame) error { return errors.Join(h.checkMark(f), r.apply(f)) }
	}
	end, err := wal.Scan(fsys, dir, identity(h.oldest.uuid), h.oldest.lsn, step)
	rep.Frames, rep.LSN, rep.TruncatedBytes, rep.Reason = end.Frames, end.LSN, end.TornBytes, end.Reason
	if err == nil && execute {
		if err = r.flush(); err == nil {
			err = h.compare(r, end.LSN)
		}
		rep.Draws, rep.StateHash = r.draws, h.state.Hash()
	}
	if err == nil {
		err = beyondLog(&h.logged, end.LSN)
	}
	if err == nil && end.LSN < h.newest {
		// Snapshots of mode None lie beyond the log.
		rep.LSN, rep.Reason = h.newest, "snapshot"
		if execute {
			rep.StateHash = h.hashes[h.newest]
		}
	}
	return rep, err
}

// history is the state of the oldest snapshot and the hashes of all.
type history struct {
	oldest snapshot
	state  *core.State
	newest uint64
	logged snapshot // the newest of a mode with a log
	hashes map[uint64][32]byte
}

func openHistory(fsys vfs.FS, dir string) (h history, err error) {
	lsns, err := listSnapshots(fsys, dir)
	if err != nil {
		return h, err
	}
	if len(lsns) == 0 {
		return h, noSnapshot(fsys, dir)
	}
	h.newest, h.hashes = lsns[0], map[uint64][32]byte{}
	for _, lsn := range lsns {
		if h.oldest, h.state, err = readSnapshot(fsys, dir, lsn); err != nil {
			return h, err
		}
		h.hashes[lsn] = h.oldest.hash
		h.oldest.body = nil
		if h.oldest.mode != None && h.oldest.lsn >= h.logged.lsn {
			h.logged = h.oldest
		}
	}
	return h, nil
}

// checkMark compares the mark of a snapshot with the file, when it is there.
func (h *history) checkMark(f *wal.Frame) error {
	if f.Type != typeSnapshot {
		return nil
	}
	lsn, hash, err := readSnapshotMark(f)
	if err != nil {
		return badFrame(f, err)
	}
	if file, ok := h.hashes[lsn]; ok && file != hash {
		return badFrame(f, fmt.Errorf("the snapshot at lsn %d is not the one that was logged", lsn))
	}
	return nil
}

// compare compares the state replayed to lsn with the snapshot taken there.
func (h *history) compare(r *replayer, lsn uint64) error {
	want, ok := h.hashes[lsn]
	if !ok {
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	if h.state.Hash() != want {
		return &wal.CorruptError{Segment: snapshotName(lsn), LSN: lsn, Why: "the state replayed to it has another hash"}
	}
	return nil
}
