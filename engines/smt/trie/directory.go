package trie

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// directory leads a walk in the newest state past most of its levels: entry p is
// a subtree with all the paths that start with the bits of p, if any do: the one
// that a walk gets to which stops at depth, at a leaf, or above a chain. It has
// two to four entries a key, so that a walk has one or two branches left.
//
// A slot whose subtree is such an end has a span of entries. A change of the
// subtree in it writes them; a change of the branches around it lists them anew.
type directory struct {
	refs     []ref // 1<<depth of them
	mem      []byte
	depth    int  // -1: there is none
	at       int  // leaves changed since it was last made or tried
	reshaped bool // the slot merged last has a new branch, or has lost one
}

// maxSpan bounds what a change can cost. Hashed paths have spans of some 64 at most.
const maxSpan = 1 << 10

// span is the entries of the paths that share the first top bits of prefix.
func (d *directory) span(prefix uint64, top int) []ref {
	n := uint64(1) << (d.depth - top)
	first := prefix >> (64 - d.depth) &^ (n - 1)
	return d.refs[first:][:n]
}

func (d *directory) drop() { d.depth = -1 }

func (d *directory) unmap() {
	if d.mem != nil {
		unmapMemory(d.mem)
	}
	*d = directory{depth: -1}
}

// size makes room for 1<<depth entries.
func (d *directory) size(depth int) {
	n := 1 << depth
	if cap(d.refs) != n {
		d.unmap()
		d.mem = mapMemory(n * int(unsafe.Sizeof(ref(0))))
		d.refs = unsafe.Slice((*ref)(start(d.mem)), n)
	}
}

// noteChild keeps the span of slot at, which is seen from depth top and held before.
func (t *Trie) noteChild(at slot, top int, before ref, prefix uint64) {
	d := &t.directory
	reshaped := d.reshaped || before == 0
	d.reshaped = false
	if top > d.depth {
		return
	}
	r := *t.store.child(at)
	switch {
	case reshaped:
		if !t.list(d.span(prefix, top), r, top) {
			d.drop()
		}
	case r != before && (top == d.depth || t.isEnd(r, top)):
		span := d.span(prefix, top)
		for i := range span {
			span[i] = r
		}
	}
}

// isEnd tells whether r, seen from depth top, is a leaf or has a chain above it.
func (t *Trie) isEnd(r ref, top int) bool {
	return r.isLeaf() || r == 0 || int(t.store.branch(r.index()).depth) != top
}

// list writes the span of r, seen from depth top, if no end in it has too large a one.
func (t *Trie) list(span []ref, r ref, top int) bool {
	if half := len(span) / 2; half > 0 && !t.isEnd(r, top) {
		child := t.store.branch(r.index()).child
		return t.list(span[:half], child[0], top+1) && t.list(span[half:], child[1], top+1)
	}
	for i := range span {
		span[i] = r
	}
	return len(span) <= maxSpan
}

// direct makes the directory anew once the trie has changed by half.
func (t *Trie) direct(changed int) {
	d := &t.directory
	d.at += changed
	if d.at < t.stats.Leaves/2 && d.depth >= 0 || d.at < t.stats.Leaves/8 {
		return
	}
	d.at = 0
	d.drop()
	for depth := bits.Len(uint(t.stats.Leaves)) + 1; depth >= 4; depth -= 2 {
		d.size(depth)
		if t.list(d.refs, *t.store.child(rootSlot), 0) {
			d.depth = depth
			return
		}
	}
}

// entry is where the subtree of a path is noted.
func (d *directory) entry(path []byte) *ref {
	return &d.refs[binary.BigEndian.Uint64(path)>>(64-d.depth)]
}

// start is where the walk for a path may start.
func (v view) start(path []byte) ref {
	if v.directory == nil {
		return v.root
	}
	return *v.directory.entry(path)
}
