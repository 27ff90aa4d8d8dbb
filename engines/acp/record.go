package acp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"assay/acp/graph"
	"assay/acp/policy"
)

// The records of the log; FORMAT.md has their bytes. A record is one operation, and makes the same
// change when it is read back as it did when it was written.
const (
	recordAddPolicy     byte = 1 // creator, text
	recordRefusedPolicy byte = 2 // takes a number of the counter
	recordEditPolicy    byte = 3 // number, text
	recordDeletePolicy  byte = 4 // number
	recordChange        byte = 5 // number, change
	recordFirst         byte = 6 // first part of a record that does not fit in one
	recordMore          byte = 7 // further part
	recordLast          byte = 8 // last part
	recordImportPolicy  byte = 9 // creator, text, change
)

// maxPart is how much of a record that does not fit in one is put in each.
const maxPart = 4 << 20

// policyRecord is an operation on a policy.
type policyRecord struct {
	kind    byte
	number  uint32
	creator string
	text    string
}

func (r policyRecord) encode(b []byte) []byte {
	b = append(b, r.kind)
	switch r.kind {
	case recordAddPolicy, recordImportPolicy:
		b = binary.AppendUvarint(b, uint64(len(r.creator)))
		b = append(b, r.creator...)
		if r.kind == recordImportPolicy {
			b = binary.AppendUvarint(b, uint64(len(r.text)))
		}
	case recordEditPolicy, recordDeletePolicy:
		b = binary.AppendUvarint(b, uint64(r.number))
	}
	return append(b, r.text...)
}

func appendChange(b []byte, number uint32, c *graph.Change) []byte {
	b = append(b, recordChange)
	b = binary.AppendUvarint(b, uint64(number))
	return graph.AppendChange(b, c)
}

// append logs a record. One that is too long is continued in others; if the log ends between them, the
// operation has not happened.
func (e *Engine) append(record []byte) error {
	if e.log == nil {
		return nil
	}
	if len(record) <= maxPart {
		return e.appendPart(record)
	}
	kind := recordFirst
	for len(record) > maxPart {
		if err := e.appendPart(append([]byte{kind}, record[:maxPart]...)); err != nil {
			return err
		}
		kind, record = recordMore, record[maxPart:]
	}
	return e.appendPart(append([]byte{recordLast}, record...))
}

func (e *Engine) appendPart(record []byte) error {
	seq, err := e.log.Append(record)
	if err == nil {
		e.seq = seq
		e.logged += int64(len(record))
	}
	return err
}

// replay makes the change of a record that is read back.
func (e *Engine) replay(record []byte) error {
	if len(record) == 0 {
		return errors.New("record is empty")
	}
	switch record[0] {
	case recordFirst:
		e.parts = append(e.parts[:0], record[1:]...)
		return nil
	case recordMore, recordLast:
		if e.parts == nil {
			return errors.New("part of a record without its first part")
		}
		e.parts = append(e.parts, record[1:]...)
		if record[0] == recordMore {
			return nil
		}
		record = e.parts
	}
	e.parts = nil
	body := record[1:]
	switch record[0] {
	case recordAddPolicy:
		creator, text, err := cutText(body)
		if err != nil {
			return err
		}
		return e.replayPolicy(creator, string(text), nil)
	case recordImportPolicy:
		creator, rest, err := cutText(body)
		if err != nil {
			return err
		}
		text, change, err := cutText(rest)
		if err != nil {
			return err
		}
		return e.replayPolicy(creator, text, change)
	case recordRefusedPolicy:
		e.counter++
		return nil
	}
	number, n := binary.Uvarint(body)
	if n <= 0 || number >= uint64(len(e.entries)) || e.entries[number] == nil {
		return fmt.Errorf("record of kind %d has no policy", record[0])
	}
	en, body := e.entries[number], body[n:]
	g := en.graph.Load()
	switch record[0] {
	case recordEditPolicy:
		p, err := reparse(string(body))
		if err != nil {
			return err
		}
		edited, err := g.View().With(p, nil, nil)
		if err != nil {
			return err
		}
		e.editPolicy(en, string(body), edited)
	case recordDeletePolicy:
		e.deletePolicy(en)
	case recordChange:
		if err := g.DecodeChange(body, &e.change); err != nil {
			return err
		}
		g.Apply(&e.change)
	default:
		return fmt.Errorf("record of unknown kind %d", record[0])
	}
	return nil
}

// cutText reads a length and as much text, and returns what is behind it.
func cutText(b []byte) (text string, rest []byte, err error) {
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return "", nil, errors.New("record of a policy ends too early")
	}
	end := n + int(length)
	return string(b[n:end]), b[end:], nil
}

// replayPolicy adds a policy, with the change that it was imported with, if any.
func (e *Engine) replayPolicy(creator, text string, change []byte) error {
	p, err := reparse(text)
	if err != nil {
		return err
	}
	g := graph.New(p)
	if change != nil {
		if err := g.DecodeChange(change, &e.change); err != nil {
			return err
		}
		g.Apply(&e.change)
	}
	e.addPolicy(policy.ID(p, e.counter), creator, text, g)
	e.counter++
	return nil
}

// reparse reads a policy that was accepted before.
func reparse(text string) (*policy.Policy, error) {
	return policy.Parse([]byte(text), policy.Options{Lenient: true})
}
