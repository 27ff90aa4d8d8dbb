package pool

import (
	"errors"
	"fmt"
	"time"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

// RecoveryReport says what Open found.
type RecoveryReport struct {
	Created        bool          // the pool is new
	SnapshotLSN    uint64        // events in the snapshot that was loaded
	LSN            uint64        // events in the recovered state
	Frames         uint64        // read from the log
	Draws          uint64        // re-executed and compared
	TruncatedBytes int64         // of a torn tail, never acknowledged as durable
	Reason         string        // why the log ends where it does
	Kept           []string      // files that hold what was cut off, when opened for writing
	Elapsed        time.Duration // of the recovery
}

// recovered is what the files of a pool say.
type recovered struct {
	uuid   wal.UUID
	state  *core.State
	end    wal.End
	report RecoveryReport
}

// recoverPool loads the newest snapshot that verifies and replays the log
// behind it. It writes nothing. The error is ErrNotPool when there is no
// snapshot and no log.
func recoverPool(fsys vfs.FS, dir string) (recovered, error) {
	start := time.Now()
	snapshots, err := listSnapshots(fsys, dir)
	if err != nil {
		return recovered{}, err
	}
	if len(snapshots) == 0 {
		return recovered{}, noSnapshot(fsys, dir)
	}
	snap, state, err := newestSnapshot(fsys, dir, snapshots)
	if err != nil {
		return recovered{}, err
	}
	r := newReplayer(state, snap.lsn)
	end, err := wal.Scan(fsys, dir, identity(snap.uuid), snap.lsn, r.apply)
	if err == nil {
		err = r.flush()
	}
	if err != nil {
		return recovered{}, err
	}
	if err := beyondLog(&snap, end.LSN); err != nil {
		return recovered{}, err
	}
	// A newer snapshot that does not verify is replaced by the log, which must
	// therefore reach it.
	if newest := snapshots[0]; r.lsn < newest {
		return recovered{}, &wal.CorruptError{Segment: snapshotName(newest), LSN: newest,
			Why: fmt.Sprintf("snapshot does not verify and the log ends at lsn %d", r.lsn)}
	}
	return recovered{uuid: snap.uuid, state: state, end: end, report: RecoveryReport{
		SnapshotLSN:    snap.lsn,
		LSN:            r.lsn,
		Frames:         end.Frames,
		Draws:          r.draws,
		TruncatedBytes: end.TornBytes,
		Reason:         end.Reason,
		Elapsed:        time.Since(start),
	}}, nil
}

// beyondLog refuses a snapshot that lies beyond the end of the log. Only None
// saves one there: the other modes sync the log first.
func beyondLog(s *snapshot, end uint64) error {
	if s.mode == None || s.lsn <= end {
		return nil
	}
	return &wal.CorruptError{Segment: snapshotName(s.lsn), LSN: end,
		Why: fmt.Sprintf("the snapshot was saved at lsn %d in mode %s, but the log ends before", s.lsn, s.mode)}
}

// newestSnapshot returns the first of the snapshots that verifies, or the error
// of the first when none does.
func newestSnapshot(fsys vfs.FS, dir string, lsns []uint64) (snapshot, *core.State, error) {
	var first error
	for _, lsn := range lsns {
		snap, state, err := readSnapshot(fsys, dir, lsn)
		if err == nil {
			return snap, state, nil
		}
		var corrupt *wal.CorruptError
		if !errors.As(err, &corrupt) {
			return snapshot{}, nil, err
		}
		if first == nil {
			first = err
		}
	}
	return snapshot{}, nil, first
}

func noSnapshot(fsys vfs.FS, dir string) error {
	segments, err := wal.List(fsys, dir)
	if err != nil {
		return err
	}
	if len(segments) > 0 {
		return &wal.CorruptError{Segment: segments[0].Name, Why: "a log without a snapshot"}
	}
	begun, err := wal.Begun(fsys, dir)
	if err != nil {
		return err
	}
	if begun {
		return &wal.CorruptError{Segment: wal.MarkName, Why: "the snapshots and the log are missing"}
	}
	return ErrNotPool
}
