package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"assay/acp/tuple"
)

// AppendChange appends a change as bytes: ../FORMAT.md says how. Names that the graph has are numbers;
// so the bytes mean something only to a graph that made the same changes before.
func AppendChange(b []byte, c *Change) []byte {
	for _, list := range [...][]Fact{c.Delete, c.Add} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for i := range list {
			b = appendFact(b, &list[i])
		}
	}
	return b
}

func appendFact(b []byte, f *Fact) []byte {
	b = binary.AppendUvarint(b, uint64(f.Slot))
	b = appendName(b, &f.Object)
	b = append(b, byte(f.Kind))
	if f.Kind == tuple.All {
		return b
	}
	if f.Kind != tuple.Actor {
		b = binary.AppendUvarint(b, uint64(f.Subject.Resource))
	}
	b = appendName(b, &f.Subject)
	if f.Kind == tuple.Userset {
		b = binary.AppendUvarint(b, uint64(f.Held))
	}
	return b
}

func appendName(b []byte, n *Name) []byte {
	b = binary.AppendUvarint(b, uint64(n.Number))
	if n.Number == 0 {
		b = binary.AppendUvarint(b, uint64(len(n.ID)))
		b = append(b, n.ID...)
	}
	return b
}

// DecodeChange reads what AppendChange wrote, into a change whose slices are used again. Its ids lie in
// b, so it is good as long as b is; Apply copies them. The error says why the bytes cannot be a change
// of this graph.
func (g *Graph) DecodeChange(b []byte, c *Change) error {
	d := decoder{g: g, b: b}
	c.Delete = d.facts(c.Delete[:0])
	c.Add = d.facts(c.Add[:0])
	if d.err == nil && len(d.b) > 0 {
		d.fail("%d bytes too many", len(d.b))
	}
	return d.err
}

// decoder reads from the front of b and keeps the first error.
type decoder struct {
	g   *Graph
	b   []byte
	err error
}

var errShort = errors.New("the bytes end too early")

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.b = nil
}

// number reads a number below a bound.
func (d *decoder) number(bound uint64, what string) uint32 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("%w: %s", errShort, what)
		return 0
	}
	if v >= bound {
		d.fail("%s %d: expected less than %d", what, v, bound)
		return 0
	}
	d.b = d.b[n:]
	return uint32(v)
}

func (d *decoder) facts(list []Fact) []Fact {
	// A fact has at least 4 bytes.
	count := d.number(uint64(len(d.b)/4)+1, "number of facts")
	for i := uint32(0); i < count && d.err == nil; i++ {
		list = append(list, d.fact())
	}
	return list
}

func (d *decoder) fact() (f Fact) {
	f.Slot = d.number(uint64(len(d.g.slots)), "slot")
	s := &d.g.slots[f.Slot]
	if s.relation == nil {
		d.fail("slot %d is not of a relation", f.Slot)
		return f
	}
	f.Object = d.name(s.resource)
	f.Kind = tuple.Kind(d.number(uint64(tuple.Userset)+1, "kind"))
	switch f.Kind {
	case tuple.Actor:
		f.Subject = d.name(d.g.actors)
	case tuple.Entity:
		f.Subject = d.name(uint16(d.number(uint64(d.g.actors), "resource")))
	case tuple.Userset:
		f.Subject = d.name(uint16(d.number(uint64(d.g.actors), "resource")))
		f.Held = d.number(uint64(len(d.g.slots)), "slot of a userset")
		if d.g.slots[f.Held].resource != f.Subject.Resource || f.Held == 0 {
			d.fail("slot %d is not of resource %d", f.Held, f.Subject.Resource)
		}
	}
	return f
}

func (d *decoder) name(resource uint16) (n Name) {
	n.Resource = resource
	n.Number = d.number(uint64(d.g.names.entries.length), "name")
	if n.Number != 0 {
		if d.err == nil && d.g.names.resource(n.Number) != resource {
			d.fail("name %d is not of resource %d", n.Number, resource)
		}
		return n
	}
	length := d.number(MaxID+1, "length of an id")
	if length == 0 || int(length) > len(d.b) {
		d.fail("id of %d bytes, where %d are left", length, len(d.b))
		return n
	}
	n.ID = unsafe.String(&d.b[0], int(length))
	d.b = d.b[length:]
	return n
}
