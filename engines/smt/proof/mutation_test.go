package proof_test

import (
	"bytes"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/proof"
)

// mutate flips every bit of data, one at a time. Whatever accepts then must be
// a proof with the same contents.
func mutate(t *testing.T, name string, data []byte, accepts func(data []byte) (ok bool, same bool)) {
	t.Helper()
	data = slices.Clone(data)
	for i := range 8 * len(data) {
		data[i/8] ^= 0x80 >> (i % 8)
		if ok, same := accepts(data); ok && !same {
			t.Errorf("%s: accepted with bit %d of byte %d flipped", name, i%8, i/8)
		}
		data[i/8] ^= 0x80 >> (i % 8)
	}
}

// used is p with the bits zeroed that nothing covers: those of an extension in
// the sibling data before its start and from its end on.
func used(t *testing.T, f format.Format, p *proof.Proof) string {
	t.Helper()
	q := *p
	if n, err := f.Parse(p.SiblingData); err == nil && n.Kind == format.Extension {
		path := bytes.Clone(n.Path)
		for i := range n.Start {
			path[i/8] &^= 0x80 >> (i % 8)
		}
		q.SiblingData = f.AppendExtension(nil, n.Start, n.End, path, n.Child)
	}
	return wire(t, q)
}

// every takes one of n of a list.
func every[T any](n int, list []T) (out []T) {
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

func TestMutatedProofsAreRefused(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range every(80, vectors.Proofs(t)) {
		f, p := cases[v.Case].Format(), v.Proof.Proof()
		data, err := p.AppendBinary(f, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		want := used(t, f, p)
		mutate(t, v.Case, data, func(data []byte) (bool, bool) {
			var q proof.Proof
			if q.ParseBinary(f, data) != nil {
				return false, false
			}
			ok, _ := proof.Verify(f, v.Root, v.Key, v.Value, v.Weight, &q)
			return ok, ok && used(t, f, &q) == want
		})
	}
}

func TestMutatedClosestProofsAreRefused(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range every(16, vectors.Closests(t)) {
		f, c := cases[v.Case].Format(), v.Proof()
		data, err := c.AppendBinary(f, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		want := used(t, f, c.ClosestProof)
		mutate(t, v.Case, data, func(data []byte) (bool, bool) {
			var q proof.Closest
			if q.ParseBinary(f, data) != nil || !bytes.Equal(q.Path, c.Path) { // another question
				return false, false
			}
			ok, _ := proof.VerifyClosest(f, v.Root, &q)
			return ok, ok && used(t, f, q.ClosestProof) == want
		})
	}
}

func TestMutatedMultiAndRangeProofsAreRefused(t *testing.T) {
	for name, f := range formats {
		w := newWorld(t, f, 3, 6)
		root := w.model.Root()
		claims, keys := w.claims(4)
		p, err := w.model.ProveMulti(keys)
		if err != nil {
			t.Fatal(err)
		}
		data, err := p.AppendBinary(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		mutate(t, name, data, func(data []byte) (ok, _ bool) {
			var q proof.Multi
			if q.ParseBinary(f, data) == nil {
				ok, _ = proof.VerifyMulti(f, root, claims, &q)
			}
			return ok, false
		})

		from, to := w.span(t)
		r, leaves := w.model.ProveRange(from, to)
		if data, err = r.AppendBinary(f, nil); err != nil {
			t.Fatal(err)
		}
		mutate(t, name, data, func(data []byte) (ok, _ bool) {
			var q proof.Range
			if q.ParseBinary(f, data) == nil {
				ok, _ = proof.VerifyRange(f, root, from, to, leaves, &q)
			}
			return ok, false
		})
	}
}
