package compat_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"assay/smt/compat"
)

var errDisk = errors.New("disk full")

// meteredStore counts the calls, and fails those after the first `left`.
type meteredStore struct {
	compat.MapStore
	calls, left int
}

func newMeteredStore(m map[string][]byte) *meteredStore {
	return &meteredStore{MapStore: compat.NewSimpleMapWithMap(m), left: math.MaxInt}
}

func (s *meteredStore) call() error {
	s.calls++
	if s.left--; s.left < 0 {
		return errDisk
	}
	return nil
}

func (s *meteredStore) Get(key []byte) ([]byte, error) {
	if err := s.call(); err != nil {
		return nil, err
	}
	return s.MapStore.Get(key)
}

func (s *meteredStore) Set(key, value []byte) error {
	if err := s.call(); err != nil {
		return err
	}
	return s.MapStore.Set(key, value)
}

func (s *meteredStore) Delete(key []byte) error {
	if err := s.call(); err != nil {
		return err
	}
	return s.MapStore.Delete(key)
}

func updateAll(t *testing.T, trie *compat.SMT, keys int) {
	t.Helper()
	for i := range keys {
		if err := trie.Update(fmt.Append(nil, i), fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCommitTouchesWhatChanged(t *testing.T) {
	const keys = 10_000
	m := map[string][]byte{}
	store := newMeteredStore(m)
	trie := compat.NewSparseMerkleTrie(store, sha256.New())
	updateAll(t, trie, keys)
	commit := func(what string, most int) {
		t.Helper()
		before := store.calls
		if err := trie.Commit(); err != nil {
			t.Fatal(err)
		}
		if calls := store.calls - before; calls > most {
			t.Errorf("%s: %d calls of the store, expected at most %d", what, calls, most)
		}
	}
	commit("a fill", len(m)+keys*3)
	commit("no change", 0)
	// A path of some log2 keys + 2 nodes is written, the old one read and deleted.
	most := 3 * int(math.Log2(keys)+10)
	if err := trie.Update([]byte("5"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	commit("an update", most)
	if err := trie.Delete([]byte("7")); err != nil {
		t.Fatal(err)
	}
	commit("a delete", most)
	// Nor does it look at much more than it writes.
	update := 0
	allocs := testing.AllocsPerRun(20, func() {
		update++
		if err := errors.Join(trie.Update([]byte("5"), fmt.Append(nil, update)), trie.Commit()); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 1000 {
		t.Errorf("an update: %v allocations, expected less than 1000", allocs)
	}
	root := trie.Root()
	trie = compat.ImportSparseMerkleTrie(store, sha256.New(), root)
	if _, err := trie.Get(nil); err != nil { // reads all
		t.Fatal(err)
	}
	if err := trie.Update([]byte("9"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	commit("an update after an import", most)
}

// Wherever a commit fails, the next one leaves what a trie leaves that never failed.
func TestCommitAfterAFailedOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := map[string][]byte{}
	store := newMeteredStore(m)
	trie := compat.NewSparseMerkleTrie(store, sha256.New())
	contents := map[string][]byte{}
	change := func() {
		for range 6 {
			key, value := fmt.Append(nil, rng.IntN(60)), fmt.Append(nil, rng.Uint32())
			_, there := contents[string(key)]
			var err error
			if there && rng.IntN(2) == 0 {
				delete(contents, string(key))
				err = trie.Delete(key)
			} else {
				contents[string(key)] = value
				err = trie.Update(key, value)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for round := range 300 {
		change()
		store.left = rng.IntN(40)
		for errors.Is(trie.Commit(), errDisk) {
			change()
			store.left = rng.IntN(400)
		}
		store.left = math.MaxInt
		if err := trie.Commit(); err != nil {
			t.Fatal(err)
		}
		fresh := map[string][]byte{}
		other := compat.NewSparseMerkleTrie(compat.NewSimpleMapWithMap(fresh), sha256.New())
		for key, value := range contents {
			if err := other.Update([]byte(key), value); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.Commit(); err != nil {
			t.Fatal(err)
		}
		if !maps.EqualFunc(m, fresh, bytes.Equal) {
			t.Fatalf("round %d: %d nodes stored, expected %d", round, len(m), len(fresh))
		}
	}
}
