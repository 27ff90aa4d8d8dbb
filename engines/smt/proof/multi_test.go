package proof_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/proof"
)

// claims are what is true of n random keys, each once.
func (w *world) claims(n int) (claims []proof.Claim, keys [][]byte) {
	seen := map[string]bool{}
	for range n {
		key := w.key()
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		e, present := w.values[string(key)]
		claims = append(claims, proof.Claim{Key: key, Value: e.value, Weight: e.weight, Present: present})
		keys = append(keys, key)
	}
	return claims, keys
}

func TestMultiProvesWhatIsTrueAndNothingElse(t *testing.T) {
	for name, f := range formats {
		for _, size := range sizes {
			w := newWorld(t, f, uint64(size), size)
			for _, n := range []int{0, 1, 2, 5, 40} {
				claims, keys := w.claims(n)
				p, err := w.model.ProveMulti(keys)
				if err != nil {
					t.Fatal(err)
				}
				root := w.model.Root()
				if ok, err := proof.VerifyMulti(f, root, claims, p); !ok {
					t.Fatalf("%s, %d keys, %d claims: %v, %v", name, size, n, ok, err)
				}
				for i, c := range claims {
					lie := slices.Clone(claims)
					lie[i].Present = !c.Present
					refuseMulti(t, f, root, lie, p, name+": presence inverted")
					if c.Present {
						lie[i] = c
						lie[i].Value = append(bytes.Clone(c.Value), 1)
						refuseMulti(t, f, root, lie, p, name+": another value")
					}
				}
			}
		}
	}
}

func refuseMulti(t *testing.T, f format.Format, root []byte, claims []proof.Claim, p *proof.Multi, what string) {
	t.Helper()
	ok, err := proof.VerifyMulti(f, root, claims, p)
	if ok || err != nil && !errors.Is(err, proof.ErrProof) {
		t.Errorf("%s: %v, %v", what, ok, err)
	}
}

func TestMultiHoldsSharedSiblingsOnce(t *testing.T) {
	w := newWorld(t, format.Format{}, 1, 300)
	_, keys := w.claims(64)
	p, err := w.model.ProveMulti(keys)
	if err != nil {
		t.Fatal(err)
	}
	single := 0
	for _, key := range keys {
		q, err := w.model.Prove(key)
		if err != nil {
			t.Fatal(err)
		}
		single += len(q.SideNodes)
	}
	if len(p.SideNodes)*3 > single {
		t.Errorf("%d side nodes for %d keys, one by one %d", len(p.SideNodes), len(keys), single)
	}
}

func TestMultiRefusesTwoClaimsOfOneKey(t *testing.T) {
	w := newWorld(t, format.Format{}, 1, 5)
	key := []byte("twice")
	p, err := w.model.ProveMulti([][]byte{key})
	if err != nil {
		t.Fatal(err)
	}
	_, err = proof.VerifyMulti(w.f, w.model.Root(), []proof.Claim{{Key: key}, {Key: key}}, p)
	if !errors.Is(err, proof.ErrProof) {
		t.Errorf("%v, expected ErrProof", err)
	}
}
