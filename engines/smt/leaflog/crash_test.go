package leaflog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

// script runs commits of 1 to 60 changes, checkpoints with a commit beside them,
// and a reopening, on a file system whose calls go to hook first. It keeps what
// the guarantees speak of.
type script struct {
	mem      *vfs.Mem
	format   format.Format
	acked    []byte // root after the last commit that returned
	inFlight []byte // root of the commit under way, nil when none is
}

func (s *script) run(hook func(vfs.Call) error) error {
	s.mem.Before = hook
	defer func() { s.mem.Before = nil }()
	rng := rand.New(rand.NewPCG(7, 7))
	open, err := openSession(s.mem, s.format)
	if err != nil {
		return err
	}
	for i := range 12 {
		if err := s.step(open, rng, i); err != nil {
			return errors.Join(err, open.close())
		}
		if i%7 == 6 {
			if err := open.close(); err != nil {
				return err
			}
			if open, err = openSession(s.mem, s.format); err != nil {
				return err
			}
		}
	}
	return open.close()
}

func (s *script) step(open *session, rng *rand.Rand, i int) error {
	if i%5 != 3 {
		return s.commit(open, randomChanges(s.format, rng, []int{1, 3, 60}[i%3]))
	}
	number, err := open.rotate()
	if err != nil {
		return err
	}
	before := maps.Clone(open.contents)
	if err := s.commit(open, randomChanges(s.format, rng, 4)); err != nil {
		return err
	}
	size, err := open.writeCheckpoint(number, before.sorted, before.root(s.format))
	open.replaced(number, size, err)
	return err
}

func (s *script) commit(open *session, c changes) error {
	after := maps.Clone(open.contents)
	c.applyTo(after)
	s.inFlight = after.root(s.format)
	if err := open.commit(c); err != nil {
		return err
	}
	s.acked, s.inFlight = s.inFlight, nil
	return nil
}

func newScript(f format.Format) *script {
	return &script{mem: vfs.NewMem(), format: f, acked: f.Placeholder()}
}

// survives opens what a crash left: the root must be the acknowledged one or
// that in flight, commits go on from there, and another opening finds them.
func (s *script) survives(left *vfs.Mem) error {
	left.MkdirAll(testDir) // the crash may have come before the directory
	open, err := openSession(left, s.format)
	if err != nil {
		return err
	}
	root := open.contents.root(s.format)
	if !bytes.Equal(root, s.acked) && !bytes.Equal(root, s.inFlight) {
		return fmt.Errorf("root %x, expected %x or %x", root, s.acked, s.inFlight)
	}
	c := randomChanges(s.format, rand.New(rand.NewPCG(8, 8)), 5)
	c[strings.Repeat("x", s.format.HashSize())] = bytes.Repeat([]byte("y"), recordsOf(s.format).minLeaf)
	if err := errors.Join(open.commit(c), open.close()); err != nil {
		return err
	}
	want := open.contents.root(s.format)
	if open, err = openSession(left.Crash(vfs.KeepNone, nil), s.format); err != nil {
		return fmt.Errorf("second opening: %w", err)
	}
	if got := open.contents.root(s.format); !bytes.Equal(got, want) {
		return fmt.Errorf("second opening: root %x, expected %x", got, want)
	}
	return open.close()
}

// The power fails ahead of every call that changes the disk.
func TestCrashAtEveryCall(t *testing.T) {
	for _, f := range testFormats[:3] {
		s := newScript(f)
		calls := 0
		err := s.run(func(c vfs.Call) error {
			calls++
			if !c.Mutates() {
				return nil
			}
			for i, keep := range vfs.Keeps {
				for try := range min(1+i, 3) {
					rng := rand.New(rand.NewPCG(uint64(calls), uint64(10*i+try)))
					if err := s.survives(s.mem.Crash(keep, rng)); err != nil {
						t.Fatalf("%+v: crash before call %d (%s %s), keep %v: %v", f, calls, c.Op, c.Name, keep, err)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %d calls", f, calls)
	}
}

// Every call fails in turn, with a full disk, a short write or an error of the
// device: nothing is acknowledged any more, and nothing acknowledged is lost.
func TestFaultAtEveryCall(t *testing.T) {
	f := format.Format{}
	calls := []vfs.Call{}
	if err := newScript(f).run(func(c vfs.Call) error { calls = append(calls, c); return nil }); err != nil {
		t.Fatal(err)
	}
	for k, c := range calls {
		faults := []error{syscall.EIO}
		if c.Op == "write" {
			faults = append(faults, syscall.ENOSPC, io.ErrShortWrite)
		}
		for _, fault := range faults {
			s := newScript(f)
			call := 0
			err := s.run(func(vfs.Call) error {
				if call++; call == k+1 {
					return fault
				}
				return nil
			})
			if !errors.Is(err, fault) {
				t.Fatalf("call %d (%s %s) fails with %v: the script ended with %v", k, c.Op, c.Name, fault, err)
			}
			for i, keep := range vfs.Keeps {
				if err := s.survives(s.mem.Crash(keep, rand.New(rand.NewPCG(uint64(k), uint64(i))))); err != nil {
					t.Fatalf("call %d (%s %s) failed with %v, keep %v: %v", k, c.Op, c.Name, fault, keep, err)
				}
			}
			// Not the machine but the process went down: what it did not sync is still
			// seen, until the power fails in survives.
			if err := s.survives(s.mem); err != nil {
				t.Fatalf("call %d (%s %s) failed with %v, then reopened: %v", k, c.Op, c.Name, fault, err)
			}
		}
	}
}

// A crash inside of the opening that follows a crash loses nothing either.
func TestCrashWhileOpening(t *testing.T) {
	f := format.Format{Sum: format.SumCount}
	s := newScript(f)
	calls := 0
	err := s.run(func(c vfs.Call) error {
		if calls++; !c.Mutates() || calls%5 != 0 {
			return nil
		}
		for i, keep := range vfs.Keeps {
			rng := rand.New(rand.NewPCG(uint64(calls), uint64(i)))
			left := s.mem.Crash(keep, rng)
			left.MkdirAll(testDir)
			left.Before = func(inner vfs.Call) error {
				if inner.Mutates() {
					if err := s.survives(left.Crash(vfs.Keeps[rng.IntN(len(vfs.Keeps))], rng)); err != nil {
						t.Fatalf("crash before call %d (%s %s), keep %v, then before %s %s: %v", calls, c.Op, c.Name, keep, inner.Op, inner.Name, err)
					}
				}
				return nil
			}
			open, err := openSession(left, f)
			if err != nil {
				t.Fatal(err)
			}
			open.close()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Until it is opened successfully, a directory is left as it is.
func TestReadOnlyDirectory(t *testing.T) {
	s := newScript(format.Format{})
	if err := s.run(nil); err != nil {
		t.Fatal(err)
	}
	s.mem.Before = func(c vfs.Call) error {
		if c.Mutates() {
			return syscall.EROFS
		}
		return nil
	}
	if _, err := openSession(s.mem, s.format); !errors.Is(err, syscall.EROFS) {
		t.Fatal(err)
	}
	s.mem.Before = nil
	if err := s.survives(s.mem); err != nil {
		t.Fatal(err)
	}
}
