package proof_test

import (
	"bytes"
	"errors"
	"testing"

	"assay/smt/format"
	"assay/smt/proof"
)

func TestUpdateFromProofFollowsTheTrie(t *testing.T) {
	for name, f := range formats {
		w := newWorld(t, f, 7, 0)
		for step := range 200 {
			key := w.key()
			p, err := w.model.Prove(key)
			if err != nil {
				t.Fatal(err)
			}
			var before, after *proof.Entry
			if e, present := w.values[string(key)]; present {
				before = &proof.Entry{Value: e.value, Weight: e.weight}
			}
			if w.rng.IntN(100) < 60-20*(step/100) { // more deletes than inserts in the end
				e := w.entry()
				after = &proof.Entry{Value: e.value, Weight: e.weight}
			}
			got, err := proof.UpdateFromProof(f, w.model.Root(), key, before, after, p)
			if err != nil {
				t.Fatalf("%s, step %d: %v", name, step, err)
			}
			switch {
			case after != nil:
				w.put(t, key, entry{after.Value, after.Weight})
			case before != nil:
				w.delete(t, key)
			}
			if !bytes.Equal(got, w.model.Root()) {
				t.Fatalf("%s, step %d: root %x, expected %x", name, step, got, w.model.Root())
			}
		}
	}
}

func TestUpdateFromProofRefuses(t *testing.T) {
	w := newWorld(t, format.Format{}, 1, 50)
	for key, e := range w.values {
		p, err := w.model.Prove([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		lie := &proof.Entry{Value: append(bytes.Clone(e.value), 1)}
		if _, err := proof.UpdateFromProof(w.f, w.model.Root(), []byte(key), lie, nil, p); !errors.Is(err, proof.ErrNotProved) {
			t.Errorf("another old value: %v, expected ErrNotProved", err)
		}
		if p.SiblingData == nil {
			continue
		}
		p.SiblingData = nil
		old := &proof.Entry{Value: e.value}
		if _, err := proof.UpdateFromProof(w.f, w.model.Root(), []byte(key), old, nil, p); !errors.Is(err, proof.ErrProof) {
			t.Errorf("a delete without sibling data: %v, expected ErrProof", err)
		}
	}
}
