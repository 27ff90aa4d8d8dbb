// Package wal is the write-ahead log: segments of checksummed frames. It knows
// nothing of what the engine logs: a frame has a type, a payload and a number of
// events, and its LSN is the number of events logged before it. The FORMAT.md of
// an engine that uses it has the bytes.
package wal

import (
	"errors"
	"path"
	"sync"
	"sync/atomic"

	"assay/gocommon/vfs"
)

// Options of a log.
type Options struct {
	FS           vfs.FS
	Dir          string
	Identity     Identity
	SegmentBytes int64 // size of new segments, a multiple of 4096
	Mapped       bool  // frames are stored into a shared mapping instead of a buffer
	// Go runs the preparation of the next segment; nil means a new goroutine.
	Go func(func())
	// Sealed, when set, is called by the appender after it began a new segment.
	Sealed func()
}

// Log appends frames. Its methods are in two groups. The appender (Reserve,
// Append, Lone, Take, Commit, Rotate) needs the caller's lock; none of it waits
// for the disk unless it begins a segment. Flush writes what Take detached and
// may run beside the appender: one Flush at a time, in the order of the Takes.
type Log struct {
	opt Options

	// Where the next frame goes. In mapped mode buf is the mapping of the
	// segment; otherwise it is the buffer of the batch being filled.
	buf  []byte
	pos  int
	left int // bytes left in the segment, without the room of its SEAL
	salt uint32
	lsn  uint64
	seg  *segment

	batch *Batch      // nil in mapped mode
	free  chan *Batch // written batches, for reuse
	next  chan prepared

	durable atomic.Uint64
	named   atomic.Uint64 // number of the last segment that has its name
	syncs   atomic.Uint64

	marking sync.Mutex // of mark
	mark    mark       // as on disk
	ready   uint64     // number of the segment that the process before left prepared, or 0

	kept   []string   // copies of what Open cut off
	bytes  uint64     // of frames, in this process
	size   uint64     // of the segments, from the one Open continued on
	behind []*segment // full ones that were not synced (mapped mode and Commit)
}

type prepared struct {
	seg *segment
	err error
}

// LSN returns the number of events appended so far.
func (l *Log) LSN() uint64 { return l.lsn }

// DurableLSN returns the number of events that survive a power loss. It may be
// called at any time.
func (l *Log) DurableLSN() uint64 { return l.durable.Load() }

// Syncs returns the number of fdatasync calls on segments that made frames
// durable. It may be called at any time.
func (l *Log) Syncs() uint64 { return l.syncs.Load() }

// Bytes returns the bytes of frames appended by this process.
func (l *Log) Bytes() uint64 { return l.bytes }

// Size returns the bytes used in the files of the log, headers included, from
// the segment that Open continued.
func (l *Log) Size() uint64 { return l.size + l.bytes }

// Kept returns the names of the copies of the torn tail that Open cut off.
func (l *Log) Kept() []string { return l.kept }

// Fits reports whether a frame with the payload fits in an empty segment.
func (l *Log) Fits(payload int) bool {
	return payload <= MaxPayload && int64(FrameBytes(payload)) <= l.opt.SegmentBytes-HeaderBytes-sealBytes
}

// Reserve makes room for one frame of the payload's size, beginning a segment
// when the current one is full. The next Append or Lone cannot fail.
func (l *Log) Reserve(payload int) error {
	if n := FrameBytes(payload); n > l.left || l.pos+n+sealBytes > len(l.buf) {
		return l.makeRoom(n)
	}
	return nil
}

func (l *Log) makeRoom(n int) error {
	if n > l.left {
		if err := l.Rotate(); err != nil {
			return err
		}
	}
	l.grow(n)
	return nil
}

// grow makes room in the batch's buffer for a frame of n bytes and a SEAL. A
// mapping has that room as long as n bytes are left.
func (l *Log) grow(n int) {
	if need := l.pos + n + sealBytes; need > len(l.buf) {
		larger := make([]byte, max(need, 2*len(l.buf)))
		copy(larger, l.buf[:l.pos])
		l.buf = larger
	}
}

// Payload returns the place of the payload of the frame to come, of n bytes.
func (l *Log) Payload(n int) []byte {
	return l.buf[l.pos+frameHeader : l.pos+frameHeader+n]
}

// Append adds the frame whose payload of n bytes was put into Payload.
func (l *Log) Append(typ, flags byte, events uint32, n int) {
	l.append(typ, flags, events, n)
}

func (l *Log) append(typ, flags byte, events uint32, n int) (crc uint32) {
	size := FrameBytes(n)
	b := l.buf[l.pos : l.pos+size]
	clear(b[frameHeader+n:])
	crc = putFrame(b, l.salt, typ, flags, events, l.lsn, l.durable.Load())
	l.advance(size, uint64(events))
	return crc
}

// Lone adds a short frame: one event with the value, at most MaxLone.
func (l *Log) Lone(value uint32) {
	putLone(l.buf[l.pos:l.pos+loneBytes], l.salt, value, l.lsn, l.durable.Load())
	l.advance(loneBytes, 1)
}

func (l *Log) advance(size int, events uint64) {
	l.pos += size
	l.left -= size
	l.lsn += events
	l.bytes += uint64(size)
	if l.next == nil && int64(l.left) < (l.opt.SegmentBytes-HeaderBytes)/16*15 {
		l.prepareNext()
	}
}

func (l *Log) prepareNext() {
	h := Header{Identity: l.opt.Identity, Number: l.seg.Number + 1, SegmentBytes: l.opt.SegmentBytes}
	next := make(chan prepared, 1)
	l.next = next
	l.opt.Go(func() {
		err := l.Mark() // here, since nobody waits for it
		var seg *segment
		if err == nil {
			seg, err = l.prepare(h)
		}
		next <- prepared{seg, err}
	})
}

// takeNext returns the prepared segment. What its preparation lacked may be
// there by now, such as space: it is tried again when the segment is needed.
func (l *Log) takeNext() (*segment, error) {
	if l.next != nil {
		if p := <-l.next; p.err == nil {
			return p.seg, nil
		}
	}
	l.prepareNext()
	p := <-l.next
	return p.seg, p.err
}

// Mark records what is durable in a file beside the segments, as proof when one
// of them is lost. It may be called at any time.
func (l *Log) Mark() error { return l.writeMark(0) }

// writeMark is Mark and names the segment that is ready for the next process.
func (l *Log) writeMark(ready uint64) error {
	l.marking.Lock()
	defer l.marking.Unlock()
	m := l.mark
	m.lsn, m.number, m.ready = max(m.lsn, l.durable.Load()), max(m.number, l.named.Load()), ready
	if m == l.mark {
		return nil
	}
	m.writes++
	if err := m.write(l.opt.FS, l.opt.Dir); err != nil {
		return err
	}
	l.mark = m
	return nil
}

// Rotate ends the segment with a SEAL and begins the next one. A segment
// without events stays, since the next one would have its name.
func (l *Log) Rotate() error {
	if l.lsn == l.seg.FirstLSN {
		return nil
	}
	seg, err := l.takeNext()
	if err != nil {
		l.next = nil
		return err
	}
	l.grow(0)
	seg.PrevSeal = l.append(TypeSeal, 0, 0, 0)
	l.next = nil // only now: the SEAL would have another prepared
	seg.FirstLSN = l.lsn
	seg.DurableLSN = l.durable.Load()
	if l.opt.Mapped {
		if err := l.leave(l.seg); err != nil {
			return err
		}
		if err := l.activate(seg); err != nil {
			return err
		}
	}
	l.enter(seg, HeaderBytes)
	if l.opt.Sealed != nil {
		l.opt.Sealed()
	}
	return nil
}

// enter makes seg the segment that takes the next frame, at offset.
func (l *Log) enter(seg *segment, offset int64) {
	l.seg = seg
	l.salt = seg.salt()
	l.left = int(seg.SegmentBytes-offset) - sealBytes
	l.size += uint64(offset)
	if l.opt.Mapped {
		l.buf, l.pos = seg.mapping, int(offset)
		return
	}
	if l.batch == nil {
		l.batch = &Batch{}
	}
	l.endPart()
	l.batch.parts = append(l.batch.parts, part{seg: seg, offset: offset, start: l.pos})
}

// maxBehind bounds the descriptors of the segments left behind.
const maxBehind = 64

// leave keeps a full segment that was not synced. It stays open until its sync:
// Linux may forget a failed write-back once no descriptor is open.
func (l *Log) leave(seg *segment) error {
	l.behind = append(l.behind, seg)
	if len(l.behind) < maxBehind {
		return nil
	}
	return l.syncBehind()
}

// syncBehind syncs and closes the full segments left behind.
func (l *Log) syncBehind() error {
	full := l.behind
	l.behind = nil
	return l.syncFull(full)
}

func (l *Log) syncFull(full []*segment) (err error) {
	for _, seg := range full {
		if err == nil {
			err = seg.file.Datasync()
			l.syncs.Add(1)
		}
		err = errors.Join(err, seg.close())
	}
	return err
}

// Unsynced returns the sync of what is written and not synced, and the LSN that
// is durable once sync and then MarkDurable are done. It belongs to the
// appender; sync needs no lock and must be called.
func (l *Log) Unsynced() (sync func() error, lsn uint64) {
	full, current := l.behind, path.Join(l.opt.Dir, SegmentName(l.seg.FirstLSN))
	l.behind = nil
	return func() error {
		if err := l.syncFull(full); err != nil {
			return err
		}
		// By name, since the appender may leave and close it meanwhile.
		if err := syncFile(l.opt.FS, current); err != nil {
			return err
		}
		l.syncs.Add(1)
		return nil
	}, l.lsn
}

// MarkDurable records the outcome of a sync; it belongs to the appender.
func (l *Log) MarkDurable(lsn uint64) {
	l.durable.Store(max(lsn, l.durable.Load()))
}

// syncTo syncs the full segments left behind and seg.
func (l *Log) syncTo(seg *segment, lsn uint64) error {
	if err := l.syncBehind(); err != nil {
		return err
	}
	if err := seg.file.Datasync(); err != nil {
		return err
	}
	l.syncs.Add(1)
	l.durable.Store(lsn)
	return nil
}

// Close marks what is durable and releases the files. What was not flushed or
// synced stays so. The segment that was prepared stays for the next process.
func (l *Log) Close() error {
	err := l.seg.close()
	for _, seg := range l.behind {
		err = errors.Join(err, seg.close())
	}
	ready := uint64(0)
	if l.next != nil {
		if p := <-l.next; p.err == nil {
			serr := p.seg.file.Datasync()
			if serr == nil {
				ready = p.seg.Number
			}
			err = errors.Join(err, serr, p.seg.close())
		}
	} else if l.ready == l.seg.Number+1 {
		ready = l.ready
	}
	return errors.Join(err, l.writeMark(ready))
}

func syncFile(fsys vfs.FS, name string) error {
	f, err := fsys.Open(name, true)
	if err != nil {
		return err
	}
	err = f.Datasync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
