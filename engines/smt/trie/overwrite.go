package trie

import (
	"math/bits"

	"assay/smt/format"
)

// maxDepth is more than the depth of any branch.
const maxDepth = 512

// overwrites tells whether located items do no more than to give leaves new
// values in place: the branches stay as they are, so the workers can share that.
func (t *Trie) overwrites(items []item) bool {
	s := &t.store
	if s.ValueHasher == format.RawValue || len(t.history.frozen) > 0 {
		return false
	}
	for i := range items {
		if items[i].delete || int(items[i].match) < s.PathBits() {
			return false
		}
	}
	return true
}

// overwriteAll is overwrite for all located items, by all workers if they are many.
func (t *Trie) overwriteAll(items []item) {
	stop := maxDepth
	if len(t.hashers) > 1 && len(items) >= 256 {
		stop = bits.Len(uint(len(items) / 64))
	}
	t.shares = t.overwrite(rootSlot, items, stop, t.shares[:0])
	if len(t.shares) == 0 {
		return
	}
	t.each(len(t.shares), func(_, i int) {
		t.overwrite(t.shares[i].at, t.shares[i].items, maxDepth, nil)
	})
	clear(t.shares) // the items may be let go
}

// overwrite gives the leaves in slot at and below their new values. Branches at
// depth stop and below are left to do: they are appended to parts.
func (t *Trie) overwrite(at slot, items []item, stop int, parts []part) []part {
	s := &t.store
	t.mark(at)
	r := *s.child(at)
	if r.isLeaf() {
		copy(s.leafRecord(r.index()), t.sorter.record(items[0].op))
		return parts
	}
	depth := int(s.branch(r.index()).depth)
	if depth >= stop {
		return append(parts, part{at: at, items: items})
	}
	left := t.splitItems(items, depth)
	if left > 0 {
		parts = t.overwrite(slotOf(r.index(), 0), items[:left], stop, parts)
	}
	if left < len(items) {
		parts = t.overwrite(slotOf(r.index(), 1), items[left:], stop, parts)
	}
	return parts
}
