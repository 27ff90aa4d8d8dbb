package trie

import (
	"bytes"
	"fmt"
	"slices"

	"assay/smt/format"
	"assay/smt/proof"
)

func (v view) clonedDigest(c cursor) []byte {
	dst := make([]byte, v.s.digest)
	v.digestOf(dst, c)
	return dst
}

// proveMulti follows many keys at once; see proof.Multi for the order.
func (v view) proveMulti(keys [][]byte) (*proof.Multi, error) {
	all := make([]byte, len(keys)*v.s.hash)
	paths := make([][]byte, len(keys))
	for i, key := range keys {
		paths[i] = all[i*v.s.hash:][:v.s.hash]
		if err := v.s.pathOf(paths[i], key); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(paths, bytes.Compare)
	p := new(proof.Multi)
	v.multi(p, v.rootCursor(), paths)
	return p, nil
}

func (v view) multi(p *proof.Multi, c cursor, paths [][]byte) {
	switch {
	case len(paths) == 0:
		p.SideNodes = append(p.SideNodes, v.clonedDigest(c))
	case !c.isInner():
		_, asked := slices.BinarySearchFunc(paths, v.leafPathOrNil(c), bytes.Compare)
		p.Ends = append(p.Ends, v.end(c, asked))
	default:
		left := sortedSplit(paths, c.depth)
		children := v.children(c)
		v.multi(p, children[0], paths[:left])
		v.multi(p, children[1], paths[left:])
	}
}

func (v view) leafPathOrNil(c cursor) []byte {
	if c.r == 0 {
		return nil
	}
	return v.leafPath(c)
}

// end is the end of a walk at a leaf, which is claimed or not, or at an empty place.
func (v view) end(c cursor, claimed bool) proof.End {
	e := proof.End{Depth: c.depth}
	if c.r != 0 && !claimed {
		e.Leaf = v.appendStored(nil, c)
	}
	return e
}

// sortedSplit is the number of paths with bit depth 0; they agree on the bits before.
func sortedSplit(paths [][]byte, depth int) int {
	n, _ := slices.BinarySearchFunc(paths, byte(1), func(path []byte, bit byte) int {
		return int(format.Bit(path, depth)) - int(bit)
	})
	return n
}

// proveRange shows all leaves from one path to another; see proof.Range.
func (v view) proveRange(from, to []byte) (*proof.Range, []proof.Leaf, error) {
	for _, path := range [][]byte{from, to} {
		if err := v.checkPath(path); err != nil {
			return nil, nil, err
		}
	}
	if bytes.Compare(from, to) > 0 {
		return nil, nil, fmt.Errorf("%w: range from %x to %x, expected two ascending paths", ErrOrder, from, to)
	}
	p := new(proof.Range)
	w := ranger{v, p, from, to}
	first, last := make([]byte, v.s.hash), bytes.Repeat([]byte{0xff}, v.s.hash)
	w.visit(v.rootCursor(), first, last)
	var leaves []proof.Leaf
	v.walkFrom(from, func(i uint32) bool {
		path := v.s.path(i)
		if bytes.Compare(path, to) > 0 {
			return false
		}
		leaves = append(leaves, proof.Leaf{Path: bytes.Clone(path), LeafValue: append([]byte{}, v.s.leafValue(i)...)})
		return true
	})
	return p, leaves, nil
}

type ranger struct {
	view
	p        *proof.Range
	from, to []byte
}

// visit takes a node that could hold the paths from first to last.
func (w *ranger) visit(c cursor, first, last []byte) {
	inside := func(path []byte) bool { return bytes.Compare(w.from, path) <= 0 && bytes.Compare(path, w.to) <= 0 }
	switch {
	case bytes.Compare(last, w.from) < 0 || bytes.Compare(w.to, first) < 0:
		w.p.SideNodes = append(w.p.SideNodes, w.clonedDigest(c))
	case inside(first) && inside(last): // rebuilt of the leaves
	case !c.isInner():
		e := w.end(c, c.r != 0 && inside(w.leafPath(c)))
		if bytes.Compare(first, w.from) < 0 {
			w.p.From = &e
		} else {
			w.p.To = &e
		}
	default:
		children := w.children(c)
		w.visit(children[0], first, withBit(last, c.depth, 0))
		w.visit(children[1], withBit(first, c.depth, 1), last)
	}
}

// withBit is a copy of path with one bit set to a value.
func withBit(path []byte, i int, bit byte) []byte {
	path = bytes.Clone(path)
	path[i/8] = path[i/8]&^(0x80>>(i%8)) | bit<<(7-i%8)
	return path
}
