package compat

import (
	"bytes"
	"fmt"
	"io"

	"assay/smt/format"
	"assay/smt/proof"
)

// load fills the engine with the trie of a root in the store.
func (b *base) load(root []byte) error {
	r := loader{base: b, canonical: true, digests: set{}}
	if !b.f.IsPlaceholder(root) {
		if err := r.read(root, make([]byte, b.f.HashSize()), 0, format.Inner); err != nil {
			return err
		}
	}
	b.saved = contents{root: root, good: r.digests}
	if !r.canonical {
		b.saved.distrust()
	}
	i := 0
	return b.engine.LoadSorted(func() (path, leafValue []byte, err error) {
		if i == len(r.leaves) {
			return nil, nil, io.EOF
		}
		i++
		return r.leaves[i-1].Path, r.leaves[i-1].LeafValue, nil
	})
}

// loader collects what is in a store.
type loader struct {
	*base
	leaves    []proof.Leaf
	digests   set
	canonical bool // all nodes are; the library leaves chains in several forms
}

// read takes the node at depth, below one of the kind above, whose path begins
// with the first depth bits of prefix; it may change the bits after them.
func (r *loader) read(digest, prefix []byte, depth int, above format.Kind) error {
	preimage, err := r.nodes.Get(digest)
	if err != nil {
		return err
	}
	n, err := r.f.Parse(preimage)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStore, err)
	}
	if !bytes.Equal(r.f.AppendDigest(nil, preimage), digest) {
		return fmt.Errorf("%w: a node with another digest than its key %x", ErrStore, digest)
	}
	r.digests.add(digest)
	switch n.Kind {
	case format.Leaf:
		if format.CommonPrefix(n.Path, prefix) < depth {
			return fmt.Errorf("%w: a leaf with the path %x in a wrong place", ErrStore, n.Path)
		}
		r.leaves = append(r.leaves, proof.Leaf{Path: bytes.Clone(n.Path), LeafValue: bytes.Clone(n.LeafValue)})
		return nil
	case format.Extension:
		if n.Start != depth || format.CommonPrefix(n.Path, prefix) < depth {
			return fmt.Errorf("%w: an extension over bits %d to %d at depth %d", ErrStore, n.Start, n.End, depth)
		}
		r.canonical = r.canonical && above != format.Extension &&
			bytes.Equal(preimage, r.f.AppendExtension(nil, n.Start, n.End, n.Path, n.Child))
		copy(prefix, n.Path)
		return r.read(n.Child, prefix, n.End, format.Extension)
	}
	if depth == r.f.PathBits() {
		return fmt.Errorf("%w: an inner node at depth %d", ErrStore, depth)
	}
	before := len(r.leaves)
	for side, child := range [][]byte{n.Left, n.Right} {
		if r.f.IsPlaceholder(child) {
			r.canonical = false // an extension might hold more of the chain
			continue
		}
		setBit(prefix, depth, side)
		if err := r.read(child, prefix, depth+1, format.Inner); err != nil {
			return err
		}
	}
	if len(r.leaves) < before+2 {
		return fmt.Errorf("%w: an inner node with fewer than 2 leaves", ErrStore)
	}
	return nil
}

func setBit(path []byte, i, bit int) {
	path[i/8] &^= 0x80 >> (i % 8)
	path[i/8] |= byte(bit) << (7 - i%8)
}
