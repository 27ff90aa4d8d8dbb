package core

import (
	"encoding/binary"
	"hash/maphash"
)

// RequestID names a request so that it can be retried. Its first 8 bytes, read
// big-endian, must not decrease from one request to the next by more than the
// window remembers, as in UUIDv7.
type RequestID [16]byte

// Milliseconds returns the first 48 bits: the time of a UUIDv7, since 1970.
func (id RequestID) Milliseconds() int64 { return int64(id.prefix() >> 16) }

func (id RequestID) prefix() uint64 { return binary.BigEndian.Uint64(id[:8]) }

// DefaultWindow is the number of request ids remembered unless configured.
const DefaultWindow = 1 << 16

// MaxWindow is the largest number of request ids that can be remembered.
const MaxWindow = 1 << 24

type request struct {
	id   RequestID
	item uint32
}

// window remembers the outcome of the last requests. The oldest is evicted when
// it is full, so eviction depends on the order of the requests alone.
type window struct {
	capacity int
	ring     []request // oldest at head once full; grows by append until then
	head     int
	evicted  uint64 // largest prefix evicted, meaningful when forgot
	forgot   bool

	// Open addressing, linear probing: hash << 32 | ring index + 1, 0 = free. The
	// hash saves a visit to the ring, which is a cache miss, for most entries.
	slots []uint64
	seed  maphash.Seed
}

func newWindow(capacity int) window {
	return window{capacity: capacity, seed: maphash.MakeSeed()}
}

func (w *window) hash(id *RequestID) uint64 { return maphash.Bytes(w.seed, id[:]) >> 32 }

// find returns the slot of id with that hash, or the free slot where it belongs.
func (w *window) find(id *RequestID, hash uint64) int {
	mask := len(w.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		slot := w.slots[i]
		if slot == 0 || slot>>32 == hash && w.ring[uint32(slot)-1].id == *id {
			return i
		}
	}
}

func (w *window) lookup(id RequestID) (item uint32, found bool, err error) {
	if len(w.slots) > 0 {
		if slot := w.slots[w.find(&id, w.hash(&id))]; slot != 0 {
			return w.ring[uint32(slot)-1].item, true, nil
		}
	}
	if w.forgot && id.prefix() <= w.evicted {
		return 0, false, ErrRequestTooOld
	}
	return 0, false, nil
}

// remember adds an outcome; an id already remembered keeps its first one.
func (w *window) remember(id RequestID, item uint32) {
	if 2*(len(w.ring)+1) > len(w.slots) && len(w.ring) < w.capacity {
		w.grow()
	}
	hash := w.hash(&id)
	slot := w.find(&id, hash)
	if w.slots[slot] != 0 {
		return
	}
	at := len(w.ring)
	if at < w.capacity {
		w.ring = append(w.ring, request{id, item})
	} else {
		at = w.head
		w.evict(at)
		w.ring[at] = request{id, item}
		w.head = (at + 1) % w.capacity
		slot = w.find(&id, hash) // the eviction may have moved the free slot
	}
	w.slots[slot] = hash<<32 | uint64(at+1)
}

func (w *window) grow() {
	w.slots = make([]uint64, max(16, 2*len(w.slots)))
	for i := range w.ring {
		hash := w.hash(&w.ring[i].id)
		w.slots[w.find(&w.ring[i].id, hash)] = hash<<32 | uint64(i+1)
	}
}

// evict frees the slot of ring[at], moving later entries of its run back so
// that no probe meets a hole.
func (w *window) evict(at int) {
	id := &w.ring[at].id
	w.evicted, w.forgot = max(w.evicted, id.prefix()), true
	mask := len(w.slots) - 1
	hole := w.find(id, w.hash(id))
	for i := (hole + 1) & mask; w.slots[i] != 0; i = (i + 1) & mask {
		home := int(w.slots[i]>>32) & mask
		if (i-home)&mask >= (i-hole)&mask {
			w.slots[hole] = w.slots[i]
			hole = i
		}
	}
	w.slots[hole] = 0
}

// LookupRequest returns the outcome remembered for id. ErrRequestTooOld means
// that it may have been evicted: the request must not be drawn again.
func (s *State) LookupRequest(id RequestID) (item uint32, found bool, err error) {
	return s.window.lookup(id)
}

// RememberRequest records the outcome of a request. An id already remembered
// keeps its first outcome.
func (s *State) RememberRequest(id RequestID, item uint32) { s.window.remember(id, item) }
