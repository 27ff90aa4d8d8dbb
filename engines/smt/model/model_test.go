package model_test

import (
	"bytes"
	"testing"

	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/model"
)

func TestRoots(t *testing.T) {
	for _, c := range vectors.Cases(t, vectors.MaxKeys(t)) {
		f := c.Format()
		m := model.New(f)
		for i, s := range c.Steps {
			c.Apply(t, s, m)
			root := m.Root()
			if !bytes.Equal(root, s.Root) {
				t.Fatalf("%s, step %d: root %x, expected %x", c.ID, i, root, s.Root)
			}
			if s.StoreLen != nil && len(m.Nodes()) != *s.StoreLen {
				t.Errorf("%s, step %d: %d nodes, expected %d", c.ID, i, len(m.Nodes()), *s.StoreLen)
			}
			if f.Hash == format.SHA512 {
				continue // these vectors have no sums
			}
			if sum, count := f.Meta(root); sum != s.Sum || count != s.Count {
				t.Errorf("%s, step %d: sum %d and count %d, expected %d and %d", c.ID, i, sum, count, s.Sum, s.Count)
			}
		}
	}
}

func TestRootsOfTheOlderSumTrie(t *testing.T) {
	for _, c := range vectors.Sum8s(t) {
		if c.N > vectors.MaxKeys(t) {
			continue
		}
		m := model.New(c.Format())
		for i := range c.N {
			if err := m.Update(c.Key(i), c.Value(i, 0), c.Weight(i, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(m.Root(), c.Root) {
			t.Errorf("%s: root %x, expected %x", c.ID, m.Root(), c.Root)
		}
		for _, want := range c.Proofs {
			p, err := m.Prove(want.Key)
			if err != nil {
				t.Fatal(err)
			}
			expected := want.Proof()
			expected.SiblingData = canonicalNode(t, c.Format(), expected.SiblingData)
			equalProof(t, c.ID, p, expected)
		}
	}
}

func TestNodes(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, want := range vectors.Stores(t) {
		c := cases[want.Case]
		f := c.Format()
		m := model.New(f)
		c.Fill(t, m)
		store := m.Nodes()
		if len(store) != len(want.Nodes) {
			t.Errorf("%s: %d nodes, expected %d", c.ID, len(store), len(want.Nodes))
		}
		for _, n := range want.Nodes {
			canonical := canonicalNode(t, f, n.Preimage)
			if !bytes.Equal(store[string(n.Digest)], canonical) {
				t.Errorf("%s, node %x: %x, expected %x", c.ID, n.Digest, store[string(n.Digest)], canonical)
			}
		}
	}
}

// canonicalNode clears the bits of an extension that no digest covers.
func canonicalNode(t *testing.T, f format.Format, preimage []byte) []byte {
	t.Helper()
	if preimage == nil {
		return nil
	}
	n, err := f.Parse(preimage)
	if err != nil {
		t.Fatal(err)
	}
	if n.Kind != format.Extension {
		return preimage
	}
	return f.AppendExtension(nil, n.Start, n.End, n.Path, n.Child)
}
