package trie

import (
	"encoding/binary"
	"math/bits"
)

// directory leads a walk in the newest state past the first levels: entry p is
// the subtree whose paths start with the bits of p. There is one only where the
// trie has every branch above that depth, as hashed paths make it, so that a
// change concerns one entry. At 1M keys it skips 15 of some 20 levels.
type directory struct {
	refs  []ref // 1<<depth of them
	depth int
	at    int // leaves changed since it was last made or tried
}

// entry is where the subtree of a path is noted.
func (d *directory) entry(prefix uint64) *ref { return &d.refs[prefix>>(64-d.depth)] }

func (d *directory) drop() { d.refs, d.depth = d.refs[:0], -1 }

// noteChild keeps the entry of slot at right, which is seen from depth top.
func (t *Trie) noteChild(at slot, top int, it *item) {
	if top == t.directory.depth {
		*t.directory.entry(it.prefix) = *t.store.child(at)
	}
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
	for depth := bits.Len(uint(t.stats.Leaves)) - 5; depth >= 4; depth-- {
		d.refs = d.refs[:0]
		if t.list(*t.store.child(rootSlot), 0, depth) {
			d.depth = depth
			return
		}
	}
	d.drop()
}

// list appends the subtrees at depth and tells whether all are there.
func (t *Trie) list(r ref, at, depth int) bool {
	d := &t.directory
	if at == depth {
		d.refs = append(d.refs, r)
		return true
	}
	if r.isLeaf() {
		return false
	}
	b := t.store.branch(r.index())
	return int(b.depth) == at && t.list(b.child[0], at+1, depth) && t.list(b.child[1], at+1, depth)
}

// start is where the walk for a path may start.
func (v view) start(path []byte) ref {
	if v.directory == nil {
		return v.root
	}
	return *v.directory.entry(binary.BigEndian.Uint64(path))
}
