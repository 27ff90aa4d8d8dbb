package pool

import (
	"errors"
	"fmt"

	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

// replayer re-executes logged events on a state and compares the draws.
type replayer struct {
	state *core.State
	lsn   uint64 // events applied or pending
	draws uint64

	pending []uint32 // draws logged and not yet reproduced
	column  []uint32

	// atSnapshot, when set, is called with the LSN before each event frame.
	atSnapshot func(lsn uint64) error
}

// pendingDraws is how many lone draws are reproduced together.
const pendingDraws = 4096

func newReplayer(state *core.State, lsn uint64) *replayer {
	return &replayer{state: state, lsn: lsn, pending: make([]uint32, 0, pendingDraws)}
}

// apply takes the next frame of a scan; frames below the state are passed over.
func (r *replayer) apply(f *wal.Frame) error {
	if f.LSN < r.lsn {
		if f.LSN+uint64(f.Events) > r.lsn {
			return badFrame(f, errors.New("the frame spans the snapshot"))
		}
		return nil
	}
	if r.atSnapshot != nil {
		if err := r.atSnapshot(f.LSN); err != nil {
			return err
		}
	}
	r.lsn += uint64(f.Events)
	if f.Type == wal.TypeLone {
		r.pending = append(r.pending, f.Value)
		if len(r.pending) == pendingDraws {
			return r.flush()
		}
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	if err := r.applyLong(f); err != nil {
		var corrupt *wal.CorruptError
		if errors.As(err, &corrupt) {
			return err
		}
		return badFrame(f, err)
	}
	return nil
}

func (r *replayer) applyLong(f *wal.Frame) error {
	var err error
	switch f.Type {
	case typeDraws:
		if r.column, err = readColumn(r.column[:0], f); err != nil {
			return err
		}
		return r.reproduce(r.column, f.LSN)
	case typeRequest:
		id, item, err := readRequest(f)
		if err != nil {
			return err
		}
		if err := r.reproduce([]uint32{item}, f.LSN); err != nil {
			return err
		}
		r.state.RememberRequest(id, item)
		return nil
	case typeUpdate:
		id, u, err := readUpdate(f)
		if err != nil {
			return err
		}
		return r.state.Update(id, u)
	case typeAdd:
		it, err := readAdd(f)
		if err != nil {
			return err
		}
		return r.state.Add(it)
	case typeRetire:
		id, err := readRetire(f)
		if err != nil {
			return err
		}
		return r.state.Retire(id)
	case typeSnapshot:
		_, _, err := readSnapshotMark(f)
		return err
	}
	return errors.New("unknown type")
}

// flush reproduces the pending lone draws.
func (r *replayer) flush() error {
	want := r.pending
	r.pending = r.pending[:0]
	return r.reproduce(want, r.lsn-uint64(len(want)))
}

func (r *replayer) reproduce(want []uint32, lsn uint64) error {
	err := r.state.Reproduce(want)
	var diverged *core.DivergedError
	if errors.As(err, &diverged) {
		return &wal.CorruptError{LSN: lsn + uint64(diverged.Index), Why: fmt.Sprint("replay: ", err)}
	}
	r.draws += uint64(len(want))
	return err
}
