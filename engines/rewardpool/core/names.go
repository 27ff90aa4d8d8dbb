package core

import "hash/maphash"

// names finds an item by its id: open addressing over the list of ids, which
// the caller keeps.
type names struct {
	slots []uint32 // item index + 1, 0 = free
	used  int      // slots taken, removed ids included
	seed  maphash.Seed
}

const removedSlot = NoItem

// reserve makes room for n more ids.
func (x *names) reserve(n int, ids []string) {
	if 2*(x.used+n) <= len(x.slots) {
		return
	}
	size := 16
	for size < 2*(x.used+n) {
		size *= 2
	}
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
	}
	old := x.slots
	x.slots, x.used = make([]uint32, size), 0
	for _, at := range old {
		if at != 0 && at != removedSlot {
			x.insert(ids, at-1)
		}
	}
}

// find returns the slot of id, or the free slot at the end of its run.
func (x *names) find(ids []string, id string) (slot int, found bool) {
	mask := len(x.slots) - 1
	for i := int(maphash.String(x.seed, id)) & mask; ; i = (i + 1) & mask {
		at := x.slots[i]
		if at == 0 {
			return i, false
		}
		if at != removedSlot && ids[at-1] == id {
			return i, true
		}
	}
}

func (x *names) lookup(ids []string, id string) (item uint32, found bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	slot, found := x.find(ids, id)
	if !found {
		return 0, false
	}
	return x.slots[slot] - 1, true
}

// insert adds item, for which room was reserved; false means that its id is
// already there.
func (x *names) insert(ids []string, item uint32) bool {
	slot, found := x.find(ids, ids[item])
	if found {
		return false
	}
	x.slots[slot] = item + 1
	x.used++
	return true
}

func (x *names) remove(ids []string, id string) {
	if slot, found := x.find(ids, id); found {
		x.slots[slot] = removedSlot
	}
}
