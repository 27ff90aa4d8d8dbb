package trie

import (
	"bytes"
	"fmt"

	"assay/smt/format"
)

// Check computes every digest anew and compares, and checks the shape: depths,
// the bits of paths, the number of leaves. ErrCorrupt tells what is wrong. It
// takes about a microsecond a key.
func (t *Trie) Check() error {
	v, err := t.hashed()
	if err != nil {
		return err
	}
	c := checker{view: v}
	var root digestBuffer
	if v.root != 0 {
		if _, err := c.subtree(root[:v.s.digest], v.root, 0); err != nil {
			return err
		}
	}
	if !bytes.Equal(root[:v.s.digest], v.digest) {
		return fmt.Errorf("%w: root %x, computed %x", ErrCorrupt, v.digest, root[:v.s.digest])
	}
	if c.leaves != t.stats.Leaves {
		return fmt.Errorf("%w: %d leaves, counted %d", ErrCorrupt, t.stats.Leaves, c.leaves)
	}
	return nil
}

type checker struct {
	view
	leaves int
	last   []byte // path of the leaf before
	msg    []byte
}

// subtree writes the digest of r as seen from depth top and gives a path in it.
func (c *checker) subtree(dst []byte, r ref, top int) (path []byte, err error) {
	s := c.s
	if r.isLeaf() {
		path = s.path(r.index())
		if c.seek(path) != r.index() {
			return nil, fmt.Errorf("%w: the directory does not lead to leaf %x", ErrCorrupt, path)
		}
		if c.last != nil && bytes.Compare(c.last, path) >= 0 {
			return nil, fmt.Errorf("%w: leaf %x after %x", ErrCorrupt, path, c.last)
		}
		c.last = path
		c.leaves++
		c.msg = s.AppendLeaf(c.msg[:0], path, s.leafValue(r.index()))
		s.AppendDigest(dst[:0], c.msg)
		return path, nil
	}
	b := s.branch(r.index())
	depth := int(b.depth)
	if depth < top || depth >= s.PathBits() || b.child[0] == 0 || b.child[1] == 0 || b.stale != 0 {
		return nil, fmt.Errorf("%w: branch %d below depth %d: %+v", ErrCorrupt, r.index(), top, *b)
	}
	var paths [2][]byte
	for side, child := range b.child {
		paths[side], err = c.subtree(dst, child, depth+1)
		if err != nil {
			return nil, err
		}
		if held := s.digestAt(slotOf(r.index(), byte(side))); !bytes.Equal(held, dst) {
			return nil, fmt.Errorf("%w: digest %x at depth %d above %x, computed %x", ErrCorrupt, held, depth+1, paths[side], dst)
		}
	}
	if format.CommonPrefix(paths[0], paths[1]) != depth {
		return nil, fmt.Errorf("%w: branch at depth %d between %x and %x", ErrCorrupt, depth, paths[0], paths[1])
	}
	s.branchDigest(dst, r.index(), top, paths[0])
	return paths[0], nil
}
