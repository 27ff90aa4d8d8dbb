package wal

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
)

const dir = "log"

var testIdentity = Identity{
	Magic: [8]byte([]byte("RPWAL\x00\x01\n")),
	UUID:  UUID([]byte("0123456789abcdef")),
}

func options(mem *vfs.Mem, mapped bool) Options {
	mem.MkdirAll(dir)
	if _, err := readMark(mem, dir); err != nil {
		Create(mem, dir, testIdentity)
	}
	return Options{FS: mem, Dir: dir, Identity: testIdentity, SegmentBytes: 16 << 10, Mapped: mapped, Go: func(f func()) { f() }}
}

func open(t *testing.T, mem *vfs.Mem, mapped bool, end End) *Log {
	t.Helper()
	l, err := Open(options(mem, mapped), end, end.LSN)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t *testing.T, l *Log, payload string) {
	t.Helper()
	if err := l.Reserve(len(payload)); err != nil {
		t.Fatal(err)
	}
	copy(l.Payload(len(payload)), payload)
	l.Append(1, 2, 3, len(payload))
}

func lone(t *testing.T, l *Log, v uint32) {
	t.Helper()
	if err := l.Reserve(0); err != nil {
		t.Fatal(err)
	}
	l.Lone(v)
}

func scan(t *testing.T, mem *vfs.Mem) (got []string, end End) {
	t.Helper()
	end, err := Scan(mem, dir, testIdentity, 0, func(f *Frame) error {
		got = append(got, fmt.Sprintf("%d:%x:%d:%s", f.LSN, f.Type, f.Value, bytes.TrimRight(f.Payload, "\x00")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, end
}

// Frames come back over segments and reopenings, mapped or not.
func TestFramesComeBack(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		mem := vfs.NewMem()
		l := open(t, mem, mapped, End{Reason: "new"})
		var want []string
		for i := range 600 {
			if i%3 == 0 {
				want = append(want, fmt.Sprintf("%d:d1:%d:", l.LSN(), i<<12))
				lone(t, l, uint32(i<<12))
			} else {
				payload := bytes.Repeat([]byte{'x'}, i)
				want = append(want, fmt.Sprintf("%d:1:0:%s", l.LSN(), payload))
				add(t, l, string(payload))
			}
			if i%100 == 50 {
				if !mapped {
					if err := l.Commit(true); err != nil {
						t.Fatal(err)
					}
				}
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				_, end := scan(t, mem)
				l = open(t, mem, mapped, end)
			}
		}
		if !mapped {
			if err := l.Flush(l.Take()); err != nil {
				t.Fatal(err)
			}
		}
		got, end := scan(t, mem)
		if !slices.Equal(got, want) || end.LSN != l.LSN() || end.TornBytes != 0 {
			t.Fatalf("mapped %v: %d frames, expected %d; %+v", mapped, len(got), len(want), end)
		}
		if segments, _ := List(mem, dir); len(segments) < 5 {
			t.Fatalf("%d segments", len(segments))
		}
	}
}

// The bytes of the FORMAT.md of the reward pool.
func TestGoldenBytes(t *testing.T) {
	mem := vfs.NewMem()
	l := open(t, mem, true, End{})
	lone(t, l, 0xABCDEF)
	add(t, l, "pay")
	want := "d1efcdab000000000000000013e5cc5f" +
		"200000005e8549840102000003000000010000000000000001000000" + "70617900"
	got := hex.EncodeToString(l.buf[HeaderBytes : HeaderBytes+48])
	if got != want {
		t.Fatalf("frames\n%s, expected\n%s", got, want)
	}
	header := "525057414c00010a" + "0200" + "0000" + "00000000" + hex.EncodeToString(testIdentity.UUID[:]) +
		"0100000000000000" + "0000000000000000" + "0000000000000000" + "0040000000000000" + "f12a4c1d"
	if got := hex.EncodeToString(l.buf[:68]); got != header {
		t.Fatalf("header\n%s, expected\n%s", got, header)
	}
}

// A valid frame moved to another segment does not verify there.
func TestSaltOfTheSegment(t *testing.T) {
	h := Header{Identity: testIdentity, Number: 1}
	next := h
	next.Number = 2
	other := h
	other.UUID[3]++
	b := make([]byte, sealBytes)
	putFrame(b, h.salt(), 1, 0, 1, 5, 5)
	short := make([]byte, loneBytes)
	putLone(short, h.salt(), 9, 5, 5)
	if !verifies(b, h.salt()) || !verifies(short, h.salt()) {
		t.Fatal("a good frame does not verify")
	}
	for _, salt := range []uint32{next.salt(), other.salt()} {
		if verifies(b, salt) || verifies(short, salt) {
			t.Fatal("a frame verifies in another segment or store")
		}
	}
}

// watchedFS tells of files that are closed between a write and its sync.
type watchedFS struct {
	*vfs.Mem
	t *testing.T
}

type watchedFile struct {
	vfs.File
	t     *testing.T
	dirty bool
}

func (w watchedFS) Create(name string) (vfs.File, error) {
	f, err := w.Mem.Create(name)
	return &watchedFile{File: f, t: w.t}, err
}

func (f *watchedFile) WriteAt(p []byte, off int64) (int, error) {
	f.dirty = true
	return f.File.WriteAt(p, off)
}

func (f *watchedFile) Datasync() error {
	f.dirty = false
	return f.File.Datasync()
}

func (f *watchedFile) Close() error {
	if f.dirty {
		f.t.Error("a segment was closed before its sync")
	}
	return f.File.Close()
}

// A full segment stays open until it is synced, also when there are many.
func TestSegmentsStayOpenUntilSynced(t *testing.T) {
	for _, segments := range []int{2, maxBehind + 3} {
		opt := options(vfs.NewMem(), false)
		opt.FS = watchedFS{opt.FS.(*vfs.Mem), t}
		l, err := Open(opt, End{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range segments {
			lone(t, l, 1)
			if err := errors.Join(l.Rotate(), l.Commit(false)); err != nil {
				t.Fatal(err)
			}
			if len(l.behind) >= maxBehind {
				t.Fatalf("%d segments are open", len(l.behind))
			}
		}
		sync, lsn := l.Unsynced()
		if err := sync(); err != nil || lsn != uint64(segments) {
			t.Fatal(lsn, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A missing segment is damage, the last one too.
func TestMissingSegment(t *testing.T) {
	for missing, names := range map[uint64]string{0: SegmentName(1), 1: SegmentName(2), 3: MarkName} {
		mem := vfs.NewMem()
		l := open(t, mem, true, End{})
		for range 3 {
			lone(t, l, 1)
			if err := l.Rotate(); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		mem.Remove(dir + "/" + SegmentName(missing))
		_, err := Scan(mem, dir, testIdentity, 0, func(*Frame) error { return nil })
		var damage *CorruptError
		if !errors.As(err, &damage) || damage.Segment != names {
			t.Errorf("segment at %d is missing: %v, expected damage of %s", missing, err, names)
		}
	}
}

// A process that is killed has marked the segment before the one it prepares.
func TestMarkOfARunningLog(t *testing.T) {
	mem := vfs.NewMem()
	l := open(t, mem, false, End{})
	lone(t, l, 1)
	if err := errors.Join(l.Rotate(), l.Commit(true)); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		lone(t, l, 1)
	}
	left := mem.Crash(vfs.KeepNone, nil)
	left.Remove(dir + "/" + SegmentName(1))
	_, err := Scan(left, dir, testIdentity, 0, func(*Frame) error { return nil })
	var damage *CorruptError
	if !errors.As(err, &damage) || damage.Segment != MarkName {
		t.Fatal(err)
	}
}

// A mark survives a write that is torn anywhere, and the loss of one slot.
func TestMarkIsWrittenInTurn(t *testing.T) {
	mem := vfs.NewMem()
	l := open(t, mem, true, End{})
	for n := range uint64(6) {
		lone(t, l, 1)
		sync, lsn := l.Unsynced()
		if err := sync(); err != nil {
			t.Fatal(err)
		}
		l.MarkDurable(lsn)
		for seed := range uint64(20) {
			mem.Before = func(c vfs.Call) error {
				if c.Op != "datasync" {
					return nil
				}
				m, err := readMark(mem.Crash(vfs.KeepGarbage, rand.New(rand.NewPCG(n, seed))), dir)
				if err != nil || m.lsn < n {
					t.Errorf("torn write %d: %+v, %v", n, m, err)
				}
				return nil
			}
			l.mark.lsn = n // so that it is written again
			if err := l.Mark(); err != nil {
				t.Fatal(err)
			}
		}
		mem.Before = nil
	}
}

// A segment that was prepared is used by the next process, and not made again.
func TestPreparedSegmentStays(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		mem := vfs.NewMem()
		l := open(t, mem, mapped, End{})
		allocated := 0
		mem.Before = func(c vfs.Call) error {
			if c.Op == "allocate" {
				allocated++
			}
			return nil
		}
		for n := range 12 {
			add(t, l, string(make([]byte, 1000)))
			if !mapped {
				if err := l.Commit(true); err != nil {
					t.Fatal(err)
				}
			}
			sync, _ := l.Unsynced()
			if err := errors.Join(sync(), l.Close()); err != nil {
				t.Fatal(err)
			}
			// A loss of power in between takes nothing of it away.
			mem.Before, mem = nil, mem.Crash(vfs.KeepGarbage, rand.New(rand.NewPCG(1, uint64(n))))
			mem.Before = func(c vfs.Call) error {
				if c.Op == "allocate" {
					allocated++
				}
				return nil
			}
			_, end := scan(t, mem)
			l = open(t, mem, mapped, end)
		}
		if segments, _ := List(mem, dir); allocated != len(segments) || len(segments) != 2 {
			t.Errorf("mapped %v: %d segments were prepared, expected one beside the %d there are", mapped, allocated, len(segments)-1)
		}
	}
}

// What the preparation of a segment lacked once may be there when it is needed.
func TestPreparationIsTriedAgain(t *testing.T) {
	mem := vfs.NewMem()
	l := open(t, mem, false, End{})
	lacks := 1
	full := func(c vfs.Call) error {
		if c.Op == "allocate" && lacks > 0 {
			lacks--
			return syscall.ENOSPC
		}
		return nil
	}
	mem.Before = full
	for range 1000 {
		lone(t, l, 1)
	}
	if err := errors.Join(l.Commit(true), l.Close()); err != nil || lacks > 0 {
		t.Fatal(lacks, err)
	}
	lacks, mem = 2, vfs.NewMem()
	l = open(t, mem, false, End{})
	mem.Before = full
	for l.left > 100 {
		lone(t, l, 1)
	}
	if err := l.Rotate(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("no segment could be made, but Rotate says %v", err)
	}
	if names, _ := mem.ReadDir(dir); slices.ContainsFunc(names, IsTemporary) {
		t.Errorf("what could not be prepared is left: %q", names)
	}
	if err := l.Rotate(); err != nil {
		t.Fatal(err)
	}
}

// A format of another number is refused by name.
func TestOtherVersion(t *testing.T) {
	mem := vfs.NewMem()
	l := open(t, mem, true, End{})
	lone(t, l, 1)
	h := l.seg.Header.encode()
	h[8] = 1
	binary.LittleEndian.PutUint32(h[headerCRC:], crc32.Checksum(h[:headerCRC], castagnoli))
	f, _ := mem.Open(dir+"/"+SegmentName(0), true)
	f.WriteAt(h, 0)
	mem.Remove(dir + "/" + MarkName) // which that format does not have
	_, err := Scan(mem, dir, testIdentity, 0, func(*Frame) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "format version is 1, expected 2") {
		t.Fatal(err)
	}
}

// The decoder is fed a segment of anything behind a valid header: it returns
// frames that verify, never panics, and never reads beyond the file.
func FuzzFrames(f *testing.F) {
	h := Header{Identity: testIdentity, Number: 1, SegmentBytes: 16 << 10}
	long, short := make([]byte, 48), make([]byte, loneBytes)
	putFrame(long, h.salt(), 1, 1, 3, 0, 0)
	putLone(short, h.salt(), 7, 3, 3)
	seal := make([]byte, sealBytes)
	putFrame(seal, h.salt(), TypeSeal, 0, 0, 4, 4)
	f.Add([]byte{})
	f.Add(bytes.Join([][]byte{long, short, seal}, nil))
	f.Add(long[:45]) // its end is of the zeros behind
	f.Add(bytes.Join([][]byte{long, make([]byte, 64), short}, nil))
	f.Add([]byte{0xf8, 0xff, 0x7f, 0, 1, 2, 3, 4, 1})
	f.Add(bytes.Repeat([]byte{0xD1}, 200))
	f.Fuzz(func(t *testing.T, frames []byte) {
		mem := vfs.NewMem()
		mem.MkdirAll(dir)
		Create(mem, dir, testIdentity)
		file, _ := mem.Create(dir + "/" + SegmentName(0))
		file.WriteAt(append(h.encode(), frames...), 0)
		file.WriteAt(make([]byte, max(0, int(h.SegmentBytes)-HeaderBytes-len(frames))), HeaderBytes+int64(len(frames)))
		lsn := uint64(0)
		end, err := Scan(mem, dir, testIdentity, 0, func(f *Frame) error {
			if f.LSN != lsn || len(f.Payload) > int(h.SegmentBytes) {
				t.Fatalf("frame at lsn %d, expected %d", f.LSN, lsn)
			}
			lsn += uint64(f.Events)
			return nil
		})
		var damage *CorruptError
		if err != nil && !errors.As(err, &damage) {
			t.Fatal(err)
		}
		if err == nil && (end.LSN != lsn || end.TornBytes > int64(len(frames)+7)) {
			t.Fatalf("%+v behind lsn %d", end, lsn)
		}
	})
}
