// Package pokt drives pokt-network/smt v0.14.1, the newest version of the published library, with
// the common workloads. Its nodes are in its own map, or on disk in its own Pebble store.
package pokt

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/pokt-network/smt"
	"github.com/pokt-network/smt/kvstore"
	"github.com/pokt-network/smt/kvstore/pebble"
	"github.com/pokt-network/smt/kvstore/simplemap"

	"assay/smt/bench/oracle"
	"assay/smt/bench/triebench"
	"assay/smt/format"
	"assay/smt/proof"
)

var engine = triebench.Engine{
	Kinds: []triebench.Kind{triebench.SMT, triebench.SMST},
	New: func(kind triebench.Kind) (triebench.Trie, error) {
		return empty(kind, simplemap.NewSimpleMap()), nil
	},
	Open:   open,
	Reopen: reopen,
	Root: func(kind triebench.Kind, entries triebench.Entries) ([]byte, error) {
		return oracle.Root(formats[kind], entries)
	},
	Stored:        func(value []byte) []byte { h := sha256.Sum256(value); return h[:] },
	Verify:        verify,
	VerifyClosest: verifyClosest,
	Codecs: map[string]func(triebench.Kind, triebench.Proof) ([]byte, error){
		"gob": func(_ triebench.Kind, p triebench.Proof) ([]byte, error) {
			return p.(*smt.SparseMerkleProof).Marshal()
		},
		"gob_compact": func(kind triebench.Kind, p triebench.Proof) ([]byte, error) {
			compact, err := smt.CompactProof(p.(*smt.SparseMerkleProof), specs[kind])
			if err != nil {
				return nil, err
			}
			return compact.Marshal()
		},
	},
}

var (
	formats = map[triebench.Kind]format.Format{
		triebench.SMT:  {},
		triebench.SMST: {Sum: format.SumCount},
	}
	specs = map[triebench.Kind]*smt.TrieSpec{
		triebench.SMT:  newSpec(false),
		triebench.SMST: newSpec(true),
	}
)

func newSpec(sum bool) *smt.TrieSpec {
	spec := smt.NewTrieSpec(sha256.New(), sum)
	return &spec
}

// countingStore counts the bytes of the keys and values that are set.
type countingStore struct {
	kvstore.MapStore
	written uint64
}

func (s *countingStore) Set(key, value []byte) error {
	s.written += uint64(len(key) + len(value))
	return s.MapStore.Set(key, value)
}

// counts is what both kinds of tries share.
type counts struct {
	hash  *triebench.CountingHash
	store *countingStore
}

func (c counts) Counts() triebench.Counts {
	return triebench.Counts{NodeHashes: c.hash.Nodes, WrittenBytes: c.store.written}
}

func (c counts) Close() error {
	if disk, ok := c.store.MapStore.(pebble.PebbleKVStore); ok {
		return disk.Stop()
	}
	return nil
}

func empty(kind triebench.Kind, store kvstore.MapStore) triebench.Trie {
	c := newCounts(store)
	if kind == triebench.SMST {
		return sumTrie{smt.NewSparseMerkleSumTrie(c.store, c.hash), c}
	}
	return plainTrie{smt.NewSparseMerkleTrie(c.store, c.hash), c}
}

func newCounts(store kvstore.MapStore) counts {
	return counts{&triebench.CountingHash{Hash: sha256.New()}, &countingStore{MapStore: store}}
}

// plainTrie is a trie without weights.
type plainTrie struct {
	trie *smt.SMT
	counts
}

func (t plainTrie) Update(key, value []byte, _ uint64) error { return t.trie.Update(key, value) }
func (t plainTrie) Delete(key []byte) error                  { return t.trie.Delete(key) }
func (t plainTrie) Get(key []byte) ([]byte, error)           { return t.trie.Get(key) }
func (t plainTrie) Root() ([]byte, error)                    { return t.trie.Root(), nil }

func (t plainTrie) Prove(key []byte) (triebench.Proof, error) { return t.trie.Prove(key) }

func (t plainTrie) ProveClosest(path []byte) (triebench.Proof, error) {
	return t.trie.ProveClosest(path)
}

func (t plainTrie) Commit() ([]byte, error) {
	err := t.trie.Commit()
	return t.trie.Root(), err
}

// sumTrie is a trie with weights.
type sumTrie struct {
	trie *smt.SMST
	counts
}

func (t sumTrie) Update(key, value []byte, weight uint64) error {
	return t.trie.Update(key, value, weight)
}
func (t sumTrie) Delete(key []byte) error { return t.trie.Delete(key) }
func (t sumTrie) Root() ([]byte, error)   { return t.trie.Root(), nil }

func (t sumTrie) Get(key []byte) ([]byte, error) {
	value, _, err := t.trie.Get(key)
	return value, err
}

func (t sumTrie) Prove(key []byte) (triebench.Proof, error) { return t.trie.Prove(key) }

func (t sumTrie) ProveClosest(path []byte) (triebench.Proof, error) {
	return t.trie.ProveClosest(path)
}

func (t sumTrie) Commit() ([]byte, error) {
	err := t.trie.Commit()
	return t.trie.Root(), err
}

// verify checks a proof with the library's own verifier.
func verify(kind triebench.Kind, root, key, value []byte, weight uint64, p triebench.Proof) error {
	spec := specs[kind]
	var ok bool
	var err error
	if kind == triebench.SMST {
		ok, err = smt.VerifySumProof(p.(*smt.SparseMerkleProof), root, key, value, weight, 1, spec)
	} else {
		ok, err = smt.VerifyProof(p.(*smt.SparseMerkleProof), root, key, value, spec)
	}
	if err == nil && !ok {
		err = errors.New("the proof does not verify")
	}
	return err
}

// verifyClosest checks a proof with our verifier: the library's hashes the value of the leaf a
// second time, and so refuses all closest proofs of tries that hash their values.
func verifyClosest(kind triebench.Kind, root, path []byte, p triebench.Proof) error {
	c := p.(*smt.SparseMerkleClosestProof)
	if !bytes.Equal(c.Path, path) {
		return fmt.Errorf("closest proof of path %x, expected %x", c.Path, path)
	}
	ok, err := proof.VerifyClosest(formats[kind], root, &proof.Closest{
		Path:             c.Path,
		FlippedBits:      c.FlippedBits,
		Depth:            c.Depth,
		ClosestPath:      c.ClosestPath,
		ClosestValueHash: c.ClosestValueHash,
		ClosestProof:     (*proof.Proof)(c.ClosestProof),
	})
	if err == nil && !ok {
		err = fmt.Errorf("the closest proof of path %x does not verify", path)
	}
	return err
}
