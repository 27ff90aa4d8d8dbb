package proof

import (
	"bytes"
	"encoding/binary"

	"assay/smt/format"
)

// reader reads a binary form. After the first fault it returns zero values, and
// finish the fault. What it returns are parts of its own copy of the input.
type reader struct {
	f    format.Format
	data []byte // not yet read
	size int    // of the whole input
	err  error
}

func newReader(f format.Format, data []byte, kind byte) (*reader, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	r := &reader{f: f, data: bytes.Clone(data), size: len(data)}
	if v := r.byte("version"); v != binaryVersion {
		r.fail("version", "expected 1")
	}
	if k := r.byte("kind"); k != kind {
		r.fail("kind", "not the kind of proof expected")
	}
	return r, r.err
}

func (r *reader) fail(field, why string) {
	if r.err == nil {
		r.err = malformed(field, "before byte %d: %s", r.size-len(r.data), why)
	}
	r.data = nil
}

// take reads n bytes.
func (r *reader) take(field string, n int) []byte {
	if n > len(r.data) {
		r.fail(field, "the input is too short")
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) byte(field string) byte {
	if b := r.take(field, 1); b != nil {
		return b[0]
	}
	return 0
}

// int reads an integer of at most limit.
func (r *reader) int(field string, limit int) int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > uint64(limit) || n > 1 && r.data[n-1] == 0 {
		r.fail(field, "not an integer in shortest form, or too large")
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// count reads the number of things that have size bytes or more each.
func (r *reader) count(field string, size int) int {
	n := r.int(field, r.size)
	if n > len(r.data)/size {
		r.fail(field, "more than the input can hold")
		return 0
	}
	return n
}

// bytes reads a length and as many bytes; nil for length 0.
func (r *reader) bytes(field string) []byte {
	n := r.count(field, 1)
	if n == 0 {
		return nil
	}
	return r.take(field, n)
}

// sideNodes reads at most limit digests with the placeholders among them; nil
// for none.
func (r *reader) sideNodes(limit int) [][]byte {
	size := r.f.DigestSize()
	n := r.count("side nodes", size)
	digests := r.take("side nodes", n*size)
	placeholders := r.count("placeholders", 1)
	if n+placeholders > limit {
		r.fail("side nodes", "too many")
	}
	if r.err != nil || n+placeholders == 0 {
		return nil
	}
	out := make([][]byte, 0, n+placeholders)
	digestsTo := func(end int) {
		for len(digests) > 0 && len(out) < end {
			d := digests[:size:size]
			if r.f.IsPlaceholder(d) {
				r.fail("side nodes", "a placeholder that is written out")
			}
			out = append(out, d)
			digests = digests[size:]
		}
	}
	placeholder := r.f.Placeholder()
	for range placeholders {
		gap := r.int("placeholders", len(digests)/size)
		digestsTo(len(out) + gap)
		out = append(out, placeholder)
	}
	digestsTo(n + placeholders)
	return out
}

func (r *reader) finish() error {
	if r.err == nil && len(r.data) > 0 {
		r.fail("end", "more input than the proof")
	}
	return r.err
}
