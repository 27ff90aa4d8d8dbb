// Package oracle tells the root that a trie of known contents must have.
package oracle

import (
	"bytes"
	"slices"

	"assay/smt/bench/triebench"
	"assay/smt/format"
	"assay/smt/trie"
)

// Root returns the root of a fresh trie that the reference engine loads at once. No key may occur
// twice.
func Root(f format.Format, entries triebench.Entries) ([]byte, error) {
	t, err := trie.New(trie.Config{Format: f})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if err := t.BulkLoad(entries.Len(), entries.Reader()); err != nil {
		return nil, err
	}
	return t.AppendRoot(nil)
}

// leaf is a path with the digest of its leaf.
type leaf struct{ path, digest []byte }

// Definition returns the same root as Root from its definition, without a trie and slowly.
func Definition(f format.Format, entries triebench.Entries) ([]byte, error) {
	leaves := make([]leaf, entries.Len())
	for i := range leaves {
		key, value, weight := entries.At(i)
		path, err := f.AppendPath(nil, key)
		if err != nil {
			return nil, err
		}
		preimage := f.AppendLeaf(nil, path, f.AppendLeafValue(nil, value, weight))
		leaves[i] = leaf{path, f.AppendDigest(nil, preimage)}
	}
	slices.SortFunc(leaves, func(a, b leaf) int { return bytes.Compare(a.path, b.path) })
	return subtree(f, leaves, 0), nil
}

// subtree returns the digest of the subtree at depth that holds the sorted leaves.
func subtree(f format.Format, leaves []leaf, depth int) []byte {
	switch len(leaves) {
	case 0:
		return f.Placeholder()
	case 1:
		return leaves[0].digest
	}
	middle, _ := slices.BinarySearchFunc(leaves, 1, func(l leaf, bit int) int {
		return int(format.Bit(l.path, depth)) - bit
	})
	left, right := subtree(f, leaves[:middle], depth+1), subtree(f, leaves[middle:], depth+1)
	return f.AppendDigest(nil, f.AppendInner(nil, left, right))
}
