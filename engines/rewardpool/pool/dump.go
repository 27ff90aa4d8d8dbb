package pool

import (
	"errors"
	"iter"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

// EventKind is what an event of the history is.
type EventKind uint8

const (
	EventDraw     EventKind = iota // Item, ItemID and, for DrawID, Request
	EventUpdate                    // ItemID and Update
	EventAdd                       // Item, ItemID and Added
	EventRetire                    // ItemID
	EventSnapshot                  // SnapshotLSN
)

// String returns the name used in dumps.
func (k EventKind) String() string {
	return [...]string{"draw", "update", "add", "retire", "snapshot"}[k]
}

// Event is one entry of the history. Fields that its kind does not name are zero.
type Event struct {
	LSN         uint64 // events before this one
	Kind        EventKind
	Item        uint32
	ItemID      string
	Request     *core.RequestID
	Update      core.Update
	Added       core.Item
	SnapshotLSN uint64
}

// errStop ends a scan whose consumer had enough.
var errStop = errors.New("pool: stop")

// Dump returns the logged events from the oldest snapshot on, in order. It
// executes nothing and writes nothing. An error ends the sequence.
func Dump(dir string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := dump(vfs.OS{}, dir, yield); err != nil && !errors.Is(err, errStop) {
			yield(Event{}, err)
		}
	}
}

func dump(fsys vfs.FS, dir string, yield func(Event, error) bool) (err error) {
	cfg := Config{FS: fsys, ReadOnly: true}
	lock, err := lockDir(&cfg, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	h, err := openHistory(fsys, dir)
	if err != nil {
		return err
	}
	d := dumper{yield: yield}
	for i := range h.state.Len() {
		d.ids = append(d.ids, h.state.ID(uint32(i)))
	}
	_, err = wal.Scan(fsys, dir, identity(h.oldest.uuid), h.oldest.lsn, func(f *wal.Frame) error {
		if f.LSN < h.oldest.lsn {
			return nil
		}
		return d.frame(f)
	})
	return err
}

type dumper struct {
	yield  func(Event, error) bool
	ids    []string
	column []uint32
}

func (d *dumper) frame(f *wal.Frame) error {
	e := Event{LSN: f.LSN}
	var err error
	switch f.Type {
	case wal.TypeLone:
		return d.draws(e, []uint32{f.Value}, f)
	case typeDraws:
		if d.column, err = readColumn(d.column[:0], f); err != nil {
			return badFrame(f, err)
		}
		return d.draws(e, d.column, f)
	case typeRequest:
		id, item, err := readRequest(f)
		if err != nil {
			return badFrame(f, err)
		}
		e.Request = &id
		return d.draws(e, []uint32{item}, f)
	case typeUpdate:
		e.Kind = EventUpdate
		e.ItemID, e.Update, err = readUpdate(f)
	case typeAdd:
		e.Kind, e.Item = EventAdd, uint32(len(d.ids))
		e.Added, err = readAdd(f)
		e.ItemID = e.Added.ID
		d.ids = append(d.ids, e.ItemID)
	case typeRetire:
		e.Kind = EventRetire
		e.ItemID, err = readRetire(f)
	case typeSnapshot:
		e.Kind = EventSnapshot
		e.SnapshotLSN, _, err = readSnapshotMark(f)
	default:
		err = errors.New("unknown type")
	}
	if err != nil {
		return badFrame(f, err)
	}
	return d.emit(e)
}

func (d *dumper) draws(e Event, items []uint32, f *wal.Frame) error {
	for _, item := range items {
		if int64(item) >= int64(len(d.ids)) {
			return badFrame(f, core.ErrUnknownItem)
		}
		e.Item, e.ItemID = item, d.ids[item]
		if err := d.emit(e); err != nil {
			return err
		}
		e.LSN++
	}
	return nil
}

func (d *dumper) emit(e Event) error {
	if !d.yield(e, nil) {
		return errStop
	}
	return nil
}
