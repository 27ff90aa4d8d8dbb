package triebench

import (
	"bytes"
	"fmt"
	"testing"
)

// Verify tests an engine before it is measured: roots and values after inserts, updates and deletes,
// proofs of keys that are present and absent, and that batches do what single writes do.
func Verify(t *testing.T, engine Engine) {
	for _, kind := range engine.Kinds {
		for _, count := range []int{1, 2, 3, 10, 1000} {
			t.Run(fmt.Sprintf("trie=%s/keys=%d", kind, count), func(t *testing.T) {
				v := verifier{t, engine, kind, open(t, engine, kind), open(t, engine, kind)}
				v.run(count)
			})
		}
		t.Run(fmt.Sprintf("trie=%s/durable", kind), func(t *testing.T) { verifyDurable(t, engine, kind) })
	}
}

// verifier drives two tries: one by single writes, the other by batches, which may be the same.
type verifier struct {
	*testing.T
	Engine
	kind            Kind
	single, batched Trie
}

func open(t *testing.T, engine Engine, kind Kind) Trie {
	trie, err := engine.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trie.Close(); err != nil {
			t.Error(err)
		}
	})
	return trie
}

func (v *verifier) run(count int) {
	entries := PresentEntries(count)
	missing := randomEntries(absent, 20)
	v.must(updateEach(v.single, entries))
	v.must(load(v.batched, entries))
	v.check(entries, missing)

	updates, after := entries.Rewritten((count + 1) / 2)
	v.must(updateEach(v.single, updates))
	v.must(updateAll(v.batched, updates))
	v.check(after, missing)
	v.checkClosest(missing)

	removed, left := after.without((count + 1) / 2)
	v.must(deleteEach(v.single, removed))
	v.must(deleteAll(v.batched, removed))
	v.check(left, removed.Slice(0, min(removed.Len(), 20)))
}

// check commits both tries and compares their roots with that of a fresh trie, and all values and
// proofs with the entries.
func (v *verifier) check(entries, missing Entries) {
	v.Helper()
	want, err := v.Engine.Root(v.kind, entries)
	v.must(err)
	for _, trie := range []Trie{v.single, v.batched} {
		before, err := trie.Root()
		v.must(err)
		before = bytes.Clone(before)
		root, err := trie.Commit()
		v.must(err)
		if !bytes.Equal(root, want) || !bytes.Equal(before, want) {
			v.Fatalf("root %x before and %x after a commit, expected %x", before, root, want)
		}
	}
	v.checkReads(entries, want, true)
	if entries.Len() > 0 {
		v.checkReads(missing, want, false)
	}
}

func (v *verifier) checkReads(entries Entries, root []byte, present bool) {
	v.Helper()
	keys := entries.Keys()
	reader, batches := v.batched.(BatchReader)
	var values [][]byte
	if batches {
		var err error
		values, err = reader.GetBatch(keys)
		v.must(err)
		v.must(reader.ProveBatch(keys))
	}
	for i, key := range keys {
		_, value, weight := entries.At(i)
		wrong := bytes.Repeat([]byte{1}, 32)
		if !present {
			value, weight = nil, 0
		}
		got, err := v.single.Get(key)
		v.must(err)
		v.must(checkValue(v.Engine, value, got))
		proof, err := v.single.Prove(key)
		v.must(err)
		v.must(v.Engine.Verify(v.kind, root, key, value, weight, proof))
		if v.Engine.Verify(v.kind, root, key, wrong, weight, proof) == nil {
			v.Fatalf("the proof of key %x is accepted for a value that it does not have", key)
		}
		if batches {
			v.must(checkValue(v.Engine, value, values[i]))
			v.must(v.Engine.Verify(v.kind, root, key, value, weight, reader.BatchProof(i)))
		}
	}
}

// checkClosest is for tries without deletes: the published library panics in some with deletes.
func (v *verifier) checkClosest(paths Entries) {
	v.Helper()
	prover, ok := v.single.(ClosestProver)
	if !ok {
		return
	}
	root, err := v.single.Root()
	v.must(err)
	for _, path := range paths.Keys() {
		closest, err := prover.ProveClosest(path)
		v.must(err)
		v.must(v.VerifyClosest(v.kind, root, path, closest))
	}
}

func (v *verifier) must(err error) {
	if err != nil {
		v.Helper()
		v.Fatal(err)
	}
}

// verifyDurable opens a trie on disk again after commits.
func verifyDurable(t *testing.T, engine Engine, kind Kind) {
	if engine.Open == nil {
		t.Skip("this trie is not durable")
	}
	dir := t.TempDir()
	entries := PresentEntries(100)
	trie, err := engine.Open(kind, dir, entries)
	if err != nil {
		t.Fatal(err)
	}
	updates, after := entries.Rewritten(20)
	if err := commitEach(trie, updates, 10, updateAll); err != nil {
		t.Fatal(err)
	}
	root, err := engine.Root(kind, after)
	if err != nil {
		t.Fatal(err)
	}
	if err := trie.Close(); err != nil {
		t.Fatal(err)
	}
	if trie, err = engine.Reopen(kind, dir, root); err != nil {
		t.Fatal(err)
	}
	v := verifier{t, engine, kind, trie, trie}
	v.check(after, randomEntries(absent, 20))
	v.must(trie.Close())
}
