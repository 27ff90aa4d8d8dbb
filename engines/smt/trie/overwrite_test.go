package trie

import (
	"bytes"
	"testing"

	"assay/smt/format"
)

// New values of keys that are there, by several workers, with and without others
// in the batch, and while a snapshot keeps the old values.
func TestOverwritingByWorkers(t *testing.T) {
	const n = 4000
	config := Config{Format: format.Format{Sum: format.SumCount}, Workers: 3}
	tr := newTrie(t, config)
	fill(t, tr, 0, n)
	before := tr.Root()
	put := func(tr *Trie, lo, hi, value int) {
		t.Helper()
		var b Batch
		for i := lo; i < hi; i++ {
			b.Put(key(i), key(i+value), uint64(i))
		}
		if err := tr.Apply(&b); err != nil {
			t.Fatal(err)
		}
	}
	for name, change := range map[string]func(*Trie){
		"all":               func(tr *Trie) { put(tr, 0, n, 2) },
		"some":              func(tr *Trie) { put(tr, 500, 3000, 2); put(tr, 0, 10, 2) },
		"some and a new":    func(tr *Trie) { put(tr, n-3000, n+1, 2) },
		"under a snapshot":  func(tr *Trie) { defer snapshot(t, tr).Release(); put(tr, 0, n, 2) },
		"after some hashed": func(tr *Trie) { put(tr, 0, 700, 3); tr.Root(); put(tr, 300, 1500, 2) },
	} {
		change(tr)
		got := tr.Root()
		if err := tr.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fresh := newTrie(t, Config{Format: config.Format, Workers: 1})
		fill(t, fresh, 0, n)
		if !bytes.Equal(fresh.Root(), before) {
			t.Fatal("the first root differs")
		}
		change(fresh)
		if want := fresh.Root(); !bytes.Equal(got, want) {
			t.Errorf("%s: root %x, expected %x", name, got, want)
		}
		put(tr, 0, n, 1)
		if name == "some and a new" {
			if err := tr.Delete(key(n)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(tr.Root(), before) {
			t.Errorf("%s: not undone", name)
		}
	}
}

func snapshot(t *testing.T, tr *Trie) *Snapshot {
	t.Helper()
	s, err := tr.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
