// Package wal is the write-ahead log: segments of checksummed frames. It knows
// nothing of what the engine logs: a frame has a type, a payload and a number of
// events, and its LSN is the number of events logged before it. The FORMAT.md of
// an engine that uses it has the bytes.
package wal

import (
	"errors"
	"path"
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
	syncs   atomic.Uint64
	bytes   uint64     // of frames, in this process
	size    uint64     // of the segments, from the one Open continued on
	behind  []*segment // full ones that were not synced (mapped mode and Commit)
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
		seg, err := prepare(l.opt.FS, l.opt.Dir, h, l.opt.Mapped)
		next <- prepared{seg, err}
	})
}

// Rotate ends the segment with a SEAL and begins the next one. A segment
// without events stays, since the next one would have its name.
func (l *Log) Rotate() error {
	if l.lsn == l.seg.FirstLSN {
		return nil
	}
	if l.next == nil {
		l.prepareNext()
	}
	p := <-l.next
	if p.err != nil {
		l.next = nil
		return p.err
	}
	l.grow(0)
	p.seg.PrevSeal = l.append(TypeSeal, 0, 0, 0)
	l.next = nil
	p.seg.FirstLSN = l.lsn
	p.seg.DurableLSN = l.durable.Load()
	if l.opt.Mapped {
		if err := l.leave(l.seg); err != nil {
			return err
		}
		if err := p.seg.activate(l.opt.FS, l.opt.Dir); err != nil {
			return err
		}
	}
	l.enter(p.seg, HeaderBytes)
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

// Close releases the files. What was not flushed or synced stays so.
func (l *Log) Close() error {
	err := l.seg.close()
	for _, seg := range l.behind {
		err = errors.Join(err, seg.close())
	}
	if l.next != nil {
		if p := <-l.next; p.err == nil {
			p.seg.close()
			l.opt.FS.Remove(path.Join(l.opt.Dir, preparedName(p.seg.Number)))
		}
	}
	return err
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
