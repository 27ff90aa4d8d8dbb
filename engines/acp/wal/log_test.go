package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/gocommon/vfs"
)

const testDir = "store"

var modes = []Sync{None, Batch, Each}

func testOptions(mode Sync) Options {
	return Options{Sync: mode, SegmentBytes: 12 << 10, background: func(f func()) { f() }}
}

func init() { blockBytes = 64 }

// recordOf is record n of every test: 0 to 599 bytes, zeros at the end included.
func recordOf(n uint64) []byte {
	rng := rand.New(rand.NewPCG(n, 3))
	b := make([]byte, rng.IntN(600))
	for i := range max(len(b)-3, 0) {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// history is a state that records lead to: their number.
type history uint64

func (h *history) handler() Handler {
	return Handler{
		Snapshot: func(r io.Reader) error {
			b, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			if len(b) < 8 {
				return fmt.Errorf("snapshot of %d bytes", len(b))
			}
			*h = history(binary.LittleEndian.Uint64(b))
			if want := h.snapshot(); !bytes.Equal(b, want) {
				return fmt.Errorf("snapshot %x, expected %x", b, want)
			}
			return nil
		},
		Record: func(record []byte) error {
			*h++
			if want := recordOf(uint64(*h)); !bytes.Equal(record, want) {
				return fmt.Errorf("record %d is %x, expected %x", *h, record, want)
			}
			return nil
		},
	}
}

func (h *history) snapshot() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(*h))
	return append(b, bytes.Repeat([]byte{7}, int(*h)*5%300)...)
}

// save makes a snapshot of the state after all records.
func save(l *Log) error {
	h := history(l.Seq())
	return l.Snapshot(uint64(h), func(w io.Writer) error {
		_, err := w.Write(h.snapshot())
		return err
	})
}

func reopen(fsys vfs.FS, mode Sync) (*Log, history, Recovery, error) {
	var h history
	l, r, err := Open(fsys, testDir, testOptions(mode), h.handler())
	return l, h, r, err
}

func mustOpen(t *testing.T, fsys vfs.FS, mode Sync) (*Log, history, Recovery) {
	t.Helper()
	l, h, r, err := reopen(fsys, mode)
	if err != nil {
		t.Fatal(err)
	}
	return l, h, r
}

// add appends and waits for n records.
func add(l *Log, n int) error {
	for range n {
		seq, err := l.Append(recordOf(l.Seq() + 1))
		if err == nil {
			err = l.Wait(seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Records come back over segments, snapshots, reopenings and changes of mode.
func TestRecordsComeBack(t *testing.T) {
	mem := vfs.NewMem()
	total, saved := 0, 0
	for round := range 12 {
		l, h, r := mustOpen(t, mem, modes[round%3])
		if int(h) != total || int(r.Snapshot) != saved || int(r.Records) != total-saved || r.CutBytes != 0 || r.Created != (round == 0) {
			t.Fatalf("round %d: %d records, expected %d; %+v", round, h, total, r)
		}
		must(t, add(l, 50))
		total += 50
		if round%4 == 2 {
			must(t, save(l))
			saved = total
		}
		must(t, l.Close())
	}
}

// A snapshot removes the segments and the snapshot before it.
func TestSnapshotBoundsTheLog(t *testing.T) {
	mem := vfs.NewMem()
	l, _, _ := mustOpen(t, mem, Batch)
	for range 5 {
		must(t, add(l, 200))
		before := l.Stats().Behind
		must(t, save(l))
		names, err := mem.ReadDir(testDir)
		must(t, err)
		if len(names) > 4 { // the mark, a snapshot, a segment, and the next one prepared
			t.Fatalf("%q", names)
		}
		if after := l.Stats().Behind; before < 40000 || after != 0 {
			t.Fatalf("%d bytes of log before the snapshot, %d after it", before, after)
		}
	}
	must(t, l.Close())
}

// A failed snapshot leaves the store as it was, and it goes on.
func TestFailedSnapshot(t *testing.T) {
	mem := vfs.NewMem()
	l, _, _ := mustOpen(t, mem, Each)
	must(t, add(l, 10))
	full := errors.New("no state")
	if err := l.Snapshot(10, func(w io.Writer) error { w.Write(make([]byte, 1000)); return full }); !errors.Is(err, full) {
		t.Fatal(err)
	}
	must(t, add(l, 10))
	must(t, l.Close())
	if _, h, r := mustOpen(t, mem, Each); h != 20 || r.Snapshot != 0 {
		t.Fatalf("%d records, expected 20; %+v", h, r)
	}
}

func TestErrors(t *testing.T) {
	for _, mode := range modes {
		mem := vfs.NewMem()
		l, _, _ := mustOpen(t, mem, mode)
		if _, _, _, err := reopen(mem, mode); !errors.Is(err, ErrLocked) {
			t.Errorf("second opening: %v", err)
		}
		if _, err := l.Append(make([]byte, 12<<10)); !errors.Is(err, ErrTooLong) {
			t.Errorf("record of a segment's size: %v", err)
		}
		must(t, add(l, 1))
		must(t, l.Close())
		_, err := l.Append(nil)
		for _, err := range []error{err, l.Close(), l.Sync(), l.Snapshot(1, nil)} {
			if !errors.Is(err, ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
		if err := l.Wait(1); err != nil {
			t.Errorf("the record is durable, but Wait says %v", err)
		}
	}
}

// slowDisk holds every sync of a named segment until it is let go.
func slowDisk(t *testing.T) (mem *vfs.Mem, syncs chan chan struct{}) {
	mem = vfs.NewMem()
	l, _, _ := mustOpen(t, mem, Batch)
	must(t, l.Close())
	syncs = make(chan chan struct{})
	mem.Before = func(c vfs.Call) error {
		if c.Op == "datasync" && strings.HasSuffix(c.Name, ".seg") {
			release := make(chan struct{})
			syncs <- release
			<-release
		}
		return nil
	}
	return mem, syncs
}

// While a sync runs, 63 callers append; one sync makes all of them durable.
func TestGroupCommit(t *testing.T) {
	mem, syncs := slowDisk(t)
	opened := make(chan *Log)
	go func() {
		l, _, _, err := reopen(mem, Batch)
		if err != nil {
			t.Error(err)
		}
		opened <- l
	}()
	close(<-syncs) // of Open
	l := <-opened
	var waiting sync.WaitGroup
	one := func() {
		waiting.Add(1)
		go func() {
			defer waiting.Done()
			seq, err := l.Append([]byte("x"))
			if err == nil {
				err = l.Wait(seq)
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
	one()
	first := <-syncs
	for range 63 {
		one()
	}
	for l.Seq() < 64 {
		time.Sleep(time.Microsecond)
	}
	close(first)
	close(<-syncs)
	waiting.Wait()
	if s := l.Stats().Syncs; s != 2 {
		t.Errorf("%d syncs for 64 records, expected 2", s)
	}
	mem.Before = nil
	must(t, l.Close())
}

// Many writers beside syncs and snapshots, in each mode; for the race detector.
func TestConcurrentUse(t *testing.T) {
	for _, mode := range modes {
		var files vfs.FS = vfs.OS{} // the double copies a mapped file when it syncs, and mode None stores meanwhile
		dir := t.TempDir()
		if mode != None {
			files, dir = vfs.NewMem(), testDir
			must(t, files.MkdirAll(dir))
		}
		o := Options{Sync: mode, SegmentBytes: 12 << 10}
		l, _, err := Open(files, dir, o, Handler{})
		must(t, err)
		var writers sync.WaitGroup
		for range 8 {
			writers.Add(1)
			go func() {
				defer writers.Done()
				for range 100 {
					seq, err := l.Append(make([]byte, 40))
					if err == nil {
						err = l.Wait(seq)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}()
		}
		for range 20 {
			must(t, l.Sync())
			must(t, l.Snapshot(l.Seq(), func(w io.Writer) error { return nil }))
		}
		writers.Wait()
		s := l.Stats()
		must(t, l.Close())
		if mode == Each && s.Syncs < 800 || mode == Batch && s.Syncs > 800+20 {
			t.Errorf("mode %d: %d syncs for 800 records", mode, s.Syncs)
		}
		found := uint64(0)
		l, r, err := Open(files, dir, o, Handler{
			Snapshot: func(io.Reader) error { return nil },
			Record:   func([]byte) error { found++; return nil },
		})
		must(t, err)
		if r.Snapshot+found != 800 || found != r.Records {
			t.Errorf("mode %d: %+v, expected 800 records", mode, r)
		}
		must(t, l.Close())
	}
}
