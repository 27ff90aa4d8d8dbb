// Package model is the trie again, slow and plain: a map of leaves, and a tree
// of pointers built anew from the sorted map whenever it is asked. Tests compare
// everything else with it.
package model

import (
	"errors"
	"maps"
	"slices"

	"assay/smt/format"
	"assay/smt/proof"
)

// ErrKeyNotFound is returned by Delete of an absent key.
var ErrKeyNotFound = errors.New("key not found")

// Model is a trie. It is not safe for concurrent use.
type Model struct {
	f      format.Format
	leaves map[string][]byte // leaf value by path
	root   *node             // nil: not built since the last change
}

// node is a node of the logical trie: a leaf, an inner node, or empty. Only
// empty nodes have a placeholder as digest.
type node struct {
	depth       int
	digest      []byte
	preimage    []byte // nil when empty
	path        []byte // of a leaf; of an inner node, that of its first leaf
	left, right *node  // both nil or both set
}

// New returns an empty trie.
func New(f format.Format) *Model {
	return &Model{f: f, leaves: map[string][]byte{}}
}

// Update sets the value of key.
func (m *Model) Update(key, value []byte, weight uint64) error {
	path, err := m.f.AppendPath(nil, key)
	if err != nil {
		return err
	}
	m.leaves[string(path)] = m.f.AppendLeafValue(nil, value, weight)
	m.root = nil
	return nil
}

// Delete removes key, or fails with ErrKeyNotFound.
func (m *Model) Delete(key []byte) error {
	path, err := m.f.AppendPath(nil, key)
	if err != nil {
		return err
	}
	if _, ok := m.leaves[string(path)]; !ok {
		return ErrKeyNotFound
	}
	delete(m.leaves, string(path))
	m.root = nil
	return nil
}

// Get is the leaf value of key: the stored value, then sum and count.
func (m *Model) Get(key []byte) (leafValue []byte, ok bool) {
	path, err := m.f.AppendPath(nil, key)
	if err != nil {
		return nil, false
	}
	leafValue, ok = m.leaves[string(path)]
	return leafValue, ok
}

// Len is the number of keys.
func (m *Model) Len() int { return len(m.leaves) }

// Root is the digest of the whole trie.
func (m *Model) Root() []byte { return m.tree().digest }

// Leaves are all leaves in the order of their paths.
func (m *Model) Leaves() []proof.Leaf {
	out := make([]proof.Leaf, 0, len(m.leaves))
	for _, path := range slices.Sorted(maps.Keys(m.leaves)) {
		out = append(out, proof.Leaf{Path: []byte(path), LeafValue: m.leaves[path]})
	}
	return out
}

func (m *Model) tree() *node {
	if m.root == nil {
		m.root = m.build(m.Leaves(), 0)
	}
	return m.root
}

// build makes the subtree at depth of leaves sorted by path.
func (m *Model) build(leaves []proof.Leaf, depth int) *node {
	n := &node{depth: depth}
	switch len(leaves) {
	case 0:
		n.digest = m.f.Placeholder()
		return n
	case 1:
		n.path = leaves[0].Path
		n.preimage = m.f.AppendLeaf(nil, n.path, leaves[0].LeafValue)
	default:
		split := 0
		for split < len(leaves) && format.Bit(leaves[split].Path, depth) == 0 {
			split++
		}
		n.path = leaves[0].Path
		n.left, n.right = m.build(leaves[:split], depth+1), m.build(leaves[split:], depth+1)
		n.preimage = m.f.AppendInner(nil, n.left.digest, n.right.digest)
	}
	n.digest = m.f.AppendDigest(nil, n.preimage)
	return n
}

func (n *node) isEmpty() bool { return n.preimage == nil }
func (n *node) isLeaf() bool  { return n.preimage != nil && n.left == nil }

// isChain reports whether n is an inner node with one empty child.
func (n *node) isChain() bool { return n.left != nil && (n.left.isEmpty() || n.right.isEmpty()) }

// child is the child on side bit, other the child on the other side.
func (n *node) child(bit byte) (child, other *node) {
	if bit == 0 {
		return n.left, n.right
	}
	return n.right, n.left
}

// only is the child of a chain node that is not empty.
func (n *node) only() *node {
	if n.left.isEmpty() {
		return n.right
	}
	return n.left
}

// stored is the preimage of n as it is stored, a chain as an extension, and the
// node below it.
func (m *Model) stored(n *node) (preimage []byte, below *node) {
	end := n
	for end.isChain() && end.depth < format.MaxExtensionEnd {
		end = end.only()
	}
	if end == n {
		return n.preimage, nil
	}
	return m.f.AppendExtension(nil, n.depth, end.depth, n.path, end.digest), end
}

// Nodes is the whole node store: preimage by digest.
func (m *Model) Nodes() map[string][]byte {
	store := map[string][]byte{}
	var visit func(*node)
	visit = func(n *node) {
		if n.isEmpty() {
			return
		}
		preimage, below := m.stored(n)
		store[string(n.digest)] = preimage
		switch {
		case below != nil:
			visit(below)
		case n.left != nil:
			visit(n.left)
			visit(n.right)
		}
	}
	visit(m.tree())
	return store
}
