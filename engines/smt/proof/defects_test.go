package proof_test

import (
	"errors"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/model"
	"assay/smt/proof"
)

// Each test is named after a defect of the published library, which panics, or
// accepts, or refuses where it must not.

func absenceProof(t *testing.T) (f format.Format, root, key []byte, p *proof.Proof) {
	t.Helper()
	w := newWorld(t, f, 1, 50)
	for i := byte(0); ; i++ {
		key = []byte{0xff, 0xff, i}
		p, err := w.model.Prove(key)
		if err != nil {
			t.Fatal(err)
		}
		if p.NonMembershipLeafData != nil && p.SiblingData != nil {
			return f, w.model.Root(), key, p
		}
	}
}

func isMalformed(t *testing.T, what string, ok bool, err error) {
	t.Helper()
	if ok || !errors.Is(err, proof.ErrProof) {
		t.Errorf("%s: %v, %v, expected ErrProof", what, ok, err)
	}
}

func TestNilProofIsAnError(t *testing.T) {
	var f format.Format
	ok, err := proof.Verify(f, f.Placeholder(), []byte("key"), nil, 0, nil)
	isMalformed(t, "nil proof", ok, err)
	ok, err = proof.VerifyClosest(f, f.Placeholder(), nil)
	isMalformed(t, "nil closest proof", ok, err)
	ok, err = proof.VerifyClosest(f, f.Placeholder(), &proof.Closest{Path: make([]byte, 32)})
	isMalformed(t, "closest proof with a nil proof", ok, err)
	ok, err = proof.VerifyMulti(f, f.Placeholder(), nil, nil)
	isMalformed(t, "nil multiproof", ok, err)
	ok, err = proof.VerifyRange(f, f.Placeholder(), make([]byte, 32), make([]byte, 32), nil, nil)
	isMalformed(t, "nil range proof", ok, err)
	_, err = (*proof.Compact)(nil).Decompact(f)
	isMalformed(t, "nil compact proof", false, err)
	_, err = (*proof.CompactClosest)(nil).Decompact(f)
	isMalformed(t, "nil compact closest proof", false, err)
}

func TestLeafDataWithAnotherPrefixIsAnError(t *testing.T) {
	f, root, key, p := absenceProof(t)
	p.NonMembershipLeafData = slices.Clone(p.NonMembershipLeafData)
	p.NonMembershipLeafData[0] = 1
	ok, err := proof.Verify(f, root, key, nil, 0, p)
	isMalformed(t, "prefix 01", ok, err)
}

func TestShortSiblingDataIsAnError(t *testing.T) {
	f, root, key, p := absenceProof(t)
	for _, data := range [][]byte{{}, {0}, {1, 2, 3}, append([]byte{2, 0, 5}, make([]byte, 20)...)} {
		p.SiblingData = data
		ok, err := proof.Verify(f, root, key, nil, 0, p)
		isMalformed(t, "short sibling data", ok, err)
	}
	sum := format.Format{Sum: format.SumCount}
	ok, err := proof.Verify(sum, sum.Placeholder(), key, nil, 0, &proof.Proof{
		SideNodes:   [][]byte{sum.Placeholder()},
		SiblingData: []byte{0, 1, 2},
	})
	isMalformed(t, "3 bytes of sibling data in a sum trie", ok, err)
}

func TestSideNodeOfAnotherLengthIsAnError(t *testing.T) {
	f, root, key, p := absenceProof(t)
	p.SiblingData = nil
	for _, side := range [][]byte{p.SideNodes[0][:31], append(slices.Clone(p.SideNodes[0]), 0), {}, nil} {
		p.SideNodes[0] = side
		ok, err := proof.Verify(f, root, key, nil, 0, p)
		isMalformed(t, "side node", ok, err)
	}
}

func TestClosestLeafAtDepth256(t *testing.T) {
	f := format.Format{PathHasher: format.IdentityKey}
	m := model.New(f)
	first, second := make([]byte, 32), make([]byte, 32)
	second[31] = 1
	for _, key := range [][]byte{first, second} {
		if err := m.Update(key, []byte("value"), 0); err != nil {
			t.Fatal(err)
		}
	}
	c := m.ProveClosest(second)
	if c.Depth != 256 {
		t.Errorf("depth %d, expected 256", c.Depth)
	}
	if ok, err := proof.VerifyClosest(f, m.Root(), c); !ok {
		t.Errorf("%v, %v, expected a proof", ok, err)
	}
}

// The leaf of the path 0 with an empty raw value looks like the empty trie.
func TestClosestLeafOfPathZeroAndNoValue(t *testing.T) {
	f := format.Format{PathHasher: format.IdentityKey, ValueHasher: format.RawValue}
	m := model.New(f)
	zero, other := make([]byte, 32), make([]byte, 32)
	other[0] = 0x20 // a chain of two levels above both
	asked := slices.Repeat([]byte{0x80}, 32)
	for _, key := range [][]byte{zero, other} {
		if err := m.Update(key, nil, 0); err != nil {
			t.Fatal(err)
		}
		if ok, err := proof.VerifyClosest(f, m.Root(), m.ProveClosest(asked)); !ok {
			t.Errorf("%d keys: %v, %v, expected a proof", m.Len(), ok, err)
		}
	}
}

func TestClosestProofVerifiesWithAValueHasher(t *testing.T) {
	for name, f := range formats {
		for _, size := range sizes {
			w := newWorld(t, f, 5, size)
			for range 5 {
				path, _ := w.span(t)
				c := w.model.ProveClosest(path)
				if ok, err := proof.VerifyClosest(f, w.model.Root(), c); !ok {
					t.Errorf("%s, %d keys, path %x: %v, %v", name, size, path, ok, err)
				}
			}
		}
	}
}

// A flip where the wanted side is not empty would prove any leaf the closest.
func TestClosestProofCannotTurnAwayFromALeaf(t *testing.T) {
	w := newWorld(t, format.Format{}, 1, 50)
	path, _ := w.span(t)
	other := slices.Clone(path)
	other[0] ^= 0x80
	c := w.model.ProveClosest(other) // of a leaf on the other side of the root
	c.Path = path
	c.FlippedBits = slices.Insert(c.FlippedBits, 0, 0)
	if ok, err := proof.VerifyClosest(w.f, w.model.Root(), c); ok || err != nil {
		t.Errorf("%v, %v, expected false", ok, err)
	}
}

func TestStoredEmptyValueCanBeProved(t *testing.T) {
	for name, f := range formats {
		w := newWorld(t, f, 9, 30)
		key := w.key()
		w.put(t, key, entry{nil, 0})
		p, err := w.model.Prove(key)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := proof.VerifyPresent(f, w.model.Root(), key, nil, 0, p); !ok {
			t.Errorf("%s: present is %v, %v", name, ok, err)
		}
		if ok, err := proof.Verify(f, w.model.Root(), key, nil, 0, p); ok || err != nil {
			t.Errorf("%s: absent is %v, %v", name, ok, err)
		}
	}
}

func TestAbsenceIgnoresTheCount(t *testing.T) {
	f := format.Format{Sum: format.SumCount}
	w := newWorld(t, f, 1, 50)
	key := []byte("absent")
	p, err := w.model.Prove(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []uint64{0, 1, 7} {
		if ok, err := proof.VerifySum(f, w.model.Root(), key, nil, 0, count, p); !ok {
			t.Errorf("count %d: %v, %v", count, ok, err)
		}
	}
}
