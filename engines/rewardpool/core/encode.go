package core

import "encoding/binary"

// The canonical encoding, little-endian; equal states have equal encodings.
//
//	8   "RPSTATE1"
//	1   law, 1 RNG, 1 selection (0 tree, 1 alias table of the listed quantities)
//	8   draws
//	4   draws left on the tree before listing
//	1   words used of the current block of random numbers
//	48  ChaCha8 before that block (as math/rand/v2 marshals it), or 8 wyrand
//	4   number of items, then each:
//	    1   length of the id, then the id
//	    1   flags: 1 retired, 2 listed
//	    8   quantity, signed; 8 weight
//	    8   quantity when listed, if listed and the law is unit
//	4   request ids remembered at most, 4 remembered now
//	1   1 when ids were evicted, 8 largest prefix evicted or 0
//	    then oldest first: 16 request id, 4 item
const stateMagic = "RPSTATE1"

const (
	flagRetired = 1
	flagListed  = 2

	itemBytes    = 1 + 1 + 1 + 8 + 8 // with an id of one byte
	requestBytes = 16 + 4
)

// AppendBinary appends the canonical encoding; it never fails.
func (s *State) AppendBinary(b []byte) ([]byte, error) {
	le := binary.LittleEndian
	c := &s.selection
	b = append(b, stateMagic...)
	b = append(b, byte(s.law), byte(s.rand.kind), boolByte(c.listed != nil))
	b = le.AppendUint64(b, s.draws)
	b = le.AppendUint32(b, uint32(c.wait))
	b = s.rand.append(b)
	b = le.AppendUint32(b, uint32(len(s.ids)))
	for i, id := range s.ids {
		b = append(b, byte(len(id)))
		b = append(b, id...)
		flags := boolByte(s.retired[i]) * flagRetired
		if c.listed != nil {
			flags |= boolByte(c.listed[i] != 0) * flagListed
		}
		b = append(b, flags)
		b = le.AppendUint64(b, uint64(s.stock[i]))
		b = le.AppendUint64(b, s.weights[i])
		if s.law == LawUnit && flags&flagListed != 0 {
			b = le.AppendUint64(b, uint64(c.listed[i]))
		}
	}
	return s.window.append(b), nil
}

func (r *Rand) append(b []byte) []byte {
	b = append(b, byte(r.next))
	if r.kind == RNGWyrand {
		return binary.LittleEndian.AppendUint64(b, r.wyrandStart)
	}
	b, _ = r.chachaStart.AppendBinary(b) // never fails
	return b
}

func (w *window) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(w.capacity))
	b = le.AppendUint32(b, uint32(len(w.ring)))
	b = append(b, boolByte(w.forgot))
	b = le.AppendUint64(b, w.evicted)
	for i := range w.ring {
		q := &w.ring[(w.head+i)%len(w.ring)]
		b = append(b, q.id[:]...)
		b = le.AppendUint32(b, q.item)
	}
	return b
}

func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}
