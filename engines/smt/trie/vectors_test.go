package trie

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/proof"
)

// newTrie makes a trie that is closed at the end of the test.
func newTrie(t testing.TB, c Config) *Trie {
	t.Helper()
	tr, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !tr.closed {
			tr.Close()
		}
	})
	return tr
}

// reimport gives a trie with what an export of tr holds.
func reimport(t testing.TB, tr *Trie) *Trie {
	t.Helper()
	var buf bytes.Buffer
	if err := tr.Export(&buf); err != nil {
		t.Fatal(err)
	}
	fresh := newTrie(t, tr.config)
	if err := fresh.Import(&buf); err != nil {
		t.Fatal(err)
	}
	return fresh
}

func TestRootsOfEveryStep(t *testing.T) {
	for _, c := range vectors.Cases(t, vectors.MaxKeys(t)) {
		t.Run(c.ID, func(t *testing.T) {
			tr := newTrie(t, Config{Format: c.Format()})
			for i, step := range c.Steps {
				c.Apply(t, step, tr)
				switch step.Op {
				case "commit":
					if _, err := tr.Commit(); err != nil {
						t.Fatal(err)
					}
				case "reimport":
					tr = reimport(t, tr)
				}
				if root := tr.Root(); !bytes.Equal(root, step.Root) {
					t.Fatalf("step %d %s: root %x, expected %x", i, step.Op, root, step.Root)
				}
				if c.Kind == "smst" && c.Hasher != "sha512" && (tr.Sum() != step.Sum || tr.Count() != step.Count) {
					t.Fatalf("step %d: sum %d count %d, expected %d and %d", i, tr.Sum(), tr.Count(), step.Sum, step.Count)
				}
				if step.StoreLen != nil {
					if n := len(nodesOf(t, tr)); n != *step.StoreLen {
						t.Fatalf("step %d: %d nodes, expected %d", i, n, *step.StoreLen)
					}
				}
			}
			if err := tr.Check(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func nodesOf(t testing.TB, tr *Trie) map[string][]byte {
	t.Helper()
	store := map[string][]byte{}
	err := tr.Nodes(nil, func(digest, preimage []byte) error {
		store[string(digest)] = bytes.Clone(preimage)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// canonical clears the bits of an extension that no digest covers.
func canonical(f format.Format, preimage []byte) []byte {
	if len(preimage) == 0 || format.Kind(preimage[0]) != format.Extension {
		return preimage
	}
	n, err := f.Parse(preimage)
	if err != nil {
		return preimage
	}
	return f.AppendExtension(nil, n.Start, n.End, n.Path, n.Child)
}

func TestNodeStores(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, store := range vectors.Stores(t) {
		c := cases[store.Case]
		tr := newTrie(t, Config{Format: c.Format()})
		c.Fill(t, tr)
		found := nodesOf(t, tr)
		if len(found) != len(store.Nodes) {
			t.Errorf("case %s: %d nodes, expected %d", c.ID, len(found), len(store.Nodes))
		}
		for _, node := range store.Nodes {
			if want := canonical(c.Format(), node.Preimage); !bytes.Equal(found[string(node.Digest)], want) {
				t.Fatalf("case %s: node %x is %x, expected %x", c.ID, node.Digest, found[string(node.Digest)], want)
			}
		}
	}
}

// filled gives the final tries of the vectors' cases, each made once; nil for a
// case that is too large for this run.
func filled(t testing.TB) func(id string) *Trie {
	cases, tries, limit := vectors.CaseMap(t), map[string]*Trie{}, vectors.MaxKeys(t)
	return func(id string) *Trie {
		if cases[id].Size() > limit {
			return nil
		}
		if tries[id] == nil {
			tries[id] = newTrie(t, Config{Format: cases[id].Format()})
			cases[id].Fill(t, tries[id])
		}
		return tries[id]
	}
}

func sameProof(f format.Format, found, want *proof.Proof, siblingData ...[]byte) error {
	if len(found.SideNodes) != len(want.SideNodes) {
		return fmt.Errorf("%d side nodes, expected %d", len(found.SideNodes), len(want.SideNodes))
	}
	for i := range want.SideNodes {
		if !bytes.Equal(found.SideNodes[i], want.SideNodes[i]) {
			return fmt.Errorf("side node %d is %x, expected %x", i, found.SideNodes[i], want.SideNodes[i])
		}
	}
	if !bytes.Equal(found.NonMembershipLeafData, want.NonMembershipLeafData) || (found.NonMembershipLeafData == nil) != (want.NonMembershipLeafData == nil) {
		return fmt.Errorf("leaf data %x, expected %x", found.NonMembershipLeafData, want.NonMembershipLeafData)
	}
	for _, data := range append(siblingData, want.SiblingData) {
		if bytes.Equal(found.SiblingData, canonical(f, data)) && (found.SiblingData == nil) == (data == nil) {
			return nil
		}
	}
	return fmt.Errorf("sibling data %x, expected %x", found.SiblingData, want.SiblingData)
}

func TestProofs(t *testing.T) {
	tries := filled(t)
	var into proof.Proof // reused by all
	for _, v := range vectors.Proofs(t) {
		tr := tries(v.Case)
		if tr == nil {
			continue
		}
		if err := tr.ProveInto(&into, v.Key); err != nil {
			t.Fatal(err)
		}
		var canonicalData [][]byte
		if v.SiblingDataCanonical != nil {
			canonicalData = append(canonicalData, v.SiblingDataCanonical)
		}
		if err := sameProof(tr.Format(), &into, v.Proof.Proof(), canonicalData...); err != nil {
			t.Fatalf("case %s key %x: %v", v.Case, v.Key, err)
		}
		leafValue, _, ok, err := tr.Get(v.Key)
		if err != nil || ok != v.Present {
			t.Fatalf("case %s key %x: present %v, expected %v (%v)", v.Case, v.Key, ok, v.Present, err)
		}
		if f := tr.Format(); ok && !bytes.Equal(leafValue, f.AppendLeafValue(nil, v.Value, v.Weight)) {
			t.Fatalf("case %s key %x: leaf value %x", v.Case, v.Key, leafValue)
		}
	}
}

func TestClosestProofs(t *testing.T) {
	tries := filled(t)
	for _, v := range vectors.Closests(t) {
		tr := tries(v.Case)
		if tr == nil {
			continue
		}
		found, err := tr.ProveClosest(v.Path)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Proof()
		if err := sameProof(tr.Format(), found.ClosestProof, want.ClosestProof); err != nil {
			t.Fatalf("case %s path %x: %v", v.Case, v.Path, err)
		}
		found.ClosestProof, want.ClosestProof = nil, nil
		if fmt.Sprint(found) != fmt.Sprint(want) || (found.ClosestValueHash == nil) != (want.ClosestValueHash == nil) {
			t.Fatalf("case %s path %x: %v, expected %v", v.Case, v.Path, found, want)
		}
	}
}

func TestSum8(t *testing.T) {
	for _, c := range vectors.Sum8s(t) {
		if c.N > vectors.MaxKeys(t) {
			continue
		}
		tr := newTrie(t, Config{Format: c.Format()})
		for i := range c.N {
			if err := tr.Update(c.Key(i), c.Value(i, 0), c.Weight(i, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if root := tr.Root(); !bytes.Equal(root, c.Root) || tr.Sum() != c.Sum {
			t.Fatalf("case %s: root %x sum %d, expected %x and %d", c.ID, root, tr.Sum(), c.Root, c.Sum)
		}
		for _, v := range c.Proofs {
			found, err := tr.Prove(v.Key)
			if err != nil {
				t.Fatal(err)
			}
			if err := sameProof(tr.Format(), found, v.Proof()); err != nil {
				t.Fatalf("case %s key %x: %v", c.ID, v.Key, err)
			}
		}
	}
}

// The fill set of the published benchmark: decimal keys, value = key, weight = i.
func TestRootsOfThePublishedFill(t *testing.T) {
	for n, want := range map[int]string{100_000: "e83e0bf3b005", 1_000_000: "cf7158643f3d"} {
		if testing.Short() && n > 100_000 {
			continue
		}
		tr := newTrie(t, Config{})
		i := -1
		err := tr.BulkLoad(n, func() (key, value []byte, weight uint64, err error) {
			if i++; i == n {
				return nil, nil, 0, io.EOF
			}
			key = fmt.Append(nil, i)
			return key, key, uint64(i), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if root := fmt.Sprintf("%x", tr.Root()); root[:12] != want {
			t.Errorf("%d keys: root %s, expected %s...", n, root, want)
		}
	}
}
