package proof_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/proof"
)

// span is a random range: its ends are paths of keys, random, or the extremes.
func (w *world) span(t *testing.T) (from, to []byte) {
	t.Helper()
	pick := func() []byte {
		path := make([]byte, w.f.HashSize())
		switch w.rng.IntN(4) {
		case 0:
			return path
		case 1:
			return slices.Repeat([]byte{0xff}, len(path))
		case 2:
			for i := range path {
				path[i] = byte(w.rng.Uint32())
			}
			return path
		}
		path, err := w.f.AppendPath(nil, w.key())
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	from, to = pick(), pick()
	if bytes.Compare(from, to) > 0 {
		from, to = to, from
	}
	return from, to
}

func TestRangeProvesAllLeavesBetween(t *testing.T) {
	for name, f := range formats {
		for _, size := range sizes {
			w := newWorld(t, f, uint64(size), size)
			for range 8 {
				from, to := w.span(t)
				p, leaves := w.model.ProveRange(from, to)
				root := w.model.Root()
				if ok, err := proof.VerifyRange(f, root, from, to, leaves, p); !ok {
					t.Fatalf("%s, %d keys, from %x to %x: %v, %v", name, size, from, to, ok, err)
				}
				refuse := func(what string, leaves []proof.Leaf) {
					ok, err := proof.VerifyRange(f, root, from, to, leaves, p)
					if ok || err != nil && !errors.Is(err, proof.ErrProof) {
						t.Errorf("%s, %s, from %x to %x: %v, %v", name, what, from, to, ok, err)
					}
				}
				for i := 0; i < len(leaves); i += 1 + len(leaves)/4 {
					refuse("a leaf left out", slices.Delete(slices.Clone(leaves), i, i+1))
					other := slices.Clone(leaves)
					if other[i].LeafValue = bytes.Clone(other[i].LeafValue); len(other[i].LeafValue) > 0 {
						other[i].LeafValue[0] ^= 1
						refuse("another value", other)
					}
				}
				extra := proof.Leaf{Path: from, LeafValue: make([]byte, f.DigestSize())}
				if len(leaves) == 0 || !bytes.Equal(leaves[0].Path, from) {
					refuse("a leaf too many", append([]proof.Leaf{extra}, leaves...))
				}
			}
		}
	}
}

// An end could hide a leaf of the range as a leaf beside it.
func TestRangeDoesNotHideALeafInAnEnd(t *testing.T) {
	f := format.Format{PathHasher: format.IdentityKey}
	w := newWorld(t, f, 1, 0)
	key := slices.Repeat([]byte{0x42}, 32)
	w.put(t, key, entry{[]byte("hidden"), 0})
	from, to := slices.Repeat([]byte{0x10}, 32), slices.Repeat([]byte{0x90}, 32)
	leaf := f.AppendLeaf(nil, key, f.AppendLeafValue(nil, []byte("hidden"), 0))
	p := &proof.Range{From: &proof.End{Depth: 0, Leaf: leaf}}
	if ok, err := proof.VerifyRange(f, w.model.Root(), from, to, nil, p); ok || !errors.Is(err, proof.ErrProof) {
		t.Errorf("%v, %v, expected ErrProof", ok, err)
	}
}

func TestRangeRefusesBadBounds(t *testing.T) {
	w := newWorld(t, format.Format{}, 1, 9)
	zero, one := make([]byte, 32), slices.Repeat([]byte{1}, 32)
	for _, c := range [][2][]byte{{one, zero}, {zero, one[:31]}, {nil, nil}} {
		_, err := proof.VerifyRange(w.f, w.model.Root(), c[0], c[1], nil, &proof.Range{})
		if !errors.Is(err, proof.ErrProof) {
			t.Errorf("from %x to %x: %v, expected ErrProof", c[0], c[1], err)
		}
	}
}
