package leaflog

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
	"assay/smt/format"
	"assay/smt/model"
	"assay/smt/trie"
)

// A random history of updates, deletions, batches, commits, checkpoints and
// reopenings: the store has the root of the model, whose digests it computed
// again from the leaves.
func TestStoreEqualsModel(t *testing.T) {
	formats := append([]format.Format{{PathHasher: format.IdentityKey, Sum: format.SumCount}}, testFormats...)
	for i, f := range formats {
		var fsys vfs.FS = vfs.NewMem()
		dir := testDir
		if i == 0 {
			fsys, dir = vfs.OS{}, t.TempDir()
		}
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		config := trie.Config{Format: f, Workers: 1 + i%2, MaxValue: 400}
		options := Options{FS: fsys, CheckpointBytes: 4 << 10}
		m := model.New(f)
		s, err := Open(dir, config, options)
		if err != nil {
			t.Fatal(err)
		}
		checkpoints := uint64(0)
		for step := range 300 {
			randomStep(t, f, rng, m, s)
			if got, err := s.Commit(); err != nil || !bytes.Equal(got, m.Root()) {
				t.Fatalf("%+v, step %d: root %x, %v; expected %x", f, step, got, err, m.Root())
			}
			if step%40 == 20 {
				if err := s.Checkpoint(); err != nil {
					t.Fatal(err)
				}
			}
			if step%25 != 3 {
				continue
			}
			checkpoints += s.Stats().Checkpoints
			// Not committed, hence lost.
			if err := errors.Join(s.Update(make([]byte, f.HashSize()), []byte("lost"), 1), s.Close()); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(dir, config, options); err != nil {
				t.Fatalf("%+v, step %d: %v", f, step, err)
			}
			if got := s.Root(); !bytes.Equal(got, m.Root()) {
				t.Fatalf("%+v, step %d: reopened with root %x, expected %x", f, step, got, m.Root())
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if checkpoints < 7+5 {
			t.Fatalf("%d checkpoints, of which 7 were asked for", checkpoints)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); !errors.Is(err, trie.ErrClosed) {
			t.Fatal("second Close:", err)
		}
	}
}

// randomStep does the same to the model and the store.
func randomStep(t *testing.T, f format.Format, rng *rand.Rand, m *model.Model, s *Store) {
	t.Helper()
	key := func() []byte {
		k := make([]byte, f.HashSize())
		k[0], k[len(k)-1] = byte(rng.IntN(8)), byte(rng.IntN(8))
		return k
	}
	for range 1 + rng.IntN(40) {
		k, weight := key(), rng.Uint64()
		if rng.IntN(3) == 0 {
			if got, want := s.Delete(k), m.Delete(k); (got == nil) != (want == nil) {
				t.Fatalf("delete %x: %v, expected %v", k, got, want)
			}
			continue
		}
		value := bytes.Repeat([]byte{byte(weight)}, rng.IntN(400))
		if err := errors.Join(s.Update(k, value, weight), m.Update(k, value, weight)); err != nil {
			t.Fatal(err)
		}
	}
}

// A commit writes path, leaf value and 1 byte a key, and syncs once. Without
// changes it writes nothing.
func TestBytesAndSyncs(t *testing.T) {
	blockBytes, smallCommit = 1<<20, 8<<10
	defer func() { blockBytes, smallCommit = 2<<10, 1<<10 }()
	for _, c := range []struct {
		sum   format.Sum
		bytes uint64
	}{{format.NoSum, 65}, {format.SumCount, 81}} {
		s, err := Open(testDir, trie.Config{Format: format.Format{Sum: c.sum}}, Options{FS: vfs.NewMem()})
		if err != nil {
			t.Fatal(err)
		}
		var b trie.Batch
		const keys = 10_000
		for i := range keys {
			b.Put(fmt.Append(nil, i), fmt.Append(nil, i), uint64(i))
		}
		if err := s.Apply(&b); err != nil {
			t.Fatal(err)
		}
		before := s.Stats()
		for range 2 {
			if _, err := s.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		after := s.Stats()
		if syncs, commits := after.Syncs-before.Syncs, after.Commits; syncs != 1 || commits != 1 {
			t.Fatalf("%d syncs, %d commits", syncs, commits)
		}
		if written := after.WrittenBytes - before.WrittenBytes; written > keys*c.bytes+200 {
			t.Fatalf("%d bytes for %d keys", written, keys)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// When the disk is full a commit fails and so does all after it; the directory
// still has the commits before.
func TestStoreFailsStop(t *testing.T) {
	mem := vfs.NewMem()
	s, err := Open(testDir, trie.Config{}, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string) error { return s.Update([]byte(key), []byte("value"), 0) }
	if err := put("first"); err != nil {
		t.Fatal(err)
	}
	root, err := s.Commit()
	if err != nil {
		t.Fatal(err)
	}
	put("second")
	mem.Before = func(c vfs.Call) error {
		if c.Op == "write" {
			return syscall.ENOSPC
		}
		return nil
	}
	if _, err := s.Commit(); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, trie.ErrFailed) {
		t.Fatal(err)
	}
	mem.Before = nil
	_, commit := s.Commit()
	for i, err := range []error{commit, put("third"), s.Checkpoint()} {
		if !errors.Is(err, trie.ErrFailed) {
			t.Fatalf("answer %d of a failed store: %v", i, err)
		}
	}
	if err := s.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("Close:", err)
	}
	if s, err = Open(testDir, trie.Config{}, Options{FS: mem}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Root(); !bytes.Equal(got, root) {
		t.Fatalf("root %x, expected %x", got, root)
	}
}

// A checkpoint that fails beside the commits fails the next one.
func TestFailedCheckpoint(t *testing.T) {
	mem := vfs.NewMem()
	s, err := Open(testDir, trie.Config{}, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	s.Update([]byte("key"), []byte("value"), 0)
	mem.Before = func(c vfs.Call) error {
		if c.Op == "rename" && path.Base(c.Name) == fileName(checkpointPrefix, 1, checkpointSuffix) {
			return syscall.EIO
		}
		return nil
	}
	if err := s.Checkpoint(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	s.Update([]byte("key"), []byte("value 2"), 0)
	if _, err := s.Commit(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	s.Close()
}

// A directory that cannot be written to is refused and left alone.
func TestReadOnlyDirectoryOS(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions do not hold root back; see TestReadOnlyDirectory")
	}
	dir := t.TempDir()
	os.Chmod(dir, 0o500)
	if _, err := Open(dir, trie.Config{}, Options{}); !errors.Is(err, os.ErrPermission) {
		t.Fatal(err)
	}
}
