package proof_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/model"
	"assay/smt/proof"
)

func TestBinaryFormOfPublishedProofs(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Proofs(t) {
		f, p := cases[v.Case].Format(), v.Proof.Proof()
		data, err := p.AppendBinary(f, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		var back proof.Proof
		if err := back.ParseBinary(f, data); err != nil || wire(t, back) != wire(t, p) {
			t.Errorf("%s: %+v, %v, expected %+v", v.Case, back, err, p)
		}
		refuseCuts(t, data, func(cut []byte) error { return new(proof.Proof).ParseBinary(f, cut) })

		data, err = p.AppendBinary(f, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		p.SiblingData = nil
		if err := back.ParseBinary(f, data); err != nil || wire(t, back) != wire(t, p) {
			t.Errorf("%s, without sibling data: %+v, %v, expected %+v", v.Case, back, err, p)
		}
	}
	for _, v := range vectors.Closests(t) {
		f, c := cases[v.Case].Format(), v.Proof()
		data, err := c.AppendBinary(f, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		var back proof.Closest
		if err := back.ParseBinary(f, data); err != nil || wire(t, back) != wire(t, c) {
			t.Errorf("%s: %+v, %v, expected %+v", v.Case, back, err, c)
		}
		refuseCuts(t, data, func(cut []byte) error { return new(proof.Closest).ParseBinary(f, cut) })
	}
}

// refuseCuts checks that no shorter and no longer input is a proof.
func refuseCuts(t *testing.T, data []byte, parse func([]byte) error) {
	t.Helper()
	for n := 0; n < len(data); n += 1 + len(data)/20 {
		if err := parse(data[:n]); !errors.Is(err, proof.ErrProof) {
			t.Errorf("%d of %d bytes: %v, expected ErrProof", n, len(data), err)
		}
	}
	if err := parse(append(slices.Clone(data), 0)); !errors.Is(err, proof.ErrProof) {
		t.Errorf("a byte too many: %v, expected ErrProof", err)
	}
}

func TestBinaryFormOfMultiAndRange(t *testing.T) {
	for name, f := range formats {
		for _, size := range sizes {
			w := newWorld(t, f, uint64(size), size)
			_, keys := w.claims(20)
			p, err := w.model.ProveMulti(keys)
			if err != nil {
				t.Fatal(err)
			}
			data, err := p.AppendBinary(f, nil)
			if err != nil {
				t.Fatal(err)
			}
			var multi proof.Multi
			if err := multi.ParseBinary(f, data); err != nil || wire(t, multi) != wire(t, p) {
				t.Errorf("%s: %+v, %v, expected %+v", name, multi, err, p)
			}
			refuseCuts(t, data, func(cut []byte) error { return new(proof.Multi).ParseBinary(f, cut) })

			r, _ := w.model.ProveRange(w.span(t))
			if data, err = r.AppendBinary(f, nil); err != nil {
				t.Fatal(err)
			}
			var span proof.Range
			if err := span.ParseBinary(f, data); err != nil || wire(t, span) != wire(t, r) {
				t.Errorf("%s: %+v, %v, expected %+v", name, span, err, r)
			}
			refuseCuts(t, data, func(cut []byte) error { return new(proof.Range).ParseBinary(f, cut) })
		}
	}
}

func TestParseBinarySaysWhatIsWrong(t *testing.T) {
	var f format.Format
	digest := strings.Repeat("d", 32)
	for _, c := range []struct{ data, says string }{
		{"", "version: before byte 0: the input is too short"},
		{"\x02\x01", "version: before byte 1: expected 1"},
		{"\x01\x02", "kind"},
		{"\x01\x01\x80\x00", "side nodes: before byte 2: not an integer in shortest form"},
		{"\x01\x01\x02" + digest, "side nodes: before byte 3: more than the input can hold"},
		{"\x01\x01\x01" + strings.Repeat("\x00", 32) + "\x00\x00\x00", "a placeholder that is written out"},
		{"\x01\x01\x01" + digest + "\x01\x02\x00\x00", "placeholders: before byte 36"},
		{"\x01\x01\x01" + digest + "\x00\x02??\x00", "leaf data: 2 bytes, expected at least 33"},
		{"\x01\x01\x01" + digest + "\x00\x00\x02??", "sibling data"},
		{"\x01\x01\x00\xff\x02" + strings.Repeat("\x00", 383), "side nodes: before byte 5: too many"},
	} {
		err := new(proof.Proof).ParseBinary(f, []byte(c.data))
		if !errors.Is(err, proof.ErrProof) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, expected ErrProof with %q", c.data, err, c.says)
		}
	}
}

// The keys are those of the published proof sizes, which begin at 100,000 keys.
func TestBinarySize(t *testing.T) {
	for _, c := range []struct {
		f          format.Format
		keys       int
		mean, with int // bytes, without and with sibling data
	}{
		{format.Format{}, 2000, 368, 434},
		{format.Format{Sum: format.SumCount}, 2000, 549, 638},
		{format.Format{}, 100_000, 549, 614},
		{format.Format{Sum: format.SumCount}, 100_000, 820, 908},
	} {
		if c.keys > vectors.MaxKeys(t) {
			continue
		}
		m := model.New(c.f)
		for i := range c.keys {
			key := binary.BigEndian.AppendUint64(nil, uint64(i))
			if err := m.Update(key, key, uint64(i)); err != nil {
				t.Fatal(err)
			}
		}
		var mean, with int
		var buf []byte
		for i := range c.keys {
			p, err := m.Prove(binary.BigEndian.AppendUint64(nil, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			for _, sum := range []*int{&mean, &with} {
				if buf, err = p.AppendBinary(c.f, buf[:0], sum == &with); err != nil {
					t.Fatal(err)
				}
				*sum += len(buf)
			}
		}
		mean, with = mean/c.keys, with/c.keys
		if mean != c.mean || with != c.with {
			t.Errorf("%+v, %d keys: %d and %d bytes, expected %d and %d", c.f, c.keys, mean, with, c.mean, c.with)
		}
	}
}
