package trie

import (
	"bytes"
	"errors"
	"testing"

	"assay/smt/format"
)

// A batch into the empty trie may hold several operations of a key: the last one
// counts, as it does one by one.
func TestBulkOfRepeatedKeys(t *testing.T) {
	const n = 3000
	for _, values := range []format.ValueHasher{format.HashValue, format.RawValue} {
		config := Config{Format: format.Format{Sum: format.SumCount, ValueHasher: values}, Workers: 2}
		bulk, single := newTrie(t, config), newTrie(t, config)
		for _, kept := range []int{n, n / 2, 1, 0} { // the others are deleted again
			for _, tr := range []*Trie{bulk, single} {
				tr.clear()
			}
			var b Batch
			for i := range n {
				b.Put(key(i), key(i+1), uint64(i))
				b.Put(key(i), key(i+2), uint64(i))
				if i < kept {
					if err := single.Update(key(i), key(i+2), uint64(i)); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i := kept; i < n; i++ {
				b.Delete(key(i))
			}
			before := bulk.store.branches.next
			b.Delete(key(-1))
			if err := bulk.Apply(&b); !errors.Is(err, ErrKeyNotFound) {
				t.Fatal(err)
			}
			if bulk.store.branches.next != before {
				t.Fatal("a refused batch takes memory")
			}
			b.ops = b.ops[:len(b.ops)-1]
			if err := bulk.Apply(&b); err != nil {
				t.Fatal(err)
			}
			if got, want := bulk.Root(), single.Root(); !bytes.Equal(got, want) {
				t.Fatalf("%d of %d keys: root %x, expected %x", kept, n, got, want)
			}
			if err := bulk.Check(); err != nil {
				t.Fatal(err)
			}
			if live := bulk.store.branches.live; live != max(0, kept-1) {
				t.Fatalf("%d keys: %d branches live", kept, live)
			}
		}
	}
}
