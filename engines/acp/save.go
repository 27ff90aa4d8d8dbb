package acp

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"assay/acp/graph"
	"assay/acp/wal"
)

// saveEvery is how many bytes of records are logged before a snapshot bounds what has to be read back.
const saveEvery = 64 << 20

// saved is what an engine holds at one moment.
type saved struct {
	counter  uint64
	policies []savedPolicy // by number
}

type savedPolicy struct {
	entry *entry // nil of a deleted policy
	dump  graph.Dump
}

// save returns what the engine holds. It is called while the engine is locked.
func (e *Engine) save() saved {
	s := saved{counter: e.counter, policies: make([]savedPolicy, len(e.entries))}
	for i, en := range e.entries {
		if en != nil {
			s.policies[i] = savedPolicy{entry: en, dump: en.graph.Load().Dump()}
		}
	}
	return s
}

// saveBeside writes a snapshot while changes go on, when enough was logged and no other is being
// written. It is called while the engine is locked.
func (e *Engine) saveBeside() {
	if e.log == nil || e.logged < cmp.Or(e.options.saveEvery, saveEvery) || e.saving.Load() {
		return
	}
	e.logged = 0
	e.saving.Store(true)
	state, seq := e.save(), e.seq
	e.savers.Go(func() {
		defer e.saving.Store(false)
		_ = e.log.Snapshot(seq, state.write) // without it the log is longer; Close tries again, and tells
	})
}

// write writes the payload of a snapshot.
func (s saved) write(to io.Writer) error {
	head := binary.LittleEndian.AppendUint64(nil, s.counter)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(s.policies)))
	if _, err := to.Write(head); err != nil {
		return err
	}
	for _, p := range s.policies {
		var fields []string
		if p.entry != nil {
			fields = []string{p.entry.id, p.entry.creator, p.entry.text}
		}
		b := []byte{byte(len(fields))}
		for _, field := range fields {
			b = binary.LittleEndian.AppendUint32(b, uint32(len(field)))
			b = append(b, field...)
		}
		if _, err := to.Write(b); err != nil {
			return err
		}
		if p.entry != nil {
			if err := p.dump.Write(to); err != nil {
				return err
			}
		}
	}
	return nil
}

// readSnapshot reads what saved.write wrote.
func (e *Engine) readSnapshot(from io.Reader) error {
	r := bufio.NewReaderSize(from, 1<<16)
	var head struct {
		Counter uint64
		Entries uint32
	}
	if err := binary.Read(r, binary.LittleEndian, &head); err != nil {
		return err
	}
	e.counter = head.Counter
	for range head.Entries {
		fields, err := readFields(r)
		if err != nil {
			return err
		}
		if fields == nil {
			e.entries = append(e.entries, nil)
			continue
		}
		p, err := reparse(fields[2])
		if err != nil {
			return err
		}
		g, err := graph.Read(p, r)
		if err != nil {
			return fmt.Errorf("policy %s: %w", fields[0], err)
		}
		e.addPolicy(fields[0], fields[1], fields[2], g)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return errors.New("bytes behind the last policy")
	}
	return nil
}

// readFields reads the id, creator and text of a policy, or nil of a deleted one.
func readFields(r *bufio.Reader) ([]string, error) {
	count, err := r.ReadByte()
	if err != nil || count == 0 {
		return nil, err
	}
	if count != 3 {
		return nil, fmt.Errorf("policy of %d fields", count)
	}
	fields := make([]string, 3)
	for i := range fields {
		var length uint32
		if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
			return nil, err
		}
		if length > wal.MaxRecord {
			return nil, fmt.Errorf("field of %d bytes", length)
		}
		b := make([]byte, length)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		fields[i] = string(b)
	}
	return fields, nil
}
