package trie

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"assay/smt/format"
)

// source gives n keys, some of them twice and of several lengths, then err.
func source(n int, err error) func() (key, value []byte, weight uint64, _ error) {
	i := -1
	var shared []byte // whose content is valid until the next call
	return func() ([]byte, []byte, uint64, error) {
		if i++; i == n {
			return nil, nil, 0, err
		}
		k := i
		if i%10 == 9 {
			k = i / 2
		}
		shared = append(append(shared[:0], key(k)...), fmt.Append(nil, i)...)
		return shared[:32], shared[32:], uint64(i), nil
	}
}

func TestBulkLoadIsABatchOfAll(t *testing.T) {
	for _, config := range []Config{
		{Workers: 2},
		{Workers: 1, Format: format.Format{Sum: format.SumCount}},
		{Format: format.Format{Sum: format.Sum8, PathHasher: format.IdentityKey}},
		{Format: format.Format{ValueHasher: format.RawValue}},
		{Format: format.Format{Sum: format.SumCount}, StrictSum: true},
	} {
		for _, n := range []int{0, 1, chunk - 1, chunk, chunk + 1, 3*chunk + 100} {
			for _, hint := range []int{0, n, 2 * n} {
				loaded, applied := newTrie(t, config), newTrie(t, config)
				if err := loaded.BulkLoad(hint, source(n, io.EOF)); err != nil {
					t.Fatal(err)
				}
				var b Batch
				for next := source(n, io.EOF); b.Len() < n; {
					key, value, weight, _ := next()
					b.Put(key, value, weight)
				}
				if err := applied.Apply(&b); err != nil {
					t.Fatal(err)
				}
				if got, want := loaded.Root(), applied.Root(); !bytes.Equal(got, want) {
					t.Fatalf("%+v, %d keys: root %x, expected %x", config, n, got, want)
				}
				got, want := loaded.Stats(), applied.Stats()
				if got.MemoryBytes, want.MemoryBytes = 0, 0; got != want {
					t.Errorf("%+v, %d keys: %+v, expected %+v", config, n, got, want)
				}
			}
		}
	}
}

func TestBulkLoadThatFailsLeavesTheTrieEmpty(t *testing.T) {
	broken := errors.New("broken")
	for _, n := range []int{10, 2*chunk + 10} {
		for _, c := range []struct {
			key, value []byte
			err, want  error
		}{
			{nil, nil, broken, broken},
			{[]byte("short"), nil, nil, format.ErrKeyLength},
			{key(-1), make([]byte, 101), nil, ErrValueTooLong},
		} {
			tr := newTrie(t, Config{Format: format.Format{PathHasher: format.IdentityKey}, MaxValue: 100})
			live, count, good := tr.store.branches.live, 0, source(n, nil)
			err := tr.BulkLoad(n, func() ([]byte, []byte, uint64, error) {
				switch count++; {
				case count <= n:
					return good()
				case count == n+1:
					return c.key, c.value, 0, c.err
				}
				return nil, nil, 0, io.EOF
			})
			if !errors.Is(err, c.want) {
				t.Errorf("%d keys: %v, expected %v", n, err, c.want)
			}
			if op := new(OpError); c.err == nil && (!errors.As(err, &op) || op.Index != n) {
				t.Errorf("%v, expected operation %d", err, n)
			}
			if tr.store.branches.live != live || tr.Count() != 0 {
				t.Errorf("%v: %d keys and %d branches are left", err, tr.Count(), tr.store.branches.live-live)
			}
			if err := tr.BulkLoad(n, source(n, io.EOF)); err != nil {
				t.Error(err)
			}
			if err := tr.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestBulkLoadOfASourceThatPanics(t *testing.T) {
	tr := newTrie(t, Config{})
	live, good, count := tr.store.branches.live, source(2*chunk, io.EOF), 0
	func() {
		defer func() { _ = recover() }()
		_ = tr.BulkLoad(0, func() ([]byte, []byte, uint64, error) {
			if count++; count > chunk {
				panic("source")
			}
			return good()
		})
	}()
	if tr.store.branches.live != live {
		t.Errorf("%d branches are left", tr.store.branches.live-live)
	}
	fill(t, tr, 0, 100)
	if err := tr.Check(); err != nil {
		t.Error(err)
	}
}
