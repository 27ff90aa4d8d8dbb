package graph

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"unsafe"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Dump is what a graph holds at one moment, ready to be written while the graph goes on changing.
type Dump struct {
	view    View
	names   uint32 // numbers below this one
	records uint32
}

// Dump returns what is there now. It is called by the one that changes the graph.
func (g *Graph) Dump() Dump {
	v := g.View()
	return Dump{view: v, names: g.names.entries.length, records: v.s.records.length}
}

// Write writes the dump; ../FORMAT.md says how. Read makes a graph of it.
func (d Dump) Write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<16)
	put := func(numbers ...uint32) {
		for _, n := range numbers {
			_, _ = w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), n)) // Flush returns the error
		}
	}
	v, names := d.view, d.view.g.names
	put(uint32(v.revision), uint32(v.revision>>32), d.names-1)
	for number := uint32(1); number < d.names; number++ {
		e := names.entries.at(number)
		put(uint32(e.resource)<<16 | uint32(e.length))
		_, _ = w.WriteString(names.text(e))
	}
	live := uint32(0)
	for i := uint32(1); i < d.records; i++ {
		if v.s.records.at(i).sees(v.revision) {
			live++
		}
	}
	put(live)
	for i := uint32(1); i < d.records; i++ {
		r := v.s.records.at(i)
		if !r.sees(v.revision) {
			continue
		}
		n := v.s.nodes.at(r.node)
		who, held := r.subject, uint32(0)
		if who.kind() == tuple.Userset {
			h := v.s.nodes.at(who.number())
			who, held = makeSubject(tuple.Userset, h.object), h.slot
		}
		put(n.object, n.slot, uint32(who), held)
	}
	return w.Flush()
}

// Read makes a graph of a dump that was written under the same policy, and reads nothing behind it.
func Read(p *policy.Policy, from *bufio.Reader) (*Graph, error) {
	r := &dumpReader{from: from}
	revision := uint64(r.number()) | uint64(r.number())<<32
	names := r.number()
	g := New(p)
	r.readNames(g, names)
	live := r.number()
	s := g.state.Load()
	for i := uint32(0); i < live && r.err == nil; i++ {
		r.readRecord(g, s, revision)
	}
	if twice := s.fill(); twice != 0 {
		r.fail("fact %d is there twice", twice)
	}
	s.revision.Store(revision)
	return g, r.err
}

type dumpReader struct {
	from *bufio.Reader
	err  error
}

func (r *dumpReader) bytes(n int) []byte {
	if r.err != nil {
		return make([]byte, n)
	}
	b, err := r.from.Peek(n)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		r.err = err
		return make([]byte, n)
	}
	_, _ = r.from.Discard(n) // as many as were peeked
	return b
}

func (r *dumpReader) number() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }

func (r *dumpReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *dumpReader) readNames(g *Graph, count uint32) {
	for i := uint32(0); i < count && r.err == nil; i++ {
		head := r.number()
		resource, length := uint16(head>>16), int(head&0xffff)
		if resource > g.actors || length == 0 || length > MaxID {
			r.fail("name %d: resource %d, %d bytes", i+1, resource, length)
			return
		}
		bytes := r.bytes(length)
		g.names.append(resource, unsafe.String(unsafe.SliceData(bytes), length)) // it copies the id
	}
	if twice := g.names.fill(); twice != 0 {
		r.fail("name %d is there twice", twice)
	}
}

func (r *dumpReader) readRecord(g *Graph, s *state, revision uint64) {
	b := r.bytes(16)
	object, slot := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	who, held := subject(binary.LittleEndian.Uint32(b[8:])), binary.LittleEndian.Uint32(b[12:])
	if r.err != nil {
		return
	}
	names := g.names.entries.length
	switch {
	case object == 0 || object >= names || who.number() >= names || (who.number() == 0) != (who.kind() == tuple.All):
		r.fail("fact of objects %d and %d, of %d", object, who.number(), names-1)
	case slot == 0 || int(slot) >= len(g.slots) || g.slots[slot].relation == nil || g.slots[slot].resource != g.names.resource(object):
		r.fail("fact of slot %d of object %d", slot, object)
	case who.kind() != tuple.All && (g.names.resource(who.number()) == g.actors) != (who.kind() == tuple.Actor):
		r.fail("fact of subject %d", who.number())
	case (who.kind() == tuple.Userset) != (held != 0) || int(held) >= len(g.slots) ||
		held != 0 && g.slots[held].resource != g.names.resource(who.number()):
		r.fail("fact of a userset of slot %d of object %d", held, who.number())
	}
	if r.err != nil {
		return
	}
	if held != 0 {
		who = makeSubject(tuple.Userset, s.addNode(who.number(), held))
	}
	s.append(s.addNode(object, slot), who, 0, revision)
}
