package graph

import (
	"math/bits"
	"sync/atomic"
)

const firstSlots = 64

// table finds the numbers of elements by their hash: open addressing, linear probing. A slot holds
// the hash in its upper half and the number in its lower; 0 is empty. Readers probe it while the
// writer adds: an entry they miss belongs to a revision that they do not read.
type table struct {
	slots atomic.Pointer[[]atomic.Uint64]
	count int // the writer's
}

// init makes room for a number of entries.
func (t *table) init(entries int) {
	size := firstSlots
	for size*3/4 < entries {
		size *= 2
	}
	slots := make([]atomic.Uint64, size)
	t.slots.Store(&slots)
}

// fill enters the numbers from 1 by their hashes into an empty table, and returns one that equal says is
// there already, or 0. Sorted roughly by where they go, they are written to memory that is at hand.
func (t *table) fill(count uint32, hash func(number uint32) uint32, equal func(a, b uint32) bool) uint32 {
	const regions = 256
	t.init(int(count))
	t.count = int(count)
	slots := *t.slots.Load()
	mask := uint32(len(slots) - 1)
	entries, sorted := make([]uint64, count), make([]uint64, count)
	shift := max(0, bits.Len32(mask)-8)
	var next [regions + 1]uint32 // where the next entry of a region goes
	for i := range entries {
		h := hash(uint32(i) + 1)
		entries[i] = uint64(h)<<32 | uint64(i+1)
		next[h&mask>>shift+1]++
	}
	for i := range regions {
		next[i+1] += next[i]
	}
	for _, entry := range entries {
		region := uint32(entry>>32) & mask >> shift
		sorted[next[region]] = entry
		next[region]++
	}
	for _, entry := range sorted {
		p := probe{slots: slots, hash: uint32(entry >> 32), at: uint32(entry >> 32)}
		for other := p.next(); other != 0; other = p.next() {
			if equal(other, uint32(entry)) {
				return uint32(entry)
			}
		}
		p.slots[(p.at-1)&mask].Store(entry)
	}
	return 0
}

// probe walks over the entries that have one hash.
type probe struct {
	slots []atomic.Uint64
	hash  uint32
	at    uint32
}

func (t *table) probe(hash uint32) probe {
	return probe{slots: *t.slots.Load(), hash: hash, at: hash}
}

// next returns the number of the next entry, or 0.
func (p *probe) next() uint32 {
	mask := uint32(len(p.slots) - 1)
	for {
		slot := p.slots[p.at&mask].Load()
		p.at++
		if slot == 0 {
			return 0
		}
		if uint32(slot>>32) == p.hash {
			return uint32(slot)
		}
	}
}

// replace puts another number where the probe found its last one.
func (p *probe) replace(number uint32) {
	p.slots[(p.at-1)&uint32(len(p.slots)-1)].Store(uint64(p.hash)<<32 | uint64(number))
}

// add enters an element that is not in the table.
func (t *table) add(hash, number uint32) {
	slots := *t.slots.Load()
	if t.count+1 > len(slots)*3/4 {
		larger := make([]atomic.Uint64, 2*len(slots))
		for i := range slots {
			if slot := slots[i].Load(); slot != 0 {
				put(larger, slot)
			}
		}
		t.slots.Store(&larger)
		slots = larger
	}
	t.count++
	put(slots, uint64(hash)<<32|uint64(number))
}

func put(slots []atomic.Uint64, slot uint64) {
	mask := uint32(len(slots) - 1)
	at := uint32(slot >> 32)
	for slots[at&mask].Load() != 0 {
		at++
	}
	slots[at&mask].Store(slot)
}

// mix spreads two numbers over 32 bits.
func mix(a, b uint32) uint32 {
	x := (uint64(a)<<32 | uint64(b)) * 0x9e3779b97f4a7c15
	return uint32(x>>32) ^ uint32(x>>7)
}
