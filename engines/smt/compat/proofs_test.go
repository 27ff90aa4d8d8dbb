package compat_test

import (
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"assay/smt/compat"
	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/proof"
)

func specOf(f format.Format) *compat.TrieSpec {
	h, o := options(f)
	spec := compat.NewTrieSpec(h, f.Sum != format.NoSum, o...)
	return &spec
}

func TestGobOfPublishedProofs(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Proofs(t) {
		spec := specOf(cases[v.Case].Format())
		p := (*compat.SparseMerkleProof)(v.Proof.Proof())
		c := (*compat.SparseCompactMerkleProof)(v.Compact.Compact())
		data, err := p.Marshal()
		if err != nil || len(data) != v.GobLen {
			t.Errorf("%s: %d bytes, %v, expected %d", v.Case, len(data), err, v.GobLen)
		}
		data, err = c.Marshal()
		if err != nil || len(data) != v.CompactGobLen {
			t.Errorf("%s: %d bytes compact, %v, expected %d", v.Case, len(data), err, v.CompactGobLen)
		}
		if v.Gob == nil {
			continue
		}
		var q compat.SparseMerkleProof
		var d compat.SparseCompactMerkleProof
		if err := errors.Join(q.Unmarshal(v.Gob), d.Unmarshal(v.CompactGob)); err != nil {
			t.Fatal(err)
		}
		verify := func(what string, ok bool, err error) {
			if !ok {
				t.Errorf("%s: %s %v, %v", v.Case, what, ok, err)
			}
		}
		if cases[v.Case].Kind == "smt" {
			ok, err := compat.VerifyProof(&q, v.Root, v.Key, v.Value, spec)
			verify("proof", ok, err)
			ok, err = compat.VerifyCompactProof(&d, v.Root, v.Key, v.Value, spec)
			verify("compact proof", ok, err)
		} else {
			ok, err := compat.VerifySumProof(&q, v.Root, v.Key, v.Value, v.Weight, v.Count, spec)
			verify("proof", ok, err)
			ok, err = compat.VerifyCompactSumProof(&d, v.Root, v.Key, v.Value, v.Weight, v.Count, spec)
			verify("compact proof", ok, err)
		}
	}
}

func TestGobOfPublishedClosestProofs(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Closests(t) {
		c := v.Proof()
		p := &compat.SparseMerkleClosestProof{
			Path: c.Path, FlippedBits: c.FlippedBits, Depth: c.Depth, ClosestPath: c.ClosestPath,
			ClosestValueHash: c.ClosestValueHash, ClosestProof: (*compat.SparseMerkleProof)(c.ClosestProof),
		}
		spec := specOf(cases[v.Case].Format())
		compact, err := compat.CompactClosestProof(p, spec)
		if err != nil {
			t.Fatal(err)
		}
		data, err := p.Marshal()
		if err != nil || len(data) != v.GobLen {
			t.Errorf("%s: %d bytes, %v, expected %d", v.Case, len(data), err, v.GobLen)
		}
		compactData, err := compact.Marshal()
		if err != nil || len(compactData) != v.CompactGobLen {
			t.Errorf("%s: %d bytes compact, %v, expected %d", v.Case, len(compactData), err, v.CompactGobLen)
		}
		var q compat.SparseMerkleClosestProof
		var d compat.SparseCompactMerkleClosestProof
		if err := errors.Join(q.Unmarshal(data), d.Unmarshal(compactData)); err != nil {
			t.Fatal(err)
		}
		if ok, err := compat.VerifyClosestProof(&q, v.Root, spec); !ok {
			t.Errorf("%s: %v, %v", v.Case, ok, err)
		}
		if ok, err := compat.VerifyCompactClosestProof(&d, v.Root, spec); !ok {
			t.Errorf("%s, compact: %v, %v", v.Case, ok, err)
		}
		if f := cases[v.Case].Format(); string(q.GetValueHash(spec)) != string(c.ClosestValueHash[:max(len(c.ClosestValueHash)-f.MetaSize(), 0)]) {
			t.Errorf("%s: value hash %x of %x", v.Case, q.GetValueHash(spec), c.ClosestValueHash)
		}
	}
}

// The defects of the published library that its tries have; those of its
// verifiers are in package proof.

func TestUpdateLeavesTheValueAlone(t *testing.T) {
	trie := compat.NewSparseMerkleSumTrie(compat.NewSimpleMap(), sha256.New(), compat.WithValueHasher(nil))
	buffer := []byte("value, and room after it for sum and count")
	want := string(buffer)
	if err := trie.Update([]byte("key"), buffer[:5], 1<<63+5); err != nil {
		t.Fatal(err)
	}
	trie.Root()
	if string(buffer) != want {
		t.Errorf("%q, expected %q", buffer, want)
	}
}

func TestClosestProofsAfterDeletes(t *testing.T) {
	for _, f := range []format.Format{{}, {Sum: format.SumCount, ValueHasher: format.RawValue}} {
		trie := open(f, compat.NewSimpleMap(), nil)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			key := []byte{byte(rng.Uint32() % 40)}
			if err := trie.Delete(key); err != nil {
				if err := trie.Update(key, key, 1); err != nil {
					t.Fatal(err)
				}
			}
			path := sha256.Sum256(key)
			path[rng.IntN(32)] ^= 1
			var c *compat.SparseMerkleClosestProof
			var err error
			if trie.smt != nil {
				c, err = trie.smt.ProveClosest(path[:])
			} else {
				c, err = trie.smst.ProveClosest(path[:])
			}
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := compat.VerifyClosestProof(c, trie.Root(), trie.Spec()); !ok {
				t.Fatalf("%+v: %v, %v", f, ok, err)
			}
		}
	}
}

// Deletes leave neither nodes nor sibling data that a fresh trie would not have.
func TestDeletesLeaveNoTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		used, fresh := map[string][]byte{}, map[string][]byte{}
		a := compat.NewSparseMerkleTrie(compat.NewSimpleMapWithMap(used), sha256.New())
		b := compat.NewSparseMerkleTrie(compat.NewSimpleMapWithMap(fresh), sha256.New())
		for i := range byte(40) {
			if err := a.Update([]byte{i}, []byte{i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Commit(); err != nil {
			t.Fatal(err)
		}
		for i := range byte(40) {
			if rng.IntN(3) > 0 {
				if err := a.Delete([]byte{i}); err != nil {
					t.Fatal(err)
				}
			} else if err := b.Update([]byte{i}, []byte{i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(a.Commit(), b.Commit()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(used, fresh) {
			t.Fatalf("%d nodes, fresh %d, or other bytes", len(used), len(fresh))
		}
		for i := range byte(40) {
			p, err := a.Prove([]byte{i})
			q, err2 := b.Prove([]byte{i})
			if err := errors.Join(err, err2); err != nil || !reflect.DeepEqual(p, q) {
				t.Fatalf("proof %+v, fresh %+v, %v", p, q, err)
			}
		}
	}
}

func TestNilProofsAreErrors(t *testing.T) {
	spec := specOf(format.Format{Sum: format.SumCount})
	for name, verify := range map[string]func() (bool, error){
		"VerifySumProof": func() (bool, error) { return compat.VerifySumProof(nil, nil, nil, nil, 0, 0, spec) },
		"VerifyCompactSumProof": func() (bool, error) {
			return compat.VerifyCompactSumProof(nil, nil, nil, nil, 0, 0, spec)
		},
		"VerifyClosestProof":        func() (bool, error) { return compat.VerifyClosestProof(nil, nil, spec) },
		"VerifyCompactClosestProof": func() (bool, error) { return compat.VerifyCompactClosestProof(nil, nil, spec) },
	} {
		if ok, err := verify(); ok || !errors.Is(err, compat.ErrBadProof) {
			t.Errorf("%s: %v, %v, expected ErrBadProof", name, ok, err)
		}
	}
	if _, err := compat.VerifyProof(nil, nil, nil, nil, nil); !errors.Is(err, compat.ErrHasher) {
		t.Errorf("no spec: %v, expected ErrHasher", err)
	}
}

func FuzzUnmarshal(fz *testing.F) {
	for i, v := range vectors.Proofs(fz) {
		if v.Gob != nil && i%20 == 0 {
			fz.Add([]byte(v.Gob))
			fz.Add([]byte(v.CompactGob))
		}
	}
	spec := specOf(format.Format{})
	fz.Fuzz(func(t *testing.T, data []byte) {
		var p compat.SparseMerkleProof
		var c compat.SparseCompactMerkleProof
		var closest compat.SparseMerkleClosestProof
		var compactClosest compat.SparseCompactMerkleClosestProof
		for _, err := range []error{p.Unmarshal(data), c.Unmarshal(data), closest.Unmarshal(data), compactClosest.Unmarshal(data)} {
			if err != nil && !errors.Is(err, proof.ErrProof) {
				t.Fatal(err)
			}
		}
		key := make([]byte, 32)
		for _, verify := range []func() (bool, error){
			func() (bool, error) { return compat.VerifyProof(&p, key, key, nil, spec) },
			func() (bool, error) { return compat.VerifyCompactProof(&c, key, key, nil, spec) },
			func() (bool, error) { return compat.VerifyClosestProof(&closest, key, spec) },
			func() (bool, error) { return compat.VerifyCompactClosestProof(&compactClosest, key, spec) },
		} {
			if _, err := verify(); err != nil && !errors.Is(err, compat.ErrBadProof) {
				t.Fatal(err)
			}
		}
	})
}
