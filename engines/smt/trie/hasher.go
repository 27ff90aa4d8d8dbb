package trie

import (
	"encoding/binary"
	"unsafe"

	"assay/smt/format"
)

// A hasher computes the digests of a part of the trie: first of all its leaves,
// then depth by depth from the deepest up, many messages a call. A branch is
// hashed at its own depth; from there its digest climbs one level of the chain
// above it per depth, until it reaches its slot.
type hasher struct {
	s        *store
	leaves   []slot     // that hold a leaf with a stale digest
	jobs     []job      // branches
	order    []job      // the same, deepest first
	counts   [513]int32 // jobs by depth
	deepest  int
	climbing []job // chains under way; their digests
	digests  []byte
	next     []job
	nextDig  []byte
	stride   int // from message to message
	messages []byte
	hashed   []byte
	pending  []job // job of each message
	depth    int   // that is being hashed
	long     []byte
	hashes   uint64 // messages so far
}

// job is a branch to hash.
type job struct {
	at     slot   // that gets the digest
	branch uint32 // in the slot
	leaf   uint32 // one below it, for the bits of a chain
	top    uint16 // depth of the slot
	depth  uint16 // of the branch
}

// group is how many messages are hashed in one call.
const group = 64

func newHasher(s *store) *hasher {
	h := &hasher{s: s, stride: (1 + 2*s.digest + s.meta + 15) &^ 15}
	h.messages = make([]byte, group*h.stride)
	h.hashed = make([]byte, group*s.hash)
	h.pending = make([]job, 0, group)
	return h
}

func (h *hasher) used() int {
	const jobSize = 16
	return cap(h.messages) + cap(h.hashed) + cap(h.digests) + cap(h.nextDig) + 4*cap(h.leaves) +
		jobSize*(cap(h.jobs)+cap(h.order)+cap(h.climbing)+cap(h.next))
}

// divide notes the stale branches above depth and gives the slots of the stale
// subtrees from there on.
func (h *hasher) divide(at slot, top, depth int, parts []slot) []slot {
	s := h.s
	r := *s.child(at)
	if r == 0 || r.isLeaf() || int(s.branch(r.index()).depth) >= depth {
		return append(parts, at)
	}
	b := s.branch(r.index())
	for side := range byte(2) {
		if b.stale>>side&1 == 1 {
			parts = h.divide(slotOf(r.index(), side), int(b.depth)+1, depth, parts)
		}
	}
	h.add(at, top, r, b, 0)
	return parts
}

// collect notes what is stale in slot at and below, and gives a leaf there.
func (h *hasher) collect(at slot, top int) (leaf uint32) {
	s := h.s
	r := *s.child(at)
	if r == 0 {
		clear(s.digestAt(at))
		return 0
	}
	if r.isLeaf() {
		h.leaves = append(h.leaves, at)
		return r.index()
	}
	b := s.branch(r.index())
	for side := range byte(2) {
		if b.stale>>side&1 == 1 {
			leaf = h.collect(slotOf(r.index(), side), int(b.depth)+1)
		}
	}
	h.add(at, top, r, b, leaf)
	return leaf
}

// add notes the branch r of slot at. Below a stale slot there is a branch
// without anything stale when a delete moved it.
func (h *hasher) add(at slot, top int, r ref, b *branch, leaf uint32) {
	depth := int(b.depth)
	if depth > top && leaf == 0 {
		leaf = h.s.firstLeaf(r)
	}
	if b.stale != 0 {
		b.stale = 0
	}
	line := h.s.branches.b(r.index())
	prefetch(line, unsafe.Add(line, 2*h.s.digest-1)) // run reads it
	h.jobs = append(h.jobs, job{at, r.index(), leaf, uint16(top), uint16(depth)})
	h.counts[depth]++
	h.deepest = max(h.deepest, depth)
}

// run hashes what was noted.
func (h *hasher) run() {
	h.runLeaves()
	if len(h.jobs) == 0 {
		return
	}
	h.sortJobs()
	i := 0
	for depth := h.deepest; depth >= 0; depth-- {
		h.depth = depth
		for ; i < len(h.order) && int(h.order[i].depth) == depth; i++ {
			h.addBranch(h.order[i])
		}
		for c := range h.climbing {
			h.addChain(c)
		}
		h.flush()
		h.climbing, h.next = h.next, h.climbing[:0]
		h.digests, h.nextDig = h.nextDig, h.digests[:0]
	}
	h.jobs, h.deepest = h.jobs[:0], 0
}

// sortJobs orders the jobs by depth, deepest first, and clears the counts.
func (h *hasher) sortJobs() {
	h.order = resize(h.order, len(h.jobs))
	var from int32
	for depth := h.deepest; depth >= 0; depth-- {
		from, h.counts[depth] = from+h.counts[depth], from
	}
	for i := range h.jobs {
		n := &h.counts[h.jobs[i].depth]
		h.order[*n] = h.jobs[i]
		*n++
	}
	clear(h.counts[:h.deepest+1])
}

func (h *hasher) message() []byte { return h.messages[len(h.pending)*h.stride:][:h.stride] }

func (h *hasher) addBranch(j job) {
	msg := h.message()
	msg[0] = byte(format.Inner)
	copy(msg[1:], h.s.line(j.branch))
	h.addMessage(j, msg)
}

// addChain makes the message of the chain level above climbing digest c.
func (h *hasher) addChain(c int) {
	j, size := h.climbing[c], h.s.digest
	msg := h.message()
	msg[0] = byte(format.Inner)
	left, right := msg[1:1+size], msg[1+size:1+2*size]
	if format.Bit(h.s.path(j.leaf), h.depth) == 1 {
		left, right = right, left
	}
	copy(left, h.digests[c*size:][:size])
	clear(right)
	h.addMessage(j, msg)
}

// addMessage adds the sums to an inner node and hashes when the group is full.
func (h *hasher) addMessage(j job, msg []byte) {
	size := h.s.digest
	for m := 0; m < h.s.meta; m += 8 { // sum, then count
		left := binary.BigEndian.Uint64(msg[1+h.s.hash+m:])
		right := binary.BigEndian.Uint64(msg[1+h.s.hash+size+m:])
		binary.BigEndian.PutUint64(msg[1+2*size+m:], left+right)
	}
	h.pending = append(h.pending, j)
	if len(h.pending) == group {
		h.flush()
	}
}

// flush hashes the messages, all of which are of one depth. A digest goes to its
// slot, or climbs on.
func (h *hasher) flush() {
	s, n := h.s, len(h.pending)
	if n == 0 {
		return
	}
	size := 1 + 2*s.digest + s.meta
	if n == 1 {
		s.sum(h.hashed, h.messages[:size])
	} else {
		s.sumFixed(h.hashed, s.hash, h.messages, h.stride, size, n)
	}
	h.hashes += uint64(n)
	for i, j := range h.pending {
		var dst []byte
		if int(j.top) == h.depth {
			dst = s.digestAt(j.at)
		} else {
			h.next = append(h.next, j)
			h.nextDig = grow(h.nextDig, s.digest)
			dst = h.nextDig[len(h.nextDig)-s.digest:]
		}
		copy(dst, h.hashed[i*s.hash:][:s.hash])
		copy(dst[s.hash:], h.messages[i*h.stride+size-s.meta:][:s.meta])
	}
	h.pending = h.pending[:0]
}

func grow(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		b = append(make([]byte, 0, 2*cap(b)+n), b...)
	}
	return b[:len(b)+n]
}

// runLeaves hashes the leaves that were noted.
func (h *hasher) runLeaves() {
	s := h.s
	h.hashes += uint64(len(h.leaves))
	if s.ValueHasher == format.RawValue {
		for _, at := range h.leaves {
			i := s.child(at).index()
			value := s.leafValue(i)
			h.long = s.AppendLeaf(h.long[:0], s.path(i), value)
			dst := s.digestAt(at)
			s.sum(dst, h.long)
			copy(dst[s.hash:], value[len(value)-s.meta:])
		}
		h.leaves = h.leaves[:0]
		return
	}
	for from := 0; from < len(h.leaves); from += group {
		part := h.leaves[from:min(from+group, len(h.leaves))]
		for i, at := range part {
			msg := h.messages[i*h.stride:]
			msg[0] = byte(format.Leaf)
			copy(msg[1:], s.leafRecord(s.child(at).index()))
		}
		s.sumFixed(h.hashed, s.hash, h.messages, h.stride, 1+s.record, len(part))
		for i, at := range part {
			dst := s.digestAt(at)
			copy(dst, h.hashed[i*s.hash:][:s.hash])
			copy(dst[s.hash:], h.messages[i*h.stride+1+s.record-s.meta:][:s.meta])
		}
	}
	h.leaves = h.leaves[:0]
}
