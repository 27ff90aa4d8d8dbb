package compat

import "hash"

// SMT is a sparse Merkle trie.
type SMT struct{ *base }

// NewSparseMerkleTrie returns an empty trie that Commit saves in nodes.
func NewSparseMerkleTrie(nodes MapStore, hasher hash.Hash, options ...TrieSpecOption) *SMT {
	return &SMT{open(nodes, hasher, false, nil, options)}
}

// ImportSparseMerkleTrie returns the trie of a root that was saved in nodes. The
// store is read at the first use, which fails if it does not hold the root.
func ImportSparseMerkleTrie(nodes MapStore, hasher hash.Hash, root []byte, options ...TrieSpecOption) *SMT {
	return &SMT{open(nodes, hasher, false, imported(root), options)}
}

// imported is a root to read; an empty one too.
func imported(root []byte) []byte { return append([]byte{}, root...) }

// Update sets the value of key.
func (t *SMT) Update(key, value []byte) error { return t.update(key, value, 0) }

// Get is the hash of the value of key, the value itself without a value hasher,
// and nil for an absent key.
func (t *SMT) Get(key []byte) ([]byte, error) {
	value, _, err := t.get(key)
	return value, err
}

// Root is the root of the trie with all updates.
func (t *SMT) Root() MerkleRoot { return t.currentRoot() }

// SMST is a sparse Merkle sum trie.
type SMST struct{ *base }

// NewSparseMerkleSumTrie is NewSparseMerkleTrie with sums.
func NewSparseMerkleSumTrie(nodes MapStore, hasher hash.Hash, options ...TrieSpecOption) *SMST {
	return &SMST{open(nodes, hasher, true, nil, options)}
}

// ImportSparseMerkleSumTrie is ImportSparseMerkleTrie with sums.
func ImportSparseMerkleSumTrie(nodes MapStore, hasher hash.Hash, root []byte, options ...TrieSpecOption) *SMST {
	return &SMST{open(nodes, hasher, true, imported(root), options)}
}

// Update sets value and weight of key. Sums wrap at 2^64.
func (t *SMST) Update(key, value []byte, weight uint64) error { return t.update(key, value, weight) }

// Get is as SMT.Get, with the weight.
func (t *SMST) Get(key []byte) (value []byte, weight uint64, err error) { return t.get(key) }

// Root is the root of the trie with all updates.
func (t *SMST) Root() MerkleSumRoot { return t.currentRoot() }

// Sum is the sum of all weights modulo 2^64.
func (t *SMST) Sum() (uint64, error) { return t.Root().Sum() }

// Count is the number of keys.
func (t *SMST) Count() (uint64, error) { return t.Root().Count() }

// MustSum is Sum, and panics on an error.
func (t *SMST) MustSum() uint64 { return must(t.Sum()) }

// MustCount is Count, and panics on an error.
func (t *SMST) MustCount() uint64 { return must(t.Count()) }
