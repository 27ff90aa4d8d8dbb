package trie

import (
	"assay/smt/format"
)

// window is how many items are located before they are merged, so that what a
// walk brings into the cache is still there.
const window = 1024

// merge puts the sorted items into the trie. Digests become stale, hashing
// comes later. Deletes must be of paths that are there.
func (t *Trie) merge(items []item) {
	t.dirty += len(items)
	defer t.direct(len(items))
	for len(items) > 0 {
		n := len(items)
		if *t.store.child(rootSlot) == 0 {
			t.directory.drop()
			t.bulk(items)
		} else {
			n = min(n, window)
			t.locateAll(items[:n])
			if t.overwrites(items[:n]) {
				t.overwriteAll(items[:n])
			} else {
				t.mergeAt(rootSlot, 0, items[:n])
			}
		}
		items = items[n:]
	}
}

// locateAll is locate, by all workers if the items are many.
func (t *Trie) locateAll(items []item) {
	if len(items) < 256 {
		t.locate(items)
		return
	}
	t.split(len(items), 128, func(lo, hi int) { t.locate(items[lo:hi]) })
}

// locate finds for every item how many leading bits its path shares with the
// leaf nearest to it. It walks for a group at a time: the cache misses of one
// step overlap.
func (t *Trie) locate(items []item) {
	v := t.now()
	v.directory = nil // the merge needs all branches in the cache
	var w walks
	for lo := 0; lo < len(items); lo += lanes {
		group := items[lo:min(lo+lanes, len(items))]
		for i := range group {
			copy(v.pathIn(&w, i), t.sorter.path(&group[i]))
		}
		v.seekGroup(&w, len(group))
		for i := range group {
			group[i].match = uint16(format.CommonPrefix(v.pathIn(&w, i), v.s.path(w.at[i].index())))
		}
	}
}

// mergeAt merges items, all of which belong below slot at, whose digest is seen
// from depth top.
func (t *Trie) mergeAt(at slot, top int, items []item) {
	before := *t.store.child(at)
	t.mergeSlot(at, top, items)
	t.noteChild(at, top, before, items[0].prefix)
}

func (t *Trie) mergeSlot(at slot, top int, items []item) {
	s := &t.store
	r := *s.child(at)
	if r == 0 {
		t.insert(at, items)
		return
	}
	if !r.isLeaf() {
		depth := int(s.branch(r.index()).depth)
		if depth == top || least(items) >= depth {
			t.descend(at, depth, items)
			return
		}
	} else if least(items) == s.PathBits() { // the leaf itself, so one item
		t.mergeLeaf(at, &items[0])
		return
	}
	t.fork(at, least(items), items)
}

// least is the depth where the first of the items leaves the trie.
func least(items []item) int {
	m := items[0].match
	for i := range items {
		m = min(m, items[i].match)
	}
	return int(m)
}

// descend merges into both sides of the branch in slot at.
func (t *Trie) descend(at slot, depth int, items []item) {
	id := t.own(at)
	t.mark(at)
	left := t.splitItems(items, depth)
	if left > 0 {
		t.mergeAt(slotOf(id, 0), depth+1, items[:left])
	}
	if left < len(items) {
		t.mergeAt(slotOf(id, 1), depth+1, items[left:])
	}
	t.tidy(at, id)
}

// fork puts a new branch above what is in slot at, where items leave it at depth.
func (t *Trie) fork(at slot, depth int, items []item) {
	s := &t.store
	id := t.newBranch(depth)
	var side byte
	for i := range items {
		if int(items[i].match) == depth {
			side = 1 - format.Bit(t.sorter.path(&items[i]), depth)
			break
		}
	}
	t.move(slotOf(id, side), at)
	*s.child(at) = branchRef(id)
	t.mark(at)
	left := t.splitItems(items, depth)
	for i, part := range [2][]item{items[:left], items[left:]} {
		if len(part) > 0 {
			t.mergeAt(slotOf(id, byte(i)), depth+1, part)
		}
	}
	t.tidy(at, id)
	t.directory.reshaped = true
}

// splitItems is the number of items that go left at depth; they are sorted and
// agree on the bits before.
func (t *Trie) splitItems(items []item, depth int) int {
	lo, hi := 0, len(items)
	for lo < hi {
		m := (lo + hi) / 2
		var bit uint64
		if depth < 64 {
			bit = items[m].prefix >> (63 - depth) & 1
		} else {
			bit = uint64(format.Bit(t.sorter.path(&items[m]), depth))
		}
		if bit == 0 {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// mergeLeaf overwrites or deletes the leaf in slot at.
func (t *Trie) mergeLeaf(at slot, it *item) {
	s := &t.store
	old := s.child(at).index()
	t.mark(at)
	if it.delete {
		*s.child(at) = 0
		t.stats.Leaves--
		t.retire(leafRef(old))
		return
	}
	if s.ValueHasher == format.HashValue && t.writable(*s.leafBirth(old)) {
		copy(s.leafRecord(old), t.sorter.record(it.op))
		return
	}
	*s.child(at) = leafRef(t.newLeaf(it))
	t.retire(leafRef(old))
}

// tidy gives slot at what is left of its branch id after deletes.
func (t *Trie) tidy(at slot, id uint32) {
	s := &t.store
	children := s.branch(id).child
	switch {
	case children[0] != 0 && children[1] != 0:
		return
	case children[0] != 0:
		t.move(at, slotOf(id, 0))
	case children[1] != 0:
		t.move(at, slotOf(id, 1))
	default:
		*s.child(at) = 0
	}
	t.directory.reshaped = true
	t.retire(branchRef(id))
}

// move copies what is in slot from into slot to. The digest of a leaf stays, that
// of a branch has another chain above it now.
func (t *Trie) move(to, from slot) {
	s := &t.store
	r := *s.child(from)
	*s.child(to) = r
	if r.isLeaf() && !t.isStale(from) {
		copy(s.digestAt(to), s.digestAt(from))
		s.branch(to.branch()).stale &^= 1 << to.side()
		return
	}
	t.mark(to)
}

// mark says that the digest of a slot is out of date.
func (t *Trie) mark(at slot) {
	if b := t.store.branch(at.branch()); b.stale>>at.side()&1 == 0 { // else a worker may be reading it
		b.stale |= 1 << at.side()
	}
}

func (t *Trie) isStale(at slot) bool {
	return t.store.branch(at.branch()).stale>>at.side()&1 == 1
}

// newBranch makes a branch without children.
func (t *Trie) newBranch(depth int) uint32 {
	id := t.store.branches.alloc()
	*t.store.branch(id) = branch{birth: t.history.version, depth: uint16(depth)}
	return id
}

// newLeaf makes a leaf of a put.
func (t *Trie) newLeaf(it *item) uint32 {
	id := t.store.leaves.alloc()
	t.writeLeaf(id, it)
	return id
}

func (t *Trie) writeLeaf(id uint32, it *item) {
	s := &t.store
	*s.leafBirth(id) = t.history.version
	record := s.leafRecord(id)
	if s.ValueHasher == format.HashValue {
		copy(record, t.sorter.record(it.op))
		return
	}
	copy(record, t.sorter.path(it))
	var sums [16]byte
	s.newRaw(record, t.sorter.batch.value(int(it.op)), s.AppendMeta(sums[:0], t.sorter.batch.ops[it.op].weight, 1))
}
