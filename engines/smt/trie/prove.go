package trie

import (
	"fmt"

	"assay/smt/format"
	"assay/smt/proof"
)

// trail is the way of a walk by the bits of a path to a leaf.
type trail struct {
	branches [512]uint32
	n        int
	leaf     uint32
}

func (v view) follow(w *trail, path []byte) {
	r := v.root
	w.n = 0
	for !r.isLeaf() {
		b := v.s.branch(r.index())
		w.branches[w.n] = r.index()
		w.n++
		r = b.child[format.Bit(path, int(b.depth))]
	}
	w.leaf = r.index()
}

func (v view) prove(p *proof.Proof, key []byte) error {
	var buf pathBuffer
	path := buf[:v.s.hash]
	if err := v.s.pathOf(path, key); err != nil {
		return err
	}
	v.provePath(p, path)
	return nil
}

// provePath overwrites p, reusing its slices.
func (v view) provePath(p *proof.Proof, path []byte) {
	leafData, siblingData := p.NonMembershipLeafData[:0], p.SiblingData[:0]
	p.NonMembershipLeafData, p.SiblingData = nil, nil
	if v.root == 0 {
		p.SideNodes = p.SideNodes[:0]
		return
	}
	var w trail
	v.follow(&w, path)
	s := v.s
	leafPath := s.path(w.leaf)
	match := format.CommonPrefix(path, leafPath)
	if match == s.PathBits() {
		v.sideNodes(p, &w, w.n, path, 0)
		p.SiblingData = v.appendSibling(siblingData, &w, path)
		return
	}
	k := w.n // branches above the place where the path leaves the trie
	for k > 0 && int(s.branch(w.branches[k-1]).depth) > match {
		k--
	}
	if k == w.n { // at a leaf
		v.sideNodes(p, &w, k, path, 0)
		p.SiblingData = v.appendSibling(siblingData, &w, path)
		p.NonMembershipLeafData = s.AppendLeaf(leafData, leafPath, s.leafValue(w.leaf))
		return
	}
	// Between two levels of a chain: the sibling is the next inner node of it.
	v.sideNodes(p, &w, k, path, match+1)
	below := cursor{branchRef(w.branches[k]), noSlot, -1, match + 1}
	p.SiblingData = v.appendInner(siblingData, below)
	var digest digestBuffer
	s.sum(digest[:], p.SiblingData)
	copy(digest[s.hash:], p.SiblingData[len(p.SiblingData)-s.meta:])
	copy(p.SideNodes[0], digest[:s.digest])
}

// sideNodes writes the siblings of the first n branches of a trail, and
// placeholders for the other levels above depth; 0 is the depth below branch n-1.
func (v view) sideNodes(p *proof.Proof, w *trail, n int, path []byte, depth int) {
	s := v.s
	if depth == 0 && n > 0 {
		depth = int(s.branch(w.branches[n-1]).depth) + 1
	}
	p.SideNodes = sized(p.SideNodes, depth, s.digest)
	var empty digestBuffer
	level := depth - 1 // of the next side node
	for i := n - 1; i >= 0; i-- {
		b := w.branches[i]
		at := int(s.branch(b).depth)
		for ; level > at; level-- {
			copy(p.SideNodes[depth-1-level], empty[:])
		}
		copy(p.SideNodes[depth-1-level], s.digestAt(slotOf(b, 1-format.Bit(path, at))))
		level--
	}
	for ; level >= 0; level-- {
		copy(p.SideNodes[depth-1-level], empty[:])
	}
}

// appendSibling appends the stored form of what is beside the leaf of a trail.
func (v view) appendSibling(dst []byte, w *trail, path []byte) []byte {
	if w.n == 0 {
		return nil
	}
	b := w.branches[w.n-1]
	depth := int(v.s.branch(b).depth)
	at := slotOf(b, 1-format.Bit(path, depth))
	return v.appendStored(dst, cursor{*v.s.child(at), at, depth + 1, depth + 1})
}

// sized gives n slices of size bytes, reusing those of nodes.
func sized(nodes [][]byte, n, size int) [][]byte {
	if cap(nodes) < n {
		nodes = append(make([][]byte, 0, n+8), nodes[:cap(nodes)]...)
	}
	nodes = nodes[:n]
	for i := range nodes {
		if cap(nodes[i]) < size {
			room := make([]byte, (n-i)*size)
			for ; i < n; i++ {
				nodes[i], room = room[:size:size], room[size:]
			}
			break
		}
		nodes[i] = nodes[i][:size]
	}
	return nodes
}

func (v view) proveBatch(keys [][]byte, out []proof.Proof) error {
	if len(keys) != len(out) {
		return fmt.Errorf("%w: %d keys, %d proofs", ErrLength, len(keys), len(out))
	}
	w := walks{proofs: true}
	for len(keys) > 0 {
		n := min(lanes, len(keys))
		if err := v.walkGroup(&w, keys[:n]); err != nil {
			return err
		}
		for i := range n {
			v.provePath(&out[i], v.pathIn(&w, i))
		}
		keys, out = keys[n:], out[n:]
	}
	return nil
}

func (v view) proveClosest(path []byte) (*proof.Closest, error) {
	if err := v.checkPath(path); err != nil {
		return nil, err
	}
	c := &proof.Closest{Path: append([]byte(nil), path...), ClosestProof: &proof.Proof{}}
	s := v.s
	if v.root == 0 {
		c.FlippedBits, c.ClosestPath = []int{0}, s.Placeholder()
		return c, nil
	}
	var w trail
	v.follow(&w, path)
	leafPath := s.path(w.leaf)
	depth := 0
	for _, b := range w.branches[:w.n] {
		for end := int(s.branch(b).depth); depth < end; depth++ { // a chain
			if format.Bit(leafPath, depth) != format.Bit(path, depth) {
				c.FlippedBits = append(c.FlippedBits, depth)
			}
		}
		depth++
	}
	c.Depth = depth
	c.ClosestPath = append([]byte(nil), leafPath...)
	c.ClosestValueHash = append([]byte{}, s.leafValue(w.leaf)...)
	v.sideNodes(c.ClosestProof, &w, w.n, leafPath, 0)
	c.ClosestProof.SiblingData = v.appendSibling(nil, &w, leafPath)
	return c, nil
}
