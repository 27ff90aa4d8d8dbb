package proof

import (
	"bytes"

	"assay/smt/format"
)

// region is the first and the last path that a subtree could hold.
type region struct{ first, last [64]byte }

// halves are the regions of the two children of a subtree at depth.
func (r region) halves(depth int) (left, right region) {
	left, right = r, r
	left.last[depth/8] &^= 0x80 >> (depth % 8)
	right.first[depth/8] |= 0x80 >> (depth % 8)
	return left, right
}

// rangeWalker reads the ends of a Range too, and has its bounds.
type rangeWalker struct {
	walker
	from, to       []byte // both included
	fromEnd, toEnd *End   // nil when there is none, or when it is read
}

func (w *rangeWalker) hold(path []byte) bool {
	return bytes.Compare(w.from, path) <= 0 && bytes.Compare(path, w.to) <= 0
}

// VerifyRange reports whether p shows that leaves are all the leaves of the trie
// with the root whose path is from, to or between. Leaves must ascend by path. It
// fails with ErrProof.
func VerifyRange(f format.Format, root, from, to []byte, leaves []Leaf, p *Range) (bool, error) {
	if err := f.Check(); err != nil {
		return false, err
	}
	if err := p.check(f); err != nil {
		return false, err
	}
	n := f.HashSize()
	if len(from) != n || len(to) != n || bytes.Compare(from, to) > 0 {
		return false, malformed("range", "from %x to %x, expected two ascending paths of %d bytes", from, to, n)
	}
	w := rangeWalker{walker{f, p.SideNodes}, from, to, p.From, p.To}
	for i, leaf := range leaves {
		if len(leaf.Path) != n || !w.hold(leaf.Path) {
			return false, malformed("leaves", "number %d has path %x, outside the range", i, leaf.Path)
		}
		if i > 0 && bytes.Compare(leaves[i-1].Path, leaf.Path) >= 0 {
			return false, malformed("leaves", "number %d does not ascend", i)
		}
		if err := checkLeafValue(f, "leaf value", leaf.LeafValue); err != nil {
			return false, err
		}
	}
	var all region
	for i := range n {
		all.last[i] = 0xff
	}
	d, err := w.subtree(leaves, all, 0)
	if err != nil {
		return false, err
	}
	if w.fromEnd != nil || w.toEnd != nil {
		return false, malformed("ends", "one too many")
	}
	return w.finish(d, root)
}

func (p *Range) check(f format.Format) error {
	if p == nil {
		return malformed("proof", "nil")
	}
	for _, e := range []*End{p.From, p.To} {
		if e == nil {
			continue
		}
		if err := e.check(f); err != nil {
			return err
		}
	}
	return checkDigests(f, p.SideNodes)
}

// subtree is the digest of the subtree at depth with the region r, which holds
// these of the claimed leaves.
func (w *rangeWalker) subtree(leaves []Leaf, r region, depth int) (digest, error) {
	n := w.f.HashSize()
	first, last := r.first[:n], r.last[:n]
	if bytes.Compare(last, w.from) < 0 || bytes.Compare(w.to, first) < 0 {
		return w.sideNode()
	}
	if w.hold(first) && w.hold(last) {
		return w.rebuild(leaves, depth), nil
	}
	cutEnd := &w.toEnd
	if bytes.Compare(first, w.from) < 0 {
		cutEnd = &w.fromEnd
	}
	if e := *cutEnd; e != nil {
		here, err := e.at(depth)
		if err != nil {
			return digest{}, err
		}
		if here {
			*cutEnd = nil
			return w.end(e, leaves)
		}
	}
	leftRegion, rightRegion := r.halves(depth)
	split := firstRight(leaves, depth)
	left, err := w.subtree(leaves[:split], leftRegion, depth+1)
	if err != nil {
		return digest{}, err
	}
	right, err := w.subtree(leaves[split:], rightRegion, depth+1)
	if err != nil {
		return digest{}, err
	}
	return w.inner(left, right), nil
}

// end is the digest of the leaf or empty place at an end.
func (w *rangeWalker) end(e *End, leaves []Leaf) (d digest, err error) {
	if e.Leaf == nil {
		if len(leaves) > 1 {
			return d, malformed("ends", "%d leaves at one end at depth %d", len(leaves), e.Depth)
		}
		return w.rebuild(leaves, e.Depth), nil
	}
	leaf, err := parseLeaf(w.f, "leaf of an end", e.Leaf)
	if err != nil {
		return d, err
	}
	if len(leaves) > 0 || w.hold(leaf.Path) {
		return d, malformed("leaf of an end", "a leaf in the range that is not claimed, or in the place of one that is")
	}
	w.f.AppendDigest(d[:0], e.Leaf)
	return d, nil
}

// rebuild is the digest of the subtree at depth that holds exactly these leaves.
func (w *rangeWalker) rebuild(leaves []Leaf, depth int) (d digest) {
	switch len(leaves) {
	case 0:
		return d
	case 1:
		var buf [1 + 3*64]byte
		w.f.AppendDigest(d[:0], w.f.AppendLeaf(buf[:0], leaves[0].Path, leaves[0].LeafValue))
		return d
	}
	split := firstRight(leaves, depth)
	return w.inner(w.rebuild(leaves[:split], depth+1), w.rebuild(leaves[split:], depth+1))
}

// firstRight is the index of the first leaf on the right at depth.
func firstRight(leaves []Leaf, depth int) int {
	lo, hi := 0, len(leaves)
	for lo < hi {
		mid := (lo + hi) / 2
		if format.Bit(leaves[mid].Path, depth) == 1 {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
