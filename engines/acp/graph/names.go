package graph

import (
	"hash/maphash"
	"sync/atomic"
	"unsafe"
)

const (
	slabBits = 16
	slabSize = 1 << slabBits

	// MaxID is the length of the longest id of an object or actor, in bytes.
	MaxID = 4096
	// maxSlabs bounds the bytes of all names of a policy: offsets have 32 bits.
	maxSlabs = 1 << (32 - slabBits)
)

// names numbers the objects and actors of a policy from 1. Names stay for as long as the policy
// does. A name is the number of its resource and its id; the two are never joined, so that ids may
// hold any bytes.
type names struct {
	seed    maphash.Seed
	entries array[nameEntry]
	slabs   atomic.Pointer[[]*[slabSize]byte]
	used    int // bytes of the last slab
	index   table
}

type nameEntry struct {
	offset   uint32
	length   uint16
	resource uint16
}

func newNames(count int) *names {
	n := &names{seed: maphash.MakeSeed(), used: slabSize}
	n.entries.init()
	n.index.init(count)
	n.slabs.Store(new([]*[slabSize]byte))
	return n
}

func (n *names) hash(resource uint16, id string) uint32 {
	h := maphash.String(n.seed, id)
	return mix(uint32(h), uint32(h>>32)+uint32(resource))
}

// find returns the number of a name, or 0.
func (n *names) find(resource uint16, id string) uint32 {
	return n.lookup(n.hash(resource, id), resource, id)
}

func (n *names) lookup(hash uint32, resource uint16, id string) uint32 {
	p := n.index.probe(hash)
	for number := p.next(); number != 0; number = p.next() {
		e := n.entries.at(number)
		if e.resource == resource && n.text(e) == id {
			return number
		}
	}
	return 0
}

// add returns the number of a name, which is new if need be.
func (n *names) add(resource uint16, id string) uint32 {
	hash := n.hash(resource, id)
	if number := n.lookup(hash, resource, id); number != 0 {
		return number
	}
	number := n.append(resource, id)
	n.index.add(hash, number)
	return number
}

// append adds a name that the index lacks.
func (n *names) append(resource uint16, id string) uint32 {
	slabs := *n.slabs.Load()
	if n.used+len(id) > slabSize {
		more := append(slabs[:len(slabs):len(slabs)], new([slabSize]byte))
		n.slabs.Store(&more) // more is on the heap, slabs is not
		n.used, slabs = 0, more
	}
	number := n.entries.add()
	e := n.entries.at(number)
	e.offset = uint32((len(slabs)-1)<<slabBits | n.used)
	e.length = uint16(len(id))
	e.resource = resource
	copy(slabs[len(slabs)-1][n.used:], id)
	n.used += len(id)
	return number
}

// fill indexes names that were appended, and returns one that is there twice, or 0.
func (n *names) fill() uint32 {
	return n.index.fill(n.entries.length-1, func(number uint32) uint32 {
		e := n.entries.at(number)
		return n.hash(e.resource, n.text(e))
	}, func(a, b uint32) bool {
		x, y := n.entries.at(a), n.entries.at(b)
		return x.resource == y.resource && n.text(x) == n.text(y)
	})
}

// text returns an id without copying it: the bytes of a slab never change once they are written.
func (n *names) text(e *nameEntry) string {
	if e.length == 0 {
		return ""
	}
	return unsafe.String(&(*n.slabs.Load())[e.offset>>slabBits][e.offset&(slabSize-1)], int(e.length))
}

func (n *names) id(number uint32) string       { return n.text(n.entries.at(number)) }
func (n *names) resource(number uint32) uint16 { return n.entries.at(number).resource }

// full tells whether bytes more of names might not fit.
func (n *names) full(bytes int) bool {
	return len(*n.slabs.Load())+bytes/(slabSize-MaxID)+1 >= maxSlabs
}
