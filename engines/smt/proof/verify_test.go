package proof_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"testing"

	"assay/smt/internal/vectors"
	"assay/smt/proof"
)

func result(ok bool, err error) string {
	if err != nil {
		return "error"
	}
	return fmt.Sprint(ok)
}

func TestVerifyPublishedProofs(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Proofs(t) {
		f := cases[v.Case].Format()
		p := v.Proof.Proof()
		for _, siblingData := range []vectors.Hex{v.Proof.SiblingData, v.SiblingDataCanonical, nil} {
			p.SiblingData = siblingData
			if ok, err := proof.Verify(f, v.Root, v.Key, v.Value, v.Weight, p); !ok {
				t.Errorf("%s, key %x: %v, %v", v.Case, v.Key, ok, err)
			}
		}
		if !v.Present {
			continue
		}
		if ok, err := proof.VerifyPresent(f, v.Root, v.Key, v.Value, v.Weight, p); !ok {
			t.Errorf("%s, key %x is not present: %v, %v", v.Case, v.Key, ok, err)
		}
	}
}

func TestVerifyMutatedProofs(t *testing.T) {
	for _, v := range vectors.Verifications(t) {
		f := v.Format()
		var p *proof.Proof
		var err error
		if v.Proof != nil {
			p = v.Proof.Proof()
		} else {
			p, err = v.Compact.Compact().Decompact(f)
		}
		var ok bool
		if err == nil {
			ok, err = proof.VerifySum(f, v.Root, v.Key, v.Value, v.Weight, v.Count, p)
		}
		if got := result(ok, err); got != v.RequiredResult {
			t.Errorf("%s, %s: %s (%v), expected %s", v.Case, v.Mutation, got, err, v.RequiredResult)
		}
		if err != nil && !errors.Is(err, proof.ErrProof) {
			t.Errorf("%s, %s: %v is not an ErrProof", v.Case, v.Mutation, err)
		}
	}
}

func TestVerifyProofsOfTheOlderSumTrie(t *testing.T) {
	for _, c := range vectors.Sum8s(t) {
		for _, v := range c.Proofs {
			if ok, err := proof.Verify(c.Format(), c.Root, v.Key, v.Value, v.Weight, v.Proof()); !ok {
				t.Errorf("%s, key %x: %v, %v", c.ID, v.Key, ok, err)
			}
		}
	}
}

func TestVerifyClosestPublishedProofs(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Closests(t) {
		f := cases[v.Case].Format()
		if ok, err := proof.VerifyClosest(f, v.Root, v.Proof()); !ok {
			t.Errorf("%s, path %x: %v, %v", v.Case, v.Path, ok, err)
		}
	}
}

// wire is v as bytes that are equal for equal proofs; nil and empty are one.
func wire(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompactForms(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Proofs(t) {
		f := cases[v.Case].Format()
		got, err := v.Proof.Proof().Compact(f)
		want := v.Compact.Compact()
		if err != nil || wire(t, got) != wire(t, want) {
			t.Errorf("%s: compact %+v, %v, expected %+v", v.Case, got, err, want)
		}
		back, err := want.Decompact(f)
		if err != nil || wire(t, back) != wire(t, v.Proof.Proof()) {
			t.Errorf("%s: decompacted %+v, %v, expected %+v", v.Case, back, err, v.Proof.Proof())
		}
	}
	for _, v := range vectors.Closests(t) {
		f := cases[v.Case].Format()
		got, err := v.Proof().Compact(f)
		if err != nil || wire(t, got) != wire(t, v.Compact()) {
			t.Errorf("%s: compact %+v, %v, expected %+v", v.Case, got, err, v.Compact())
		}
		back, err := v.Compact().Decompact(f)
		if err != nil || wire(t, back) != wire(t, v.Proof()) {
			t.Errorf("%s: decompacted %+v, %v, expected %+v", v.Case, back, err, v.Proof())
		}
	}
}

func TestVerifyAllocatesNothing(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, v := range vectors.Proofs(t)[:300] {
		f, p := cases[v.Case].Format(), v.Proof.Proof()
		allocs := testing.AllocsPerRun(1, func() {
			if ok, err := proof.Verify(f, v.Root, v.Key, v.Value, v.Weight, p); !ok {
				t.Fatal(ok, err)
			}
		})
		if allocs != 0 {
			t.Fatalf("%s: %v allocations", v.Case, allocs)
		}
	}
}
