package leaflog

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

// written returns a closed store with a checkpoint and commits behind it.
func written(t testing.TB, f format.Format) (*vfs.Mem, *session) {
	t.Helper()
	mem := vfs.NewMem()
	s, err := openSession(mem, f)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for i, n := range []int{60, 1, 5, 90, 1} {
		if err := s.commit(randomChanges(f, rng, n)); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := s.checkpointNow(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	return mem, s
}

func readFile(t testing.TB, fsys vfs.FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(path.Join(testDir, name), false)
	if err != nil {
		t.Fatal(err)
	}
	size, _ := f.Size()
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return b
}

func overwrite(t testing.TB, fsys vfs.FS, name string, off int64, b []byte) {
	t.Helper()
	f, err := fsys.Open(path.Join(testDir, name), true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(b, off); err != nil {
		t.Fatal(err)
	}
}

// Every byte of every file of a closed store is damaged in turn: the store does
// not open and says where, or it opens with all of its commits.
func TestEveryByteDamaged(t *testing.T) {
	f := format.Format{}
	mem, s := written(t, f)
	want := s.contents.root(f)
	names, _ := mem.ReadDir(testDir)
	rng := rand.New(rand.NewPCG(4, 4))
	for _, name := range names {
		b := readFile(t, mem, name)
		used := len(bytes.TrimRight(b, "\x00"))
		refused := 0
		for off := range b {
			if off > used+2*blockHeader && off%97 != 0 {
				continue // zeros behind the log: a sample
			}
			left := mem.Crash(vfs.KeepAll, nil)
			overwrite(t, left, name, int64(off), []byte{b[off] ^ byte(1+rng.IntN(255))})
			open, err := openSession(left, f)
			var corrupt *CorruptError
			switch {
			case errors.As(err, &corrupt):
				if corrupt.File != name || corrupt.Offset > int64(off) {
					t.Fatalf("%s damaged at %d: %v", name, off, err)
				}
				refused++
			case err != nil:
				t.Fatalf("%s damaged at %d: %v", name, off, err)
			case !bytes.Equal(open.contents.root(f), want):
				t.Fatalf("%s damaged at %d: other root and no error", name, off)
			}
		}
		// Marks and the zeros behind them carry nothing.
		if harmless := used - refused; harmless > 5*blockHeader {
			t.Fatalf("%s: damage to %d of %d bytes was not noticed", name, harmless, used)
		}
	}
}

// A commit that was in flight when the process ended is marked by the next
// opening, so that later damage to it is noticed.
func TestRecoveredCommitIsMarked(t *testing.T) {
	f := format.Format{}
	mem, s := written(t, f)
	name := fileName(logPrefix, 2, logSuffix)
	mark := int64(len(bytes.TrimRight(readFile(t, mem, name), "\x00"))) - blockHeader
	overwrite(t, mem, name, mark, make([]byte, blockHeader))
	open, err := openSession(mem, f)
	if err != nil {
		t.Fatal(err)
	}
	open.close()
	overwrite(t, mem, name, mark-1, []byte{readFile(t, mem, name)[mark-1] ^ 1})
	var corrupt *CorruptError
	if _, err := openSession(mem, s.format); !errors.As(err, &corrupt) {
		t.Fatal(err)
	}
}

// A torn tail is zeroed before anything is appended: its blocks have the number
// of the next commit and must not mix with it.
func TestTornTailIsZeroed(t *testing.T) {
	f := format.Format{}
	mem, s := written(t, f)
	name := fileName(logPrefix, 2, logSuffix)
	end := int64(len(bytes.TrimRight(readFile(t, mem, name), "\x00")))
	torn := make([]byte, 3*blockHeader)
	block{id: s.header.id, commit: 6, index: 1, kind: kindPart}.seal(torn[blockHeader : 2*blockHeader])
	overwrite(t, mem, name, end, torn)
	open, err := openSession(mem, f)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(open.contents.root(f), s.contents.root(f)) {
		t.Fatal("another root")
	}
	if rest := readFile(t, mem.Crash(vfs.KeepNone, nil), name)[end:]; len(bytes.Trim(rest, "\x00")) != 0 {
		t.Fatalf("a torn tail stays: %x", rest)
	}
}

// After a failed sync the disk refuses everything. Another opening finds the
// commit in the page cache, which the kernel may hold for clean, and makes it
// durable.
func TestFailedSync(t *testing.T) {
	f := format.Format{}
	mem := vfs.NewMem()
	s, err := openSession(mem, f)
	if err != nil {
		t.Fatal(err)
	}
	mem.Before = func(c vfs.Call) error {
		if c.Op == "datasync" {
			return syscall.EIO
		}
		return nil
	}
	c := randomChanges(f, rand.New(rand.NewPCG(5, 5)), 50)
	if err := s.commit(c); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	mem.Before = nil
	if err := s.append(leaves(c).sorted, f.Placeholder()); !errors.Is(err, syscall.EIO) {
		t.Fatal("a commit behind a failed sync:", err)
	}
	if _, err := s.rotate(); !errors.Is(err, syscall.EIO) {
		t.Fatal("a checkpoint behind a failed sync:", err)
	}
	s.close()
	want := s.contents.root(f)
	for range 2 {
		if s, err = openSession(mem, f); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.contents.root(f), want) {
			t.Fatal("another root")
		}
		mem = mem.Crash(vfs.KeepNone, nil)
	}
}

// Files that are missing or come from another store, and other formats.
func TestWrongFiles(t *testing.T) {
	f := format.Format{}
	mem, _ := written(t, f)
	checkpoint, log := fileName(checkpointPrefix, 2, checkpointSuffix), fileName(logPrefix, 2, logSuffix)
	_, err := openSession(mem.Crash(vfs.KeepAll, nil), format.Format{Sum: format.SumCount})
	var other *FormatError
	if !errors.As(err, &other) || other.Stored != f || other.Asked.Sum != format.SumCount {
		t.Fatal(err)
	}
	for _, name := range []string{checkpoint, log} {
		left := mem.Crash(vfs.KeepAll, nil)
		left.Remove(path.Join(testDir, name))
		var corrupt *CorruptError
		if _, err := openSession(left, f); !errors.As(err, &corrupt) {
			t.Fatalf("without %s: %v", name, err)
		}
		foreign, _ := written(t, f)
		left = mem.Crash(vfs.KeepAll, nil)
		left.Remove(path.Join(testDir, name))
		file, _ := left.Create(path.Join(testDir, name))
		file.WriteAt(readFile(t, foreign, name), 0)
		if _, err := openSession(left, f); !errors.As(err, &corrupt) || corrupt.Why != "file belongs to another store" {
			t.Fatalf("with %s of another store: %v", name, err)
		}
	}
}

func TestLocked(t *testing.T) {
	mem := vfs.NewMem()
	s, err := openSession(mem, format.Format{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openSession(mem, format.Format{}); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	s.close()
	if s, err = openSession(mem, format.Format{}); err != nil {
		t.Fatal(err)
	}
	s.close()
}
