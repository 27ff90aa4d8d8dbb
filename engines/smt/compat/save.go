package compat

import (
	"bytes"
	"fmt"
	"io"

	"assay/smt/format"
	"assay/smt/proof"
	"assay/smt/trie"
)

// save makes the store hold exactly the nodes of t, of those this trie knows.
func (b *base) save(t *trie.Trie) error {
	now := make(map[string]struct{}, len(b.stored))
	err := t.Nodes(func(digest, preimage []byte) error {
		now[string(digest)] = struct{}{}
		if b.stored[string(digest)] {
			return nil
		}
		if err := b.nodes.Set(bytes.Clone(digest), bytes.Clone(preimage)); err != nil {
			return err
		}
		b.stored[string(digest)] = true
		return nil
	})
	if err != nil {
		return err
	}
	for digest := range b.stored {
		if _, ok := now[digest]; ok {
			continue
		}
		if err := b.nodes.Delete([]byte(digest)); err != nil {
			return err
		}
		delete(b.stored, digest)
	}
	return nil
}

// load fills the engine with the trie of b.root in the store.
func (b *base) load() error {
	var leaves []proof.Leaf
	if !b.f.IsPlaceholder(b.root) {
		if err := b.read(&leaves, b.root, make([]byte, b.f.HashSize()), 0); err != nil {
			return err
		}
	}
	i := 0
	return b.engine.LoadSorted(func() (path, leafValue []byte, err error) {
		if i == len(leaves) {
			return nil, nil, io.EOF
		}
		i++
		return leaves[i-1].Path, leaves[i-1].LeafValue, nil
	})
}

// read appends the leaves of the node at depth whose path begins with the first
// depth bits of prefix; it may change the bits after them.
func (b *base) read(leaves *[]proof.Leaf, digest, prefix []byte, depth int) error {
	preimage, err := b.nodes.Get(digest)
	if err != nil {
		return err
	}
	n, err := b.f.Parse(preimage)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStore, err)
	}
	if !bytes.Equal(b.f.AppendDigest(nil, preimage), digest) {
		return fmt.Errorf("%w: a node with another digest than its key %x", ErrStore, digest)
	}
	// The library leaves chains in several forms; all of a chain is written anew.
	b.stored[string(digest)] = n.Kind == format.Leaf ||
		n.Kind == format.Inner && !b.f.IsPlaceholder(n.Left) && !b.f.IsPlaceholder(n.Right)
	switch n.Kind {
	case format.Leaf:
		if format.CommonPrefix(n.Path, prefix) < depth {
			return fmt.Errorf("%w: a leaf with the path %x in a wrong place", ErrStore, n.Path)
		}
		*leaves = append(*leaves, proof.Leaf{Path: bytes.Clone(n.Path), LeafValue: bytes.Clone(n.LeafValue)})
		return nil
	case format.Extension:
		if n.Start != depth || format.CommonPrefix(n.Path, prefix) < depth {
			return fmt.Errorf("%w: an extension over bits %d to %d at depth %d", ErrStore, n.Start, n.End, depth)
		}
		copy(prefix, n.Path)
		return b.read(leaves, n.Child, prefix, n.End)
	}
	if depth == b.f.PathBits() {
		return fmt.Errorf("%w: an inner node at depth %d", ErrStore, depth)
	}
	before := len(*leaves)
	for side, child := range [][]byte{n.Left, n.Right} {
		if b.f.IsPlaceholder(child) {
			continue
		}
		setBit(prefix, depth, side)
		if err := b.read(leaves, child, prefix, depth+1); err != nil {
			return err
		}
	}
	if len(*leaves) < before+2 {
		return fmt.Errorf("%w: an inner node with fewer than 2 leaves", ErrStore)
	}
	return nil
}

func setBit(path []byte, i, bit int) {
	path[i/8] &^= 0x80 >> (i % 8)
	path[i/8] |= byte(bit) << (7 - i%8)
}
