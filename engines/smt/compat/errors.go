package compat

import (
	"errors"

	"assay/smt/proof"
	"assay/smt/trie"
)

// Errors; test with errors.Is.
var (
	// ErrKeyNotFound is returned by Delete of an absent key.
	ErrKeyNotFound = trie.ErrKeyNotFound
	// ErrBadProof means that a proof is malformed.
	ErrBadProof = proof.ErrProof
	// ErrInvalidClosestPath means that a path has not the size of a path.
	ErrInvalidClosestPath = errors.New("wrong path length")
	// ErrHasher means that a hasher is none that this package has.
	ErrHasher = errors.New("unsupported hasher")
	// ErrNotSumTrie means that a sum was asked of a plain trie's spec.
	ErrNotSumTrie = errors.New("not a sum trie")
	// ErrStore means that a node store does not hold the trie of a root.
	ErrStore = errors.New("bad node store")
	// ErrRootLength means that a root is not one of a sum trie.
	ErrRootLength = errors.New("wrong root length")
	// ErrKVStoreKeyNotFound is returned by a SimpleMap for an absent key.
	ErrKVStoreKeyNotFound = errors.New("key already empty")
	// ErrKVStoreEmptyKey is returned by a SimpleMap for an empty key.
	ErrKVStoreEmptyKey = errors.New("key is empty")
)
