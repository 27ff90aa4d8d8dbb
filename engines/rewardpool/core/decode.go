package core

import (
	"encoding/binary"
	"fmt"
)

// Decode reads a canonical encoding and accepts nothing else (*DecodeError). It
// allocates at most a small multiple of len(b).
func Decode(b []byte) (*State, error) {
	d := decoder{all: string(b)}
	if d.bytes("magic", len(stateMagic)) != stateMagic {
		d.refuse("magic", "not a state encoding of version 1")
	}
	s := &State{}
	c := &s.selection
	s.law = Law(d.upTo("law", 1, uint64(LawUnit)))
	kind := RNG(d.upTo("rng", 1, uint64(RNGWyrand)))
	listed := d.upTo("selection", 1, 1) == 1
	s.draws = d.uint("draws", 8)
	c.wait = int(d.upTo("wait", 4, MaxItems))
	s.rand = d.rand(kind)
	d.items(s, listed)
	if c.wait > 0 && (listed || len(s.ids) <= listAtOnce || c.wait > len(s.ids)) {
		d.refuse("wait", "%d with %d items", c.wait, len(s.ids))
	}
	d.window(s)
	if d.err == nil && d.at != len(d.all) {
		d.refuse("end", "%d bytes too many", len(d.all)-d.at)
	}
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}

// decoder reads fields until the first error; then it yields zeros.
type decoder struct {
	all string // one copy, which the item ids share
	at  int
	err error
}

func (d *decoder) refuse(field, format string, args ...any) {
	if d.err == nil {
		d.err = &DecodeError{Offset: d.at, Field: field, Why: fmt.Sprintf(format, args...)}
	}
}

func (d *decoder) bytes(field string, n int) string {
	if d.err == nil && n > len(d.all)-d.at {
		d.refuse(field, "needs %d bytes, %d left", n, len(d.all)-d.at)
	}
	if d.err != nil {
		return ""
	}
	d.at += n
	return d.all[d.at-n : d.at]
}

func (d *decoder) uint(field string, n int) uint64 {
	var buf [8]byte
	copy(buf[:], d.bytes(field, n))
	return binary.LittleEndian.Uint64(buf[:])
}

func (d *decoder) upTo(field string, n int, limit uint64) uint64 {
	v := d.uint(field, n)
	if v > limit {
		d.refuse(field, "%d, expected at most %d", v, limit)
		return 0
	}
	return v
}

// count reads the number of entries, each of at least size bytes, that follow.
func (d *decoder) count(field string, size, limit int) int {
	n := int(d.upTo(field, 4, uint64(limit)))
	if n > (len(d.all)-d.at)/size {
		d.refuse(field, "%d entries, %d bytes left", n, len(d.all)-d.at)
		return 0
	}
	return n
}

func (d *decoder) rand(kind RNG) *Rand {
	r := &Rand{kind: kind}
	next := int(d.upTo("rng.next", 1, blockWords))
	if kind == RNGWyrand {
		r.wyrand = d.uint("rng.state", 8)
	} else if err := r.chacha.UnmarshalBinary([]byte(d.bytes("rng.state", 48))); err != nil {
		d.refuse("rng.state", "%v", err)
		return r
	}
	r.refill()
	r.next = next
	return r
}

func (d *decoder) items(s *State, listed bool) {
	n := d.count("items", itemBytes, MaxItems)
	if n == 0 {
		d.refuse("items", "none")
		return
	}
	c := &s.selection
	s.reserve(n)
	if listed {
		c.listed = make([]int64, n)
	}
	inTable := 0
	for i := range n {
		if d.err != nil {
			return
		}
		var it Item
		it.ID = d.bytes("item.id", int(d.uint("item.id", 1)))
		flags := d.upTo("item.flags", 1, flagRetired|flagListed)
		it.Quantity = int64(d.uint("item.quantity", 8))
		it.Weight = d.uint("item.weight", 8)
		retired := flags&flagRetired != 0
		if retired && it.Quantity != 0 {
			d.refuse("item.quantity", "%d of a retired item", it.Quantity)
		}
		if err := it.check(""); err != nil {
			d.refuse("item", "%v", err)
		} else if err := s.checkMass(it.Weight, it.Quantity, 0, 0, ""); err != nil && !retired {
			d.refuse("item", "%v", err)
		}
		if d.err != nil {
			return
		}
		s.push(it)
		if retired {
			s.retired[i] = true
			s.weightSum -= it.Weight
		} else if !s.names.insert(s.ids, uint32(i)) {
			d.refuse("item.id", "%q twice", it.ID)
		}
		if flags&flagListed != 0 {
			quantity := int64(1)
			if s.law == LawUnit {
				quantity = int64(d.uint("item.listed", 8))
			}
			mass, ok := s.law.mass(it.Weight, quantity)
			if !listed || quantity < Unlimited || mass == 0 || !ok || c.listedMass+mass > MaxTotalMass {
				d.refuse("item.listed", "%d of weight %d", quantity, it.Weight)
				return
			}
			c.listed[i] = quantity
			c.listedMass += mass
			inTable++
			if s.massOf(uint32(i)) > mass {
				d.refuse("item.listed", "%d for quantity %d", quantity, it.Quantity)
			}
		} else if listed && s.massOf(uint32(i)) > 0 {
			d.refuse("item.flags", "not listed")
		}
	}
	if listed && inTable < 2 {
		d.refuse("items", "%d listed of weight %d", inTable, c.listedMass)
	}
}

func (d *decoder) window(s *State) {
	w := newWindow(int(d.upTo("window.capacity", 4, MaxWindow)))
	n := d.count("window.count", requestBytes, w.capacity)
	w.forgot = d.upTo("window.evicted", 1, 1) == 1
	w.evicted = d.uint("window.evicted", 8)
	if w.capacity == 0 || w.forgot && n < w.capacity || !w.forgot && w.evicted != 0 {
		d.refuse("window", "capacity %d, count %d, evicted %d", w.capacity, n, w.evicted)
	}
	for i := range n {
		var id RequestID
		copy(id[:], d.bytes("request.id", len(id)))
		item := uint32(d.upTo("request.item", 4, uint64(len(s.ids)-1)))
		if d.err != nil {
			return
		}
		if w.remember(id, item); len(w.ring) != i+1 {
			d.refuse("request.id", "%x twice", id)
		}
	}
	s.window = w
}
