// Package geth drives the Merkle Patricia trie of go-ethereum with the common workloads, in memory.
//
// A path is the Keccak-256 of a key, as in its state trie; a leaf holds the value itself. A commit
// hashes what was written and leaves all nodes in memory: its own commit, to a database, ends the
// life of a trie.
package geth

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/ethereum/go-ethereum/trie/trienode"

	"assay/smt/bench/triebench"
)

var engine = triebench.Engine{
	Kinds:  []triebench.Kind{triebench.SMT},
	New:    open,
	Root:   root,
	Stored: func(value []byte) []byte { return value },
	Verify: verify,
}

// patricia is a trie whose nodes all stay in memory.
type patricia struct{ *trie.Trie }

func open(triebench.Kind) (triebench.Trie, error) {
	empty, err := trie.New(trie.TrieID(types.EmptyRootHash), nil)
	return patricia{empty}, err
}

func path(key []byte) []byte { return crypto.Keccak256(key) }

// Update copies the value, as the trie keeps it.
func (t patricia) Update(key, value []byte, _ uint64) error {
	return t.Trie.Update(path(key), bytes.Clone(value))
}

// Delete does not tell when the key is absent.
func (t patricia) Delete(key []byte) error { return t.Trie.Delete(path(key)) }

func (t patricia) Get(key []byte) ([]byte, error) { return t.Trie.Get(path(key)) }

// forked is how many random keys are enough to make the root a branch, below which a batch is
// written by several goroutines.
const forked = 64

func (t patricia) UpdateBatch(entries triebench.Entries) error {
	paths, values := make([][]byte, entries.Len()), make([][]byte, entries.Len())
	for i := range paths {
		key, value, _ := entries.At(i)
		paths[i], values[i] = path(key), bytes.Clone(value)
	}
	return t.write(paths, values)
}

func (t patricia) DeleteBatch(entries triebench.Entries) error {
	paths := make([][]byte, entries.Len())
	for i := range paths {
		paths[i] = path(entries.Key(i))
	}
	return t.write(paths, make([][]byte, len(paths)))
}

func (t patricia) write(paths, values [][]byte) error {
	first := min(forked, len(paths))
	for i := range first {
		if err := t.Trie.Update(paths[i], values[i]); err != nil {
			return err
		}
	}
	return t.Trie.UpdateBatch(paths[first:], values[first:])
}

// Prove makes the list of the nodes from the root to the end of the path.
func (t patricia) Prove(key []byte) (triebench.Proof, error) {
	proof := new(trienode.ProofList)
	return proof, t.Trie.Prove(path(key), proof)
}

func (t patricia) Root() ([]byte, error) {
	root := t.Hash()
	return root[:], nil
}

func (t patricia) Commit() ([]byte, error) { return t.Root() }

func (t patricia) Close() error { return nil }

// root computes the root of the sorted paths by another implementation, go-ethereum's stack trie.
func root(_ triebench.Kind, entries triebench.Entries) ([]byte, error) {
	type leaf struct{ path, value []byte }
	leaves := make([]leaf, entries.Len())
	for i := range leaves {
		key, value, _ := entries.At(i)
		leaves[i] = leaf{path(key), value}
	}
	slices.SortFunc(leaves, func(a, b leaf) int { return bytes.Compare(a.path, b.path) })
	stack := trie.NewStackTrie(nil)
	for _, l := range leaves {
		if err := stack.Update(l.path, l.value); err != nil {
			return nil, err
		}
	}
	root := stack.Hash()
	return root[:], nil
}

// verify hashes the nodes of the proof, and follows the path through them.
func verify(_ triebench.Kind, root, key, value []byte, _ uint64, p triebench.Proof) error {
	got, err := trie.VerifyProof(common.BytesToHash(root), path(key), p.(*trienode.ProofList).Set())
	if err == nil && !bytes.Equal(got, value) {
		err = fmt.Errorf("the proof is of value %x, expected %x", got, value)
	}
	if err != nil {
		return errors.Join(errors.New("the proof does not verify"), err)
	}
	return nil
}
