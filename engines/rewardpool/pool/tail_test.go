package pool

import (
	"bytes"
	"errors"
	"path"
	"testing"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
)

// logged is a pool in the middle of a segment, with the place of each frame.
type logged struct {
	mem     *vfs.Mem
	history []*model // model i is the state before frame i
	offsets []int    // of frame i; the last one is the end of the log
	name    string   // of the segment
	bytes   []byte
}

// logFrames logs draws with the seed, each synced by itself, and leaves the pool
// as the end of its process does.
func logFrames(t *testing.T, seed byte, draws []int) logged {
	t.Helper()
	l := logged{mem: vfs.NewMem(), name: path.Join(testDir, wal.SegmentName(0))}
	cfg := testConfig(l.mem, Each)
	cfg.Seed = &[32]byte{seed}
	p, _, err := Open(testDir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(cfg.Items)
	mark := func() {
		m.lsn = p.Stats().LSN
		l.history = append(l.history, m.clone())
		l.offsets = append(l.offsets, int(p.Stats().WALFileSize))
	}
	mark()
	for i, n := range draws {
		dst := make([]uint32, n)
		if n == 0 {
			item, _, err := p.DrawID(requestID(uint64(i + 1)))
			if err != nil {
				t.Fatal(err)
			}
			dst, m.requests[requestID(uint64(i+1))] = []uint32{item}, item
		} else if _, err := p.DrawN(dst); err != nil {
			t.Fatal(err)
		}
		for _, item := range dst {
			m.draw(item)
		}
		mark()
	}
	left := l.mem.Crash(vfs.KeepAll, nil)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	l.mem = left
	if l.bytes, err = readFile(l.mem, l.name); err != nil {
		t.Fatal(err)
	}
	return l
}

// damaged opens a copy of the pool whose segment has other bytes, and requires
// a prefix of the history or a *wal.CorruptError that names the segment.
func (l *logged) damaged(t *testing.T, segment []byte, what string, args ...any) (report RecoveryReport, corrupt bool) {
	t.Helper()
	mem := l.mem.Crash(vfs.KeepAll, nil)
	f, err := mem.Create(l.name)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt(segment, 0)
	f.Datasync()
	p, report, err := Open(testDir, testConfig(mem, Group))
	var damage *wal.CorruptError
	if errors.As(err, &damage) && damage.Segment == wal.SegmentName(0) {
		return report, true
	}
	if err != nil {
		t.Fatalf(what+": %v", append(args, err)...)
	}
	found := false
	for _, m := range l.history {
		if m.lsn == report.LSN {
			found = m.same(p) == nil
		}
	}
	if !found {
		t.Fatalf(what+": recovered lsn %d, which is not a prefix", append(args, report.LSN)...)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := consistent(mem.Crash(vfs.KeepNone, nil), testConfig(mem, Group), l.history, report.LSN); err != nil {
		t.Fatalf(what+": opened again: %v", append(args, err)...)
	}
	return report, false
}

var someFrames = []int{3, 1, 20, 0, 7, 1, 1, 0, 30}

// A segment that is cut short has lost what was behind, wherever it is cut.
func TestTruncationAtEveryByte(t *testing.T) {
	l := logFrames(t, 1, someFrames)
	end := l.offsets[len(l.offsets)-1]
	for size := range len(l.bytes) {
		if size > end && size%997 > 0 && size < len(l.bytes)-1 {
			continue
		}
		if report, corrupt := l.damaged(t, l.bytes[:size], "cut at %d", size); !corrupt {
			t.Fatalf("cut at %d: opened at lsn %d", size, report.LSN)
		}
	}
	if report, corrupt := l.damaged(t, append(bytes.Clone(l.bytes), 0), "one byte more"); !corrupt {
		t.Fatalf("one byte more: opened at lsn %d", report.LSN)
	}
}

// A flipped bit in the header or in a frame is found. Every frame but the last
// is known to have been durable: damage there is an error, never a shorter log.
func TestBitFlipAtEveryByte(t *testing.T) {
	l := logFrames(t, 1, someFrames)
	last, end := l.offsets[len(l.offsets)-2], l.offsets[len(l.offsets)-1]
	flip := func(at, bit int) {
		segment := bytes.Clone(l.bytes)
		segment[at] ^= 1 << bit
		report, corrupt := l.damaged(t, segment, "bit %d of byte %d flipped", bit, at)
		if at < last && !corrupt {
			t.Fatalf("bit %d of byte %d flipped, below the durable lsn: opened at lsn %d", bit, at, report.LSN)
		}
		if at >= last && (corrupt || report.LSN != l.history[len(l.history)-2].lsn) {
			t.Fatalf("bit %d of byte %d flipped in the last frame: lsn %d, corrupt %v", bit, at, report.LSN, corrupt)
		}
	}
	for at := range 72 {
		for bit := range 8 {
			flip(at, bit)
		}
	}
	for at := l.offsets[len(l.offsets)-5]; at < end; at++ {
		for bit := range 8 {
			flip(at, bit)
		}
	}
}

// Garbage, zeros and the frames of another pool or segment behind the end are
// a torn tail.
func TestForeignTail(t *testing.T) {
	l := logFrames(t, 1, someFrames)
	foreign := logFrames(t, 9, append(someFrames, 5, 1, 2))
	end := l.offsets[len(l.offsets)-1]
	if end != foreign.offsets[len(l.offsets)-1] {
		t.Fatal("the pools do not have the same layout")
	}
	splice := append(bytes.Clone(l.bytes[:end]), foreign.bytes[end:]...)
	report, corrupt := l.damaged(t, splice, "frames of another pool behind the end")
	if corrupt || report.LSN != l.history[len(l.history)-1].lsn || report.TruncatedBytes == 0 || len(report.Kept) != 1 {
		t.Fatalf("frames of another pool behind the end: %+v, corrupt %v", report, corrupt)
	}
	garbage := bytes.Clone(l.bytes)
	for i := end; i < len(garbage); i++ {
		garbage[i] = byte(i*i>>3) | 1
	}
	if report, corrupt := l.damaged(t, garbage, "garbage"); corrupt || report.TruncatedBytes < int64(len(garbage)-end-8) {
		t.Fatalf("garbage behind the end: %+v, corrupt %v", report, corrupt)
	}
}

// A segment of another pool is refused, even with the right name.
func TestForeignSegment(t *testing.T) {
	l, foreign := logFrames(t, 1, someFrames), logFrames(t, 9, someFrames)
	if _, corrupt := l.damaged(t, foreign.bytes, "segment of another pool"); !corrupt {
		t.Fatal("a segment of another pool was accepted")
	}
}

// What a torn tail held does not come back behind later draws.
func TestTailIsZeroedBeforeTheFirstAppend(t *testing.T) {
	l := logFrames(t, 1, someFrames)
	end := l.offsets[len(l.offsets)-1]
	cut := l.offsets[4]
	segment := bytes.Clone(l.bytes)
	clear(segment[cut : cut+8])                 // torn
	clear(segment[l.offsets[5]:end])            // nothing behind it says that it was durable
	segment[cut+9] = 1                          // rest of the torn frame
	copy(segment[l.offsets[6]:], l.bytes[cut:]) // and a stray valid frame of this segment
	clear(segment[l.offsets[6]+l.offsets[5]-cut:])
	mem := l.mem.Crash(vfs.KeepAll, nil)
	f, _ := mem.Create(l.name)
	f.WriteAt(segment, 0)
	f.Datasync()
	p, report, err := Open(testDir, testConfig(mem, Group))
	if err != nil || report.LSN != l.history[4].lsn {
		t.Fatal(report, err)
	}
	for _, crashed := range []*vfs.Mem{mem.Crash(vfs.KeepNone, nil), mem.Crash(vfs.KeepAll, nil)} {
		after, err := readFile(crashed, l.name)
		if err != nil || len(bytes.Trim(after[cut:], "\x00")) != 0 {
			t.Fatalf("the tail is not zero on disk when Open returns: %v", err)
		}
	}
	p.Close()
}

// Draws of None take the place of a torn tail. It is kept and told of then, since
// the log goes as soon as another mode follows.
func TestTailIsKeptBeforeDrawsWithoutALog(t *testing.T) {
	l := logFrames(t, 1, someFrames)
	segment := bytes.Clone(l.bytes)
	last := l.offsets[len(l.offsets)-2]
	segment[last+9] ^= 1 // the last frame, which nothing behind it says to be durable
	mem := l.mem.Crash(vfs.KeepAll, nil)
	f, _ := mem.Create(l.name)
	f.WriteAt(segment, 0)
	f.Datasync()
	for i, d := range []Durability{None, None, Group} {
		p, report, err := Open(testDir, testConfig(mem, d))
		if err != nil {
			t.Fatal(err)
		}
		if first := i == 0; (len(report.Kept) == 1) != first || (report.TruncatedBytes > 0) != first {
			t.Fatalf("opening %d, in mode %v: %+v", i, d, report)
		}
		for _, name := range report.Kept {
			kept, err := readFile(mem, path.Join(testDir, name))
			if end := l.offsets[len(l.offsets)-1]; err != nil || !bytes.Equal(bytes.TrimRight(kept, "\x00"), bytes.TrimRight(segment[last:end], "\x00")) {
				t.Fatalf("%s holds %x, %v", name, kept, err)
			}
		}
		if _, err := p.Draw(); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
