package pokt

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/smt/compat"

	"github.com/pokt-network/smt"
)

// The library and package compat get the same random history. Now and then each
// goes on from the node store of the other, and all the time each verifies the
// proofs of the other, through gob.
func TestCompatAndTheLibraryReadEachOther(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 0))
		stores := []compat.MapStore{compat.NewSimpleMap(), compat.NewSimpleMap()}
		theirs := smt.NewSparseMerkleSumTrie(stores[0], sha256.New())
		ours := compat.NewSparseMerkleSumTrie(stores[1], sha256.New())
		values := map[string]string{}
		weights := map[string]uint64{}
		for step := range 200 {
			key := fmt.Sprint(rng.IntN(60))
			if _, present := values[key]; present && rng.IntN(3) > 0 {
				must(t, theirs.Delete([]byte(key)))
				must(t, ours.Delete([]byte(key)))
				delete(values, key)
				delete(weights, key)
			} else {
				value, weight := fmt.Sprint(rng.Uint32()), rng.Uint64()
				must(t, theirs.Update([]byte(key), []byte(value), weight))
				must(t, ours.Update([]byte(key), []byte(value), weight))
				values[key], weights[key] = value, weight
			}
			root := theirs.Root()
			if !bytes.Equal(ours.Root(), root) {
				t.Fatalf("seed %d, step %d: root %x, expected %x", seed, step, ours.Root(), root)
			}
			asked := fmt.Sprint(rng.IntN(60))
			exchangeProofs(t, theirs, ours, asked, values[asked], weights[asked])
			if step%23 == 0 {
				must(t, theirs.Commit())
				must(t, ours.Commit())
				slices.Reverse(stores)
				theirs = smt.ImportSparseMerkleSumTrie(stores[0], sha256.New(), root)
				ours = compat.ImportSparseMerkleSumTrie(stores[1], sha256.New(), root)
			}
		}
	}
}

func exchangeProofs(t *testing.T, theirs *smt.SMST, ours *compat.SMST, key, value string, weight uint64) {
	t.Helper()
	k, v, root := []byte(key), []byte(value), theirs.Root()

	p, err := theirs.Prove(k)
	must(t, err)
	data, err := p.Marshal()
	must(t, err)
	var mine compat.SparseMerkleProof
	must(t, mine.Unmarshal(data))
	if ok, err := compat.VerifySumProof(&mine, root, k, v, weight, 1, ours.Spec()); !ok {
		t.Fatalf("proof of the library: %v, %v", ok, err)
	}

	q, err := ours.Prove(k)
	must(t, err)
	data, err = q.Marshal()
	must(t, err)
	var other smt.SparseMerkleProof
	must(t, other.Unmarshal(data))
	if ok, err := smt.VerifySumProof(&other, root, k, v, weight, 1, theirs.Spec()); !ok {
		t.Fatalf("proof for the library: %v, %v", ok, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
