package proof

import (
	"bytes"
	"slices"

	"assay/smt/format"
)

// digest is room for a digest of any format.
type digest = [format.MaxDigestSize]byte

// innerSize bounds the preimage of an inner node of any format.
const innerSize = 1 + 2*format.MaxDigestSize + 16

// Verify reports whether p shows that key has value and weight in the trie with
// the root. An empty value, with weight 0 in a sum trie, claims that key is
// absent; use VerifyPresent for a value that is stored empty. Without a sum the
// weight is ignored. It fails with ErrProof or format.ErrKeyLength.
func Verify(f format.Format, root, key, value []byte, weight uint64, p *Proof) (bool, error) {
	return VerifySum(f, root, key, value, weight, 1, p)
}

// VerifySum is Verify with the count that the leaf claims; tries write 1. The
// count is ignored when the claim is absence, and when the format has none.
func VerifySum(f format.Format, root, key, value []byte, weight, count uint64, p *Proof) (bool, error) {
	if len(value) == 0 && (f.Sum == format.NoSum || weight == 0) {
		return verifyAbsent(f, root, key, p)
	}
	return verifyPresent(f, root, key, value, weight, count, p)
}

// VerifyPresent is Verify of a key that is present whatever its value, so of
// empty values too.
func VerifyPresent(f format.Format, root, key, value []byte, weight uint64, p *Proof) (bool, error) {
	return verifyPresent(f, root, key, value, weight, 1, p)
}

func verifyPresent(f format.Format, root, key, value []byte, weight, count uint64, p *Proof) (bool, error) {
	var pathBuf, leaf digest
	path, err := start(f, pathBuf[:0], key, p)
	if err != nil {
		return false, err
	}
	d := appendLeafDigest(f, leaf[:0], path, value, weight, count)
	return bytes.Equal(fold(f, d, path, p.SideNodes), root), nil
}

func verifyAbsent(f format.Format, root, key []byte, p *Proof) (bool, error) {
	var pathBuf, end digest
	path, err := start(f, pathBuf[:0], key, p)
	if err != nil {
		return false, err
	}
	d := end[:f.DigestSize()]
	if p.NonMembershipLeafData != nil {
		leaf, err := parseLeaf(f, "leaf data", p.NonMembershipLeafData)
		if err != nil {
			return false, err
		}
		if bytes.Equal(leaf.Path, path) {
			return false, malformed("leaf data", "it is the leaf of the key that is claimed absent")
		}
		f.AppendDigest(d[:0], p.NonMembershipLeafData)
	}
	return bytes.Equal(fold(f, d, path, p.SideNodes), root), nil
}

// start appends the path of key and checks the proof.
func start(f format.Format, dst, key []byte, p *Proof) (path []byte, err error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	if path, err = f.AppendPath(dst, key); err != nil {
		return nil, err
	}
	return path, p.Check(f)
}

// appendLeafDigest appends the digest of the leaf of path, value, sum and count.
func appendLeafDigest(f format.Format, dst, path, value []byte, sum, count uint64) []byte {
	var buf [1 + 3*64]byte // a hashed value, or a short one, fits
	leaf := append(buf[:0], byte(format.Leaf))
	leaf = append(leaf, path...)
	if f.ValueHasher == format.RawValue {
		leaf = slices.Grow(leaf, len(value)+f.MetaSize())
	}
	leaf = f.AppendLeafValue(leaf, value, sum)
	leaf = f.AppendMeta(leaf[:len(leaf)-f.MetaSize()], sum, count)
	return f.AppendDigest(dst, leaf)
}

// fold overwrites d, the digest at the end of the walk to path, with the root
// that it has with these side nodes, and returns it.
func fold(f format.Format, d, path []byte, sideNodes [][]byte) []byte {
	var buf [innerSize]byte
	for i, side := range sideNodes {
		inner := f.AppendInnerAt(buf[:0], path, len(sideNodes)-1-i, d, side)
		d = f.AppendDigest(d[:0], inner)
	}
	return d
}
