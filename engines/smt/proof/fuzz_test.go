package proof_test

import (
	"encoding/binary"
	"errors"
	"maps"
	"runtime"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/proof"
)

// formatNumber is every format by number, numberOf its inverse.
func formatNumber(n uint8) format.Format {
	return format.Format{
		Hash:        format.Hash(n & 1),
		PathHasher:  format.PathHasher(n >> 1 & 1),
		ValueHasher: format.ValueHasher(n >> 2 & 1),
		Sum:         format.Sum(n >> 3 % 3),
	}
}

func numberOf(f format.Format) uint8 {
	return uint8(f.Hash) | uint8(f.PathHasher)<<1 | uint8(f.ValueHasher)<<2 | uint8(f.Sum)<<3
}

// bounded runs f and fails when it allocates more than 64 KiB beyond the size of
// its input, times what the slices of the parsed form need for a byte of input.
func bounded(t *testing.T, input int, f func()) {
	t.Helper()
	const headers = 24 // bytes of a slice
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10+uint64(input)*(2+headers) {
		t.Fatalf("%d bytes allocated for %d bytes of input", got, input)
	}
}

// checkError fails on an error that is not one of bad input.
func checkError(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, proof.ErrProof) && !errors.Is(err, format.ErrKeyLength) && !errors.Is(err, format.ErrNode) {
		t.Fatal(err)
	}
}

// sameAgain checks that the binary form of what was parsed is what was read:
// there is one form only of each proof.
func sameAgain(t *testing.T, data, again []byte, err error) {
	t.Helper()
	if err != nil || string(again) != string(data) {
		t.Fatalf("%x, written again %x, %v", data, again, err)
	}
}

// seedProofs adds some of the published proofs.
func seedProofs(fz *testing.F, add func(f format.Format, root, key, value []byte, weight uint64, data []byte)) {
	cases := vectors.CaseMap(fz)
	for _, v := range every(30, vectors.Proofs(fz)) {
		f := cases[v.Case].Format()
		data, err := v.Proof.Proof().AppendBinary(f, nil, true)
		if err != nil {
			fz.Fatal(err)
		}
		add(f, v.Root, v.Key, v.Value, v.Weight, data)
	}
}

func FuzzVerify(fz *testing.F) {
	seedProofs(fz, func(f format.Format, root, key, value []byte, weight uint64, data []byte) {
		fz.Add(numberOf(f), root, key, value, weight, data)
	})
	fz.Fuzz(func(t *testing.T, n uint8, root, key, value []byte, weight uint64, data []byte) {
		f := formatNumber(n)
		var p proof.Proof
		var ok bool
		var parsed, err error
		bounded(t, len(root)+len(key)+len(value)+len(data), func() {
			if parsed = p.ParseBinary(f, data); parsed == nil {
				ok, err = proof.Verify(f, root, key, value, weight, &p)
			}
		})
		checkError(t, parsed)
		checkError(t, err)
		if parsed != nil {
			return
		}
		again, err := p.AppendBinary(f, nil, true)
		sameAgain(t, data, again, err)
		_, err = proof.VerifyPresent(f, root, key, value, weight, &p)
		checkError(t, err)
		for _, old := range []*proof.Entry{nil, {Value: value, Weight: weight}} {
			for _, to := range []*proof.Entry{nil, {Value: []byte("new"), Weight: 1}} {
				_, err = proof.UpdateFromProof(f, root, key, old, to, &p)
				checkError(t, err)
			}
		}
		c, err := p.Compact(f)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Decompact(f)
		if err != nil || wire(t, back) != wire(t, p) {
			t.Fatalf("decompacted %+v, %v, expected %+v", back, err, p)
		}
		if again, _ := proof.Verify(f, root, key, value, weight, back); again != ok {
			t.Fatal("another verdict after Compact and Decompact")
		}
	})
}

// FuzzVerifyFields mutates the fields of a proof, which need no encoding: side
// nodes of any size, cut out of one string.
func FuzzVerifyFields(fz *testing.F) {
	fz.Add(uint8(0), []byte("root"), []byte("key"), []byte("value"), []byte("side nodes"), uint16(32), []byte{0}, []byte{2, 3, 9})
	fz.Add(uint8(8), make([]byte, 48), []byte("key"), []byte(nil), make([]byte, 96), uint16(48), make([]byte, 81), make([]byte, 113))
	fz.Fuzz(func(t *testing.T, n uint8, root, key, value, side []byte, size uint16, leafData, siblingData []byte) {
		f := formatNumber(n)
		p := &proof.Proof{NonMembershipLeafData: leafData, SiblingData: siblingData}
		for len(side) > 0 {
			cut := min(max(int(size), 1), len(side))
			p.SideNodes = append(p.SideNodes, side[:cut])
			side = side[cut:]
		}
		_, err := proof.Verify(f, root, key, value, 1, p)
		checkError(t, err)
		_, err = proof.Verify(f, root, key, nil, 0, p)
		checkError(t, err)
		_, err = proof.VerifyClosest(f, root, &proof.Closest{
			Path: key, ClosestPath: value, ClosestValueHash: root, Depth: len(p.SideNodes), FlippedBits: []int{int(size)}, ClosestProof: p,
		})
		checkError(t, err)
		c := &proof.Compact{SideNodes: p.SideNodes, NonMembershipLeafData: leafData, SiblingData: siblingData, BitMask: value, NumSideNodes: int(int16(size))}
		_, err = c.Decompact(f)
		checkError(t, err)
		_, err = (&proof.CompactClosest{Path: key, FlippedBits: p.SideNodes, Depth: value, ClosestPath: key, ClosestProof: c}).Decompact(f)
		checkError(t, err)
	})
}

func FuzzVerifyClosest(fz *testing.F) {
	cases := vectors.CaseMap(fz)
	for _, v := range every(10, vectors.Closests(fz)) {
		f := cases[v.Case].Format()
		data, err := v.Proof().AppendBinary(f, nil, true)
		if err != nil {
			fz.Fatal(err)
		}
		fz.Add(numberOf(f), []byte(v.Root), data)
	}
	fz.Fuzz(func(t *testing.T, n uint8, root, data []byte) {
		f := formatNumber(n)
		var c proof.Closest
		var parsed, err error
		bounded(t, len(root)+len(data), func() {
			if parsed = c.ParseBinary(f, data); parsed == nil {
				_, err = proof.VerifyClosest(f, root, &c)
			}
		})
		checkError(t, parsed)
		checkError(t, err)
		if parsed != nil {
			return
		}
		compact, err := c.Compact(f)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.AppendBinary(f, nil, true)
		sameAgain(t, data, again, err)
		back, err := compact.Decompact(f)
		if err != nil || wire(t, back) != wire(t, c) {
			t.Fatalf("decompacted %+v, %v, expected %+v", back, err, c)
		}
	})
}

func FuzzVerifyMulti(fz *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		f := formats[name]
		w := newWorld(fz, f, 2, 20)
		claims, keys := w.claims(4)
		p, err := w.model.ProveMulti(keys)
		if err != nil {
			fz.Fatal(err)
		}
		data, err := p.AppendBinary(f, nil)
		if err != nil {
			fz.Fatal(err)
		}
		var flat []byte
		for _, c := range claims {
			flat = append(append(append(flat, byte(len(c.Key))), c.Key...), c.Value...)
		}
		fz.Add(numberOf(f), w.model.Root(), flat, data)
	}
	fz.Fuzz(func(t *testing.T, n uint8, root, flat, data []byte) {
		f := formatNumber(n)
		var claims []proof.Claim
		for len(flat) > 0 {
			size := min(int(flat[0]&0x7f), len(flat)-1)
			claims = append(claims, proof.Claim{Key: flat[1 : 1+size], Value: flat[:size], Present: flat[0] > 0x7f})
			flat = flat[1+size:]
		}
		var p proof.Multi
		var parsed, err error
		bounded(t, len(root)+len(data)+128*len(claims), func() {
			if parsed = p.ParseBinary(f, data); parsed == nil {
				_, err = proof.VerifyMulti(f, root, claims, &p)
			}
		})
		checkError(t, parsed)
		checkError(t, err)
		if parsed == nil {
			again, err := p.AppendBinary(f, nil)
			sameAgain(t, data, again, err)
		}
	})
}

func FuzzVerifyRange(fz *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		f := formats[name]
		w := newWorld(fz, f, 2, 20)
		from, to := make([]byte, f.HashSize()), make([]byte, f.HashSize())
		from[0], to[0] = 0x20, 0xa0
		p, leaves := w.model.ProveRange(from, to)
		data, err := p.AppendBinary(f, nil)
		if err != nil {
			fz.Fatal(err)
		}
		var flat []byte
		for _, l := range leaves {
			flat = binary.AppendUvarint(append(flat, l.Path...), uint64(len(l.LeafValue)))
			flat = append(flat, l.LeafValue...)
		}
		fz.Add(numberOf(f), w.model.Root(), from, to, flat, data)
	}
	fz.Fuzz(func(t *testing.T, n uint8, root, from, to, flat, data []byte) {
		f := formatNumber(n)
		var leaves []proof.Leaf
		for len(flat) > f.HashSize() {
			path, rest := flat[:f.HashSize()], flat[f.HashSize()+1:]
			size := min(int(flat[f.HashSize()]), len(rest))
			leaves = append(leaves, proof.Leaf{Path: path, LeafValue: rest[:size]})
			flat = rest[size:]
		}
		var p proof.Range
		var parsed, err error
		bounded(t, len(root)+len(from)+len(to)+len(data)+len(leaves)*128, func() {
			if parsed = p.ParseBinary(f, data); parsed == nil {
				_, err = proof.VerifyRange(f, root, from, to, leaves, &p)
			}
		})
		checkError(t, parsed)
		checkError(t, err)
		if parsed == nil {
			again, err := p.AppendBinary(f, nil)
			sameAgain(t, data, again, err)
		}
	})
}
