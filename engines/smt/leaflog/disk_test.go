package leaflog

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

const testDir = "store"

// Small sizes put several blocks into a commit and several reservations of zeros
// into a log.
func TestMain(m *testing.M) {
	blockBytes, smallCommit, aheadBytes = 2<<10, 1<<10, 6<<10
	os.Exit(m.Run())
}

// leaves is a stand-in for the trie: a map from path to leaf value whose root
// is a hash of all of it.
type leaves map[string][]byte

func (m leaves) sorted(yield func(path, leafValue []byte) bool) {
	for _, path := range slices.Sorted(maps.Keys(m)) {
		if !yield([]byte(path), m[path]) {
			return
		}
	}
}

func (m leaves) root(f format.Format) []byte {
	if len(m) == 0 {
		return f.Placeholder()
	}
	h := sha256.New()
	for path, leafValue := range m.sorted {
		fmt.Fprintf(h, "%x=%x,", path, leafValue)
	}
	root := f.Placeholder()
	copy(root, h.Sum(nil))
	return root
}

func (m leaves) load(f format.Format) loader {
	return func(next func() (path, leafValue []byte, err error)) ([]byte, error) {
		clear(m)
		var before []byte
		for {
			path, leafValue, err := next()
			if err == io.EOF {
				return m.root(f), nil
			}
			if err != nil {
				return nil, err
			}
			if bytes.Compare(before, path) >= 0 {
				return nil, errors.New("leaves out of order")
			}
			before = bytes.Clone(path)
			m[string(path)] = append([]byte{}, leafValue...)
		}
	}
}

// changes is one commit; a nil leaf value is a deletion.
type changes map[string][]byte

func (c changes) applyTo(m leaves) {
	for path, leafValue := range c {
		if leafValue == nil {
			delete(m, path)
		} else {
			m[path] = leafValue
		}
	}
}

// randomChanges changes up to n paths of a small set, so that commits overlap.
func randomChanges(f format.Format, rng *rand.Rand, n int) changes {
	c := changes{}
	for range 1 + rng.IntN(n) {
		path := bytes.Repeat([]byte{byte(rng.IntN(3))}, f.HashSize())
		path[f.HashSize()-1] = byte(rng.IntN(40))
		if rng.IntN(4) == 0 {
			c[string(path)] = nil
			continue
		}
		r := recordsOf(f)
		size := r.minLeaf
		if r.maxLeaf > size {
			size += rng.IntN(700)
		}
		leafValue := make([]byte, size)
		for i := range leafValue {
			leafValue[i] = byte(rng.Uint32())
		}
		c[string(path)] = leafValue
	}
	return c
}

// session is a disk with the contents that it should have.
type session struct {
	*disk
	format   format.Format
	contents leaves
}

func openSession(fsys vfs.FS, f format.Format) (*session, error) {
	s := &session{format: f, contents: leaves{}}
	var err error
	s.disk, err = openDisk(fsys, testDir, f, s.contents.load(f))
	return s, err
}

func (s *session) commit(c changes) error {
	c.applyTo(s.contents)
	return s.append(leaves(c).sorted, s.contents.root(s.format))
}

func (s *session) checkpointNow() error {
	number, err := s.rotate()
	if err != nil {
		return err
	}
	size, err := s.writeCheckpoint(number, s.contents.sorted, s.contents.root(s.format))
	s.replaced(number, size, err)
	return err
}

var testFormats = []format.Format{
	{},
	{Sum: format.SumCount},
	{Hash: format.SHA512, ValueHasher: format.RawValue, Sum: format.Sum8},
	{ValueHasher: format.RawValue},
}

// Commits come back over reopenings and checkpoints, for every form of record.
func TestCommitsComeBack(t *testing.T) {
	for _, f := range testFormats {
		rng := rand.New(rand.NewPCG(1, 2))
		mem := vfs.NewMem()
		s, err := openSession(mem, f)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 120 {
			if err := s.commit(randomChanges(f, rng, 1+i%30)); err != nil {
				t.Fatal(err)
			}
			if i%17 == 5 {
				if err := s.checkpointNow(); err != nil {
					t.Fatal(err)
				}
			}
			if i%9 != 4 {
				continue
			}
			if err := s.close(); err != nil {
				t.Fatal(err)
			}
			want := s.contents
			if s, err = openSession(mem, f); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(s.contents.root(f), want.root(f)) {
				t.Fatalf("%+v: after commit %d: %d leaves, expected %d", f, i+1, len(s.contents), len(want))
			}
		}
		if names, _ := mem.ReadDir(testDir); len(names) != 2 {
			t.Fatalf("files %v, expected a checkpoint and a log", names)
		}
	}
}
