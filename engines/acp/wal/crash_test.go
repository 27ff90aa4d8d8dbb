package wal

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

// script fills a store on a file system whose calls go to hook first: records,
// snapshots, reopenings. It keeps what the modes promise.
type script struct {
	mem      *vfs.Mem
	mode     Sync
	begun    uint64 // records of which the appending began
	acked    uint64 // records of which Wait returned
	synced   uint64 // records that a Sync, Snapshot or Close covers
	returned bool   // the first Open did
}

func (s *script) run(hook func(vfs.Call) error) error {
	s.mem.Before = hook
	defer func() { s.mem.Before = nil }()
	for round := range 3 {
		l, h, _, err := reopen(s.mem, s.mode)
		if err != nil {
			return err
		}
		s.returned = true
		if uint64(h) != s.acked {
			return fmt.Errorf("%d records, expected %d", h, s.acked)
		}
		for i := range 40 {
			s.begun++
			if err := add(l, 1); err != nil {
				return errors.Join(err, l.Close())
			}
			s.acked++
			if s.mode != None {
				s.synced = s.acked
			}
			if round == 1 && i%20 == 10 {
				if err := save(l); err != nil {
					return errors.Join(err, l.Close())
				}
				s.synced = s.acked
			}
		}
		if err := l.Close(); err != nil {
			return err
		}
		s.synced = s.acked
	}
	return nil
}

// survives opens what a crash left: all that was promised is there, nothing that
// was not begun. A second opening finds the same, and so does one behind further
// records and a loss of power.
func (s *script) survives(left *vfs.Mem, keep vfs.Keep) error {
	promised := s.synced
	if keep == vfs.KeepAll {
		promised = s.acked
	}
	left.MkdirAll(testDir)
	l, h, _, err := reopen(left, s.mode)
	if err != nil {
		return err
	}
	if uint64(h) < promised || uint64(h) > s.begun {
		return fmt.Errorf("%d records, expected %d to %d", h, promised, s.begun)
	}
	again, h2, r2, err := reopen(left.Crash(vfs.KeepNone, nil), s.mode)
	if err != nil || h2 != h || r2.CutBytes != 0 {
		return fmt.Errorf("second opening: %d records, expected %d; %+v, %w", h2, h, r2, err)
	}
	if err := errors.Join(again.Close(), add(l, 3), l.Close()); err != nil {
		return err
	}
	l, h2, _, err = reopen(left.Crash(vfs.KeepNone, nil), s.mode)
	if err != nil || h2 != h+3 {
		return fmt.Errorf("after three more records: %d, expected %d; %w", h2, h+3, err)
	}
	return l.Close()
}

// The power fails ahead of every call that changes the disk.
func TestCrashAtEveryCall(t *testing.T) {
	for _, mode := range modes {
		s := &script{mem: vfs.NewMem(), mode: mode}
		calls := 0
		must(t, s.run(func(c vfs.Call) error {
			calls++
			if !c.Mutates() {
				return nil
			}
			for i, keep := range vfs.Keeps {
				rng := rand.New(rand.NewPCG(uint64(calls), uint64(i)))
				if err := s.survives(s.mem.Crash(keep, rng), keep); err != nil {
					t.Fatalf("mode %d: crash before call %d (%s %s), keep %v: %v", mode, calls, c.Op, c.Name, keep, err)
				}
			}
			return nil
		}))
	}
}

// Every call fails in turn, with a full disk, a short write or an error of the
// device: the store stops, and nothing acknowledged is lost.
func TestFaultAtEveryCall(t *testing.T) {
	for _, mode := range modes {
		var calls []vfs.Call
		must(t, (&script{mem: vfs.NewMem(), mode: mode}).run(func(c vfs.Call) error { calls = append(calls, c); return nil }))
		for k, c := range calls {
			faults := []error{syscall.EIO}
			if c.Op == "write" || c.Op == "allocate" {
				faults = append(faults, syscall.ENOSPC, io.ErrShortWrite)
			}
			for _, fault := range faults {
				s := &script{mem: vfs.NewMem(), mode: mode}
				call := 0
				err := s.run(func(vfs.Call) error {
					if call++; call == k+1 {
						return fault
					}
					return nil
				})
				// What was prepared and never needed, and a mark that was made later, are of no concern.
				unused := err == nil && (strings.Contains(c.Name, "/wal-next-") || strings.HasSuffix(c.Name, frames.MarkName))
				if !errors.Is(err, fault) && !unused {
					t.Fatalf("mode %d: call %d (%s %s) fails with %v: the script ended with %v", mode, k, c.Op, c.Name, fault, err)
				}
				for i, keep := range vfs.Keeps {
					if err := s.survives(s.mem.Crash(keep, rand.New(rand.NewPCG(uint64(k), uint64(i)))), keep); err != nil {
						t.Fatalf("mode %d: call %d (%s %s) failed with %v, keep %v: %v", mode, k, c.Op, c.Name, fault, keep, err)
					}
				}
			}
		}
	}
}

// After a failed write or sync every change is refused.
func TestStopsAfterAFault(t *testing.T) {
	for _, mode := range []Sync{Batch, Each} {
		for _, op := range []string{"write", "datasync"} {
			mem := vfs.NewMem()
			l, _, _ := mustOpen(t, mem, mode)
			must(t, add(l, 2))
			mem.Before = func(c vfs.Call) error {
				if c.Op == op {
					return syscall.EIO
				}
				return nil
			}
			if err := add(l, 1); !errors.Is(err, syscall.EIO) {
				t.Fatalf("mode %d: %s fails, but the record returns %v", mode, op, err)
			}
			mem.Before = nil
			for _, err := range []error{add(l, 1), l.Sync(), save(l)} {
				if !errors.Is(err, syscall.EIO) {
					t.Errorf("mode %d: after a failed %s: %v", mode, op, err)
				}
			}
			if err := l.Close(); !errors.Is(err, syscall.EIO) {
				t.Errorf("mode %d: Close after a failed %s: %v", mode, op, err)
			}
			if l, h, _ := mustOpen(t, mem, mode); h < 2 || h > 3 {
				t.Errorf("mode %d: %d records after the fault, expected 2 or 3", mode, h)
			} else {
				must(t, l.Close())
			}
		}
	}
}
