package trie

import (
	"assay/smt/format"
)

// cursor is a node of the logical trie, where a chain is an inner node per
// level: subtree r seen from depth. The slot at holds r, and its digest as seen
// from depth top.
type cursor struct {
	r     ref
	at    slot
	top   int
	depth int
}

// noSlot is no slot: no branch has it.
const noSlot = ^slot(0)

func (v view) rootCursor() cursor { return cursor{v.root, rootSlot, 0, 0} }

// isInner reports whether the node has children; one of them may be empty.
func (c cursor) isInner() bool { return c.r != 0 && !c.r.isLeaf() }

// leafPath is the path of the first leaf of a subtree that is not empty.
func (v view) leafPath(c cursor) []byte { return v.s.path(v.s.firstLeaf(c.r)) }

// children are the nodes below an inner node.
func (v view) children(c cursor) [2]cursor {
	i := c.r.index()
	b := v.s.branch(i)
	depth := c.depth + 1
	if int(b.depth) == c.depth {
		return [2]cursor{
			{b.child[0], slotOf(i, 0), depth, depth},
			{b.child[1], slotOf(i, 1), depth, depth},
		}
	}
	var both [2]cursor
	both[0].depth, both[1].depth = depth, depth
	side := format.Bit(v.leafPath(c), c.depth)
	both[side] = c
	both[side].depth = depth
	return both
}

// digestOf writes the digest of a node.
func (v view) digestOf(dst []byte, c cursor) {
	switch {
	case c.r == 0:
		clear(dst)
	case c.depth == c.top || c.r.isLeaf():
		copy(dst, v.held(c.at))
	default:
		v.s.branchDigest(dst, c.r.index(), c.depth, v.leafPath(c))
	}
}

// held is the digest in a slot.
func (v view) held(at slot) []byte {
	if at == rootSlot {
		return v.digest
	}
	return v.s.digestAt(at)
}

// appendInner appends the preimage of an inner node.
func (v view) appendInner(dst []byte, c cursor) []byte {
	var digests [2]digestBuffer
	for i, child := range v.children(c) {
		v.digestOf(digests[i][:v.s.digest], child)
	}
	return v.s.AppendInner(dst, digests[0][:v.s.digest], digests[1][:v.s.digest])
}

// appendStored appends the preimage of a node as it is stored, a chain as an
// extension.
func (v view) appendStored(dst []byte, c cursor) []byte {
	s := v.s
	if c.r.isLeaf() {
		i := c.r.index()
		return s.AppendLeaf(dst, s.path(i), s.leafValue(i))
	}
	end := v.chainEnd(c)
	if end == c {
		return v.appendInner(dst, c)
	}
	var digest digestBuffer
	v.digestOf(digest[:s.digest], end)
	return s.AppendExtension(dst, c.depth, end.depth, v.leafPath(c), digest[:s.digest])
}

// chainEnd is the node below the extension that stores inner node c, or c if it
// is stored as it is.
func (v view) chainEnd(c cursor) cursor {
	c.depth = max(c.depth, min(int(v.s.branch(c.r.index()).depth), format.MaxExtensionEnd))
	return c
}

// nodes calls fn for all nodes below c that are not known, then for c itself.
func (v view) nodes(c cursor, known func(digest []byte) bool, fn func(digest, preimage []byte) error) error {
	if c.r == 0 {
		return nil
	}
	digest := make([]byte, v.s.digest)
	v.digestOf(digest, c)
	if known != nil && known(digest) {
		return nil
	}
	var below []cursor
	if c.isInner() {
		if end := v.chainEnd(c); end != c {
			below = []cursor{end}
		} else {
			children := v.children(c)
			below = children[:]
		}
	}
	for _, child := range below {
		if err := v.nodes(child, known, fn); err != nil {
			return err
		}
	}
	return fn(digest, v.appendStored(nil, c))
}
