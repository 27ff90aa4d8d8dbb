package trie

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"assay/smt/format"
	"assay/smt/sha256x"
)

// ref names a subtree: 0 is the empty one, else the index of a leaf with the
// lowest bit 1 or of a branch with the lowest bit 0.
type ref uint32

func leafRef(i uint32) ref   { return ref(i<<1 | 1) }
func branchRef(i uint32) ref { return ref(i << 1) }
func (r ref) isLeaf() bool   { return r&1 == 1 }
func (r ref) index() uint32  { return uint32(r >> 1) }

// slot names a place that holds a subtree and its digest: side 0 or 1 of a
// branch. Branch 0 is above the root; its side 0 holds the whole trie.
type slot uint32

const rootSlot slot = 0

func slotOf(branch uint32, side byte) slot { return slot(branch<<1 | uint32(side)) }
func (s slot) branch() uint32              { return uint32(s >> 1) }
func (s slot) side() byte                  { return byte(s & 1) }

// branch is column a of a branch: an inner node with two children that are not
// empty. Column b, its line, is the digests of the children as seen from right
// below it, chains included: the rest of its preimage but for the sums.
type branch struct {
	child [2]ref
	birth uint32 // version in which it was made, see versions.go
	depth uint16 // the bit of the path that chooses the child
	stale uint8  // bit i: the digest of child i is out of date
}

// store is the memory of a trie: what is reachable from the root of a snapshot
// does not change.
type store struct {
	format.Format
	sha                *sha256x.Hasher
	hash, meta, digest int // sizes in bytes
	record             int // size of column b of a leaf
	branches           arena
	leaves             arena              // column a: version of birth; b: path, then leaf value or where it lies
	values             [maxClasses]*arena // raw leaf values by size class
}

func (s *store) init(f format.Format, sha *sha256x.Hasher) {
	s.Format, s.sha = f, sha
	s.hash, s.meta, s.digest = f.HashSize(), f.MetaSize(), f.DigestSize()
	s.record = 2*s.hash + s.meta
	if f.ValueHasher == format.RawValue {
		s.record = s.hash + 8
	}
	s.branches.init(int(unsafe.Sizeof(branch{})), 2*s.digest)
	s.leaves.init(4, s.record)
	s.branches.allocRun(0) // maps branch 0
}

func (s *store) unmap() {
	s.branches.unmap()
	s.leaves.unmap()
	for _, a := range s.values {
		if a != nil {
			a.unmap()
		}
	}
}

func (s *store) used() int {
	n := s.branches.used() + s.leaves.used()
	for _, a := range s.values {
		if a != nil {
			n += a.used()
		}
	}
	return n
}

func (s *store) branch(i uint32) *branch { return (*branch)(s.branches.a(i)) }

func (s *store) line(i uint32) []byte {
	return unsafe.Slice((*byte)(s.branches.b(i)), 2*s.digest)
}

func (s *store) child(at slot) *ref { return &s.branch(at.branch()).child[at.side()] }

func (s *store) digestAt(at slot) []byte {
	p := unsafe.Add(s.branches.b(at.branch()), int(at.side())*s.digest)
	return unsafe.Slice((*byte)(p), s.digest)
}

// top is the depth at which the digest of a slot is seen.
func (s *store) top(at slot) int {
	if at == rootSlot {
		return 0
	}
	return int(s.branch(at.branch()).depth) + 1
}

func (s *store) leafBirth(i uint32) *uint32 { return (*uint32)(s.leaves.a(i)) }

func (s *store) leafRecord(i uint32) []byte {
	return unsafe.Slice((*byte)(s.leaves.b(i)), s.record)
}

// place is where a walk reads r: a branch's children or a leaf's path.
func (s *store) place(r ref) unsafe.Pointer {
	if r.isLeaf() {
		return s.leaves.b(r.index())
	}
	return s.branches.a(r.index())
}

func (s *store) path(i uint32) []byte { return s.leafRecord(i)[:s.hash:s.hash] }

// leafValue is the value with sum and count; part of the store.
func (s *store) leafValue(i uint32) []byte {
	record := s.leafRecord(i)
	if s.ValueHasher == format.HashValue {
		return record[s.hash:]
	}
	at, size := s.rawPlace(record)
	if size == 0 {
		return record[:0]
	}
	return unsafe.Slice((*byte)(s.values[sizeClass(size)].a(at)), size)
}

func (s *store) rawPlace(record []byte) (at uint32, size int) {
	place := record[s.hash:]
	return binary.LittleEndian.Uint32(place), int(binary.LittleEndian.Uint32(place[4:]))
}

// newRaw stores a raw leaf value for the record of a leaf.
func (s *store) newRaw(record, value []byte, sums []byte) {
	size := len(value) + len(sums)
	var at uint32
	if size > 0 {
		class := sizeClass(size)
		if s.values[class] == nil {
			s.values[class] = new(arena)
			s.values[class].init(classSize(class), 0)
		}
		at = s.values[class].alloc()
		room := unsafe.Slice((*byte)(s.values[class].a(at)), size)
		copy(room[copy(room, value):], sums)
	}
	binary.LittleEndian.PutUint32(record[s.hash:], at)
	binary.LittleEndian.PutUint32(record[s.hash+4:], uint32(size))
}

// Sizes of raw values in the arenas: 4 classes a doubling, 16 bytes the least.
const maxClasses = 128

func sizeClass(size int) int {
	if size <= 16 {
		return 0
	}
	n := bits.Len(uint(size-1)) - 3 // the three leading bits of size-1 stay
	return 4*n + (size-1)>>n - 11
}

func classSize(class int) int {
	if class == 0 {
		return 16
	}
	n := (class-1)/4 + 2
	return ((class-1)%4 + 5) << n
}

func (s *store) freeLeaf(i uint32) {
	if s.ValueHasher == format.RawValue {
		if at, size := s.rawPlace(s.leafRecord(i)); size > 0 {
			s.values[sizeClass(size)].release(at)
		}
	}
	s.leaves.release(i)
}

// firstLeaf is the leftmost leaf of a subtree that is not empty.
func (s *store) firstLeaf(r ref) uint32 {
	for !r.isLeaf() {
		r = s.branch(r.index()).child[0]
	}
	return r.index()
}
