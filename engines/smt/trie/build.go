package trie

import (
	"math/bits"

	"assay/smt/format"
)

// insert fills the empty slot at with items, which are all puts.
func (t *Trie) insert(at slot, items []item) {
	t.mark(at)
	t.stats.Leaves += len(items)
	t.build(at, items, run{})
}

// bulk fills the empty trie. The top of the trie comes first, one branch after
// the other: with some 64 leaves below each of its ends it stays in a cache. The
// subtrees below are contiguous too, and the workers build them side by side.
func (t *Trie) bulk(items []item) {
	s := &t.store
	t.mark(rootSlot)
	t.stats.Leaves += len(items)
	first := t.sorter.run
	if first == 0 { // few, or with raw values, whose arenas are for one goroutine
		t.build(rootSlot, items, run{})
		return
	}
	top := topBuilder{t: t, depth: bits.Len(uint(len(items))) - 7}
	top.ids = run{s.leaves.allocRun(len(items)), 0}
	branches := top.count(items)
	top.next = first
	top.ids.branch = top.next + uint32(branches)
	top.build(rootSlot, items)
	t.each((len(top.parts)+15)/16, func(_, i int) {
		for _, p := range top.parts[16*i : min(16*i+16, len(top.parts))] {
			for j := range p.items { // a loop of its own: its cache misses overlap
				if j+8 < len(p.items) {
					t.sorter.prefetch(p.items[j+8].op)
				}
				t.writeLeaf(p.ids.leaf+uint32(j), &p.items[j])
			}
			t.build(p.at, p.items, p.ids)
		}
	})
	t.sorter.unstage(len(items) - 1)
}

// run is where the leaves and branches of n items go: n and n-1 entries in a
// row, the leaves being there already. The zero run takes free entries.
type run struct{ leaf, branch uint32 }

// build fills slot at, which is stale already.
func (t *Trie) build(at slot, items []item, ids run) {
	s := &t.store
	if len(items) == 1 {
		id := ids.leaf
		if id == 0 {
			id = t.newLeaf(&items[0])
		}
		*s.child(at) = leafRef(id)
		return
	}
	depth := t.shared(items)
	left := t.splitItems(items, depth)
	id, right := ids.branch, run{}
	if id == 0 {
		id = s.branches.alloc()
	} else { // between its subtrees
		id += uint32(left) - 1
		right = run{ids.leaf + uint32(left), id + 1}
	}
	t.place(at, id, depth)
	t.build(slotOf(id, 0), items[:left], ids)
	t.build(slotOf(id, 1), items[left:], right)
}

// place puts a new branch without digests into a slot.
func (t *Trie) place(at slot, id uint32, depth int) {
	*t.store.branch(id) = branch{birth: t.history.version, depth: uint16(depth), stale: 3}
	*t.store.child(at) = branchRef(id)
}

// shared is the number of leading bits that all paths of sorted items share.
func (t *Trie) shared(items []item) int {
	a, b := &items[0], &items[len(items)-1]
	if x := a.prefix ^ b.prefix; x != 0 {
		return bits.LeadingZeros64(x)
	}
	return format.CommonPrefix(t.sorter.path(a), t.sorter.path(b))
}

// topBuilder builds the branches above depth, and notes what is below.
type topBuilder struct {
	t     *Trie
	depth int
	next  uint32 // branch
	ids   run    // of what is below
	parts []part
}

type part struct {
	at    slot
	items []item
	ids   run
}

// count is the number of branches above depth.
func (b *topBuilder) count(items []item) int {
	if len(items) == 1 {
		return 0
	}
	depth := b.t.shared(items)
	if depth >= b.depth {
		return 0
	}
	left := b.t.splitItems(items, depth)
	return 1 + b.count(items[:left]) + b.count(items[left:])
}

func (b *topBuilder) build(at slot, items []item) {
	depth := b.depth
	if len(items) > 1 {
		depth = b.t.shared(items)
	}
	if depth >= b.depth {
		b.parts = append(b.parts, part{at, items, b.ids})
		b.ids.leaf += uint32(len(items))
		b.ids.branch += uint32(len(items)) - 1
		return
	}
	left := b.t.splitItems(items, depth)
	id := b.next
	b.next++
	b.t.place(at, id, depth)
	b.build(slotOf(id, 0), items[:left])
	b.build(slotOf(id, 1), items[left:])
}
