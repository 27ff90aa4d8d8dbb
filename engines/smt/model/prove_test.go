package model_test

import (
	"bytes"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/model"
	"assay/smt/proof"
)

// filled returns the model of a case's final contents; nil for a case that is too
// large for the test. It keeps the newest only: the vectors go case by case.
func filled(t *testing.T) func(id string) (format.Format, *model.Model) {
	cases := vectors.CaseMap(t)
	var newest *model.Model
	var newestID string
	return func(id string) (format.Format, *model.Model) {
		c := cases[id]
		if c.Size() > vectors.MaxKeys(t) {
			return c.Format(), nil
		}
		if id != newestID {
			newest, newestID = model.New(c.Format()), id
			c.Fill(t, newest)
		}
		return c.Format(), newest
	}
}

func TestProofs(t *testing.T) {
	fill := filled(t)
	for _, want := range vectors.Proofs(t) {
		f, m := fill(want.Case)
		if m == nil {
			continue
		}
		p, err := m.Prove(want.Key)
		if err != nil {
			t.Fatal(err)
		}
		expected := want.Proof.Proof()
		if want.SiblingDataCanonical != nil {
			expected.SiblingData = want.SiblingDataCanonical
		}
		expected.SiblingData = canonicalNode(t, f, expected.SiblingData)
		equalProof(t, want.Case, p, expected)
	}
}

func TestClosestProofs(t *testing.T) {
	fill := filled(t)
	for _, v := range vectors.Closests(t) {
		f, m := fill(v.Case)
		if m == nil {
			continue
		}
		got, want := m.ProveClosest(v.Path), v.Proof()
		if !slices.Equal(got.FlippedBits, want.FlippedBits) || got.Depth != want.Depth ||
			!bytes.Equal(got.ClosestPath, want.ClosestPath) || !bytes.Equal(got.ClosestValueHash, want.ClosestValueHash) {
			t.Errorf("%s, path %x: %+v, expected %+v", v.Case, v.Path, got, want)
		}
		want.ClosestProof.SiblingData = canonicalNode(t, f, want.ClosestProof.SiblingData)
		equalProof(t, v.Case, got.ClosestProof, want.ClosestProof)
	}
}

func equalProof(t *testing.T, id string, got, want *proof.Proof) {
	t.Helper()
	if !slices.EqualFunc(got.SideNodes, want.SideNodes, bytes.Equal) {
		t.Errorf("%s: side nodes %x, expected %x", id, got.SideNodes, want.SideNodes)
	}
	if !bytes.Equal(got.NonMembershipLeafData, want.NonMembershipLeafData) {
		t.Errorf("%s: leaf data %x, expected %x", id, got.NonMembershipLeafData, want.NonMembershipLeafData)
	}
	if !bytes.Equal(got.SiblingData, want.SiblingData) {
		t.Errorf("%s: sibling data %x, expected %x", id, got.SiblingData, want.SiblingData)
	}
}
