package model

import (
	"bytes"
	"slices"

	"assay/smt/format"
	"assay/smt/proof"
)

// walk goes down from the root, at each inner node to the side that choose
// gives, and returns the end, the sibling digests from there up, and the
// sibling data.
func (m *Model) walk(choose func(n *node) byte) (end *node, p *proof.Proof) {
	p = &proof.Proof{}
	n := m.tree()
	var sibling *node
	for n.left != nil {
		n, sibling = n.child(choose(n))
		p.SideNodes = append(p.SideNodes, sibling.digest)
	}
	slices.Reverse(p.SideNodes)
	switch {
	case sibling == nil || sibling.isEmpty():
	case n.isEmpty(): // the walk left a chain: its next node stays an inner node
		p.SiblingData = sibling.preimage
	default:
		p.SiblingData, _ = m.stored(sibling)
	}
	return n, p
}

// Prove is the proof that key has its value, or none.
func (m *Model) Prove(key []byte) (*proof.Proof, error) {
	path, err := m.f.AppendPath(nil, key)
	if err != nil {
		return nil, err
	}
	end, p := m.walk(func(n *node) byte { return format.Bit(path, n.depth) })
	if end.isLeaf() && string(end.path) != string(path) {
		p.NonMembershipLeafData = end.preimage
	}
	return p, nil
}

// ProveClosest is the proof of the leaf that is closest to path, which must
// have the length of a path.
func (m *Model) ProveClosest(path []byte) *proof.Closest {
	c := &proof.Closest{Path: path}
	if len(m.leaves) == 0 {
		c.FlippedBits, c.ClosestPath, c.ClosestProof = []int{0}, m.f.Placeholder(), &proof.Proof{}
		return c
	}
	var leaf *node
	leaf, c.ClosestProof = m.walk(func(n *node) byte {
		bit := format.Bit(path, n.depth)
		if wanted, _ := n.child(bit); wanted.isEmpty() {
			c.FlippedBits = append(c.FlippedBits, n.depth)
			bit ^= 1
		}
		return bit
	})
	c.Depth = leaf.depth
	c.ClosestPath, c.ClosestValueHash = leaf.path, m.leaves[string(leaf.path)]
	return c
}

// ProveMulti is the proof for all of keys at once.
func (m *Model) ProveMulti(keys [][]byte) (*proof.Multi, error) {
	var paths [][]byte
	for _, key := range keys {
		path, err := m.f.AppendPath(nil, key)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	var p proof.Multi
	var visit func(n *node, paths [][]byte)
	visit = func(n *node, paths [][]byte) {
		switch {
		case len(paths) == 0:
			p.SideNodes = append(p.SideNodes, n.digest)
		case n.left == nil:
			end := proof.End{Depth: n.depth}
			asked := func(path []byte) bool { return string(path) == string(n.path) }
			if n.isLeaf() && !slices.ContainsFunc(paths, asked) {
				end.Leaf = n.preimage
			}
			p.Ends = append(p.Ends, end)
		default:
			var left, right [][]byte
			for _, path := range paths {
				if format.Bit(path, n.depth) == 0 {
					left = append(left, path)
				} else {
					right = append(right, path)
				}
			}
			visit(n.left, left)
			visit(n.right, right)
		}
	}
	visit(m.tree(), paths)
	return &p, nil
}

// ProveRange is the proof of all leaves with from <= path <= to, and these
// leaves.
func (m *Model) ProveRange(from, to []byte) (*proof.Range, []proof.Leaf) {
	var p proof.Range
	var visit func(n *node, first, last []byte)
	visit = func(n *node, first, last []byte) { // first and last path that n could hold
		inside := func(path []byte) bool { return bytes.Compare(from, path) <= 0 && bytes.Compare(path, to) <= 0 }
		switch {
		case bytes.Compare(last, from) < 0 || bytes.Compare(to, first) < 0:
			p.SideNodes = append(p.SideNodes, n.digest)
		case inside(first) && inside(last): // rebuilt of the claimed leaves
		case n.left == nil:
			end := &proof.End{Depth: n.depth}
			if n.isLeaf() && !inside(n.path) {
				end.Leaf = n.preimage
			}
			if bytes.Compare(first, from) < 0 {
				p.From = end
			} else {
				p.To = end
			}
		default:
			visit(n.left, first, withBit(last, n.depth, 0))
			visit(n.right, withBit(first, n.depth, 1), last)
		}
	}
	n := m.f.HashSize()
	visit(m.tree(), make([]byte, n), slices.Repeat([]byte{0xff}, n))
	leaves := slices.DeleteFunc(m.Leaves(), func(l proof.Leaf) bool {
		return bytes.Compare(l.Path, from) < 0 || bytes.Compare(to, l.Path) < 0
	})
	return &p, leaves
}

// withBit is a copy of path with bit i set to bit.
func withBit(path []byte, i int, bit byte) []byte {
	path = slices.Clone(path)
	path[i/8] &^= 0x80 >> (i % 8)
	path[i/8] |= bit << (7 - i%8)
	return path
}
