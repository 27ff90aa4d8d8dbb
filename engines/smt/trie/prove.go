package trie

import (
	"fmt"
	"sync"
	"unsafe"

	"assay/smt/format"
	"assay/smt/proof"
)

// trail is the way of a walk by the bits of a path to a leaf.
type trail struct {
	steps [512]step
	n     int
	leaf  uint32
}

// step is a branch that a walk passed.
type step struct {
	sibling slot // the side the walk did not take
	depth   uint16
}

func (st step) branch() uint32 { return st.sibling.branch() }

// pass takes the walk past branch r and gives what is below. What comes next and
// what a proof copies later are on their way into the cache then.
func (v view) pass(w *trail, r ref, path []byte) ref {
	a, line := v.s.branches.both(r.index())
	b := (*branch)(a)
	side := format.Bit(path, int(b.depth))
	w.steps[w.n] = step{slotOf(r.index(), 1-side), b.depth}
	w.n++
	next := b.child[side]
	prefetch(unsafe.Add(line, int(1-side)*v.s.digest), v.s.place(next))
	return next
}

// arrive ends the walk at leaf r.
func (v view) arrive(w *trail, r ref) {
	w.leaf = r.index()
	if w.n > 0 {
		sibling := v.s.place(*v.s.child(w.steps[w.n-1].sibling))
		prefetch(sibling, sibling)
	}
}

func (v view) follow(w *trail, path []byte) {
	w.n = 0
	r := v.root
	// The first levels are in a cache, so the end is brought in while they are passed.
	if v.directory != nil {
		entry := v.directory.entry(path)
		prefetch(unsafe.Pointer(entry), unsafe.Pointer(entry))
		for !r.isLeaf() && w.n < 8 {
			r = v.pass(w, r, path)
		}
		end := v.s.place(*entry)
		prefetch(end, end)
	}
	for !r.isLeaf() {
		r = v.pass(w, r, path)
	}
	v.arrive(w, r)
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
	var w trail
	if v.root != 0 {
		v.follow(&w, path)
	}
	v.proveTrail(p, &w, path)
}

// proveTrail is provePath of what the walk found.
func (v view) proveTrail(p *proof.Proof, w *trail, path []byte) {
	leafData, siblingData := p.NonMembershipLeafData[:0], p.SiblingData[:0]
	p.NonMembershipLeafData, p.SiblingData = nil, nil
	if v.root == 0 {
		p.SideNodes = p.SideNodes[:0]
		return
	}
	s := v.s
	leafPath := s.path(w.leaf)
	match := format.CommonPrefix(path, leafPath)
	if match == s.PathBits() {
		v.sideNodes(p, w, w.n, 0)
		p.SiblingData = v.appendSibling(siblingData, w)
		return
	}
	k := w.n // branches above the place where the path leaves the trie
	for k > 0 && int(w.steps[k-1].depth) > match {
		k--
	}
	if k == w.n { // at a leaf
		v.sideNodes(p, w, k, 0)
		p.SiblingData = v.appendSibling(siblingData, w)
		p.NonMembershipLeafData = s.AppendLeaf(leafData, leafPath, s.leafValue(w.leaf))
		return
	}
	// Between two levels of a chain: the sibling is the next inner node of it.
	v.sideNodes(p, w, k, match+1)
	below := cursor{branchRef(w.steps[k].branch()), noSlot, -1, match + 1}
	p.SiblingData = v.appendInner(siblingData, below)
	var digest digestBuffer
	s.sum(digest[:], p.SiblingData)
	copy(digest[s.hash:], p.SiblingData[len(p.SiblingData)-s.meta:])
	copy(p.SideNodes[0], digest[:s.digest])
}

// sideNodes writes the siblings of the first n branches of a trail, and
// placeholders for the other levels above depth; 0 is the depth below branch n-1.
func (v view) sideNodes(p *proof.Proof, w *trail, n int, depth int) {
	s := v.s
	if depth == 0 && n > 0 {
		depth = int(w.steps[n-1].depth) + 1
	}
	p.SideNodes = sized(p.SideNodes, depth, s.digest)
	next := p.SideNodes // the deepest first
	for i := n - 1; i >= 0; i-- {
		st := w.steps[i]
		if chain := len(next) - 1 - int(st.depth); chain > 0 {
			next = skip(next, chain)
		}
		sibling := s.digestAt(st.sibling)
		if len(sibling) == 32 {
			*(*[32]byte)(next[0]) = [32]byte(sibling)
		} else {
			copy(next[0], sibling)
		}
		next = next[1:]
	}
	skip(next, len(next))
}

// skip writes n placeholders and gives the nodes after them.
func skip(nodes [][]byte, n int) [][]byte {
	for _, node := range nodes[:n] {
		clear(node)
	}
	return nodes[n:]
}

// appendSibling appends the stored form of what is beside the leaf of a trail.
func (v view) appendSibling(dst []byte, w *trail) []byte {
	if w.n == 0 {
		return nil
	}
	st := w.steps[w.n-1]
	depth := int(st.depth) + 1
	return v.appendStored(dst, cursor{*v.s.child(st.sibling), st.sibling, depth, depth})
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
		if len(nodes[i]) != size {
			nodes[i] = nodes[i][:size]
		}
	}
	return nodes
}

func (v view) proveBatch(keys [][]byte, out []proof.Proof) error {
	if len(keys) != len(out) {
		return fmt.Errorf("%w: %d keys, %d proofs", ErrLength, len(keys), len(out))
	}
	w := trailsPool.Get().(*trails)
	defer trailsPool.Put(w)
	for len(keys) > 0 {
		n := min(lanes, len(keys))
		if err := v.hashGroup(&w.walks, keys[:n]); err != nil {
			return err
		}
		v.followGroup(w, n)
		for i := range n {
			v.proveTrail(&out[i], &w.trails[i], v.pathIn(&w.walks, i))
		}
		keys, out = keys[n:], out[n:]
	}
	return nil
}

// trails are the walks of a group of proofs.
type trails struct {
	walks
	trails [lanes]trail
}

// trailsPool saves clearing 64 KiB for every batch.
var trailsPool = sync.Pool{New: func() any { return new(trails) }}

// followGroup is follow for the first n paths: the cache misses of a step overlap.
func (v view) followGroup(w *trails, n int) {
	if v.root == 0 {
		return
	}
	for i := range n {
		w.at[i] = v.root
		w.trails[i].n = 0
	}
	for walking := true; walking; {
		walking = false
		for i, r := range w.at[:n] {
			if r.isLeaf() {
				continue
			}
			walking = true
			t := &w.trails[i]
			if w.at[i] = v.pass(t, r, w.paths[i*v.s.hash:]); w.at[i].isLeaf() {
				v.arrive(t, w.at[i])
			}
		}
	}
	if v.root.isLeaf() {
		for i := range n {
			v.arrive(&w.trails[i], v.root)
		}
	}
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
	for _, st := range w.steps[:w.n] {
		for end := int(st.depth); depth < end; depth++ { // a chain
			if format.Bit(leafPath, depth) != format.Bit(path, depth) {
				c.FlippedBits = append(c.FlippedBits, depth)
			}
		}
		depth++
	}
	c.Depth = depth
	c.ClosestPath = append([]byte(nil), leafPath...)
	c.ClosestValueHash = append([]byte{}, s.leafValue(w.leaf)...)
	v.sideNodes(c.ClosestProof, &w, w.n, 0)
	c.ClosestProof.SiblingData = v.appendSibling(nil, &w)
	return c, nil
}
