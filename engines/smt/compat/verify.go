package compat

import (
	"fmt"

	"assay/smt/format"
	"assay/smt/proof"
)

// VerifyProof reports whether p shows that key has value, or is absent when value
// is empty. It fails with ErrBadProof.
func VerifyProof(p *SparseMerkleProof, root, key, value []byte, spec *TrieSpec) (bool, error) {
	f, err := spec.format()
	if err != nil {
		return false, err
	}
	return proof.Verify(f, root, key, value, 0, (*proof.Proof)(p))
}

// VerifySumProof is VerifyProof in a sum trie. The claim is absence when value is
// empty and sum is 0; the count is then ignored.
func VerifySumProof(p *SparseMerkleProof, root, key, value []byte, sum, count uint64, spec *TrieSpec) (bool, error) {
	f, err := spec.format()
	if err != nil {
		return false, err
	}
	if f.Sum == format.NoSum {
		return false, fmt.Errorf("%w: VerifySumProof", ErrNotSumTrie)
	}
	return proof.VerifySum(f, root, key, value, sum, count, (*proof.Proof)(p))
}

// VerifyClosestProof reports whether p shows the leaf closest to its path. It
// does so with any value hasher of the spec.
func VerifyClosestProof(p *SparseMerkleClosestProof, root []byte, spec *TrieSpec) (bool, error) {
	f, err := spec.format()
	if err != nil {
		return false, err
	}
	return proof.VerifyClosest(f, root, p.closest())
}

// VerifyCompactProof is VerifyProof of a compact proof.
func VerifyCompactProof(p *SparseCompactMerkleProof, root, key, value []byte, spec *TrieSpec) (bool, error) {
	full, err := DecompactProof(p, spec)
	if err != nil {
		return false, err
	}
	return VerifyProof(full, root, key, value, spec)
}

// VerifyCompactSumProof is VerifySumProof of a compact proof.
func VerifyCompactSumProof(p *SparseCompactMerkleProof, root, key, value []byte, sum, count uint64, spec *TrieSpec) (bool, error) {
	full, err := DecompactProof(p, spec)
	if err != nil {
		return false, err
	}
	return VerifySumProof(full, root, key, value, sum, count, spec)
}

// VerifyCompactClosestProof is VerifyClosestProof of a compact proof.
func VerifyCompactClosestProof(p *SparseCompactMerkleClosestProof, root []byte, spec *TrieSpec) (bool, error) {
	full, err := DecompactClosestProof(p, spec)
	if err != nil {
		return false, err
	}
	return VerifyClosestProof(full, root, spec)
}

// CompactProof leaves the placeholders out.
func CompactProof(p *SparseMerkleProof, spec *TrieSpec) (*SparseCompactMerkleProof, error) {
	f, err := spec.format()
	if err != nil {
		return nil, err
	}
	c, err := (*proof.Proof)(p).Compact(f)
	return (*SparseCompactMerkleProof)(c), err
}

// DecompactProof puts the placeholders back.
func DecompactProof(p *SparseCompactMerkleProof, spec *TrieSpec) (*SparseMerkleProof, error) {
	f, err := spec.format()
	if err != nil {
		return nil, err
	}
	full, err := (*proof.Compact)(p).Decompact(f)
	return (*SparseMerkleProof)(full), err
}

// CompactClosestProof is the compact form of a closest proof.
func CompactClosestProof(p *SparseMerkleClosestProof, spec *TrieSpec) (*SparseCompactMerkleClosestProof, error) {
	f, err := spec.format()
	if err != nil {
		return nil, err
	}
	c, err := p.closest().Compact(f)
	if err != nil {
		return nil, err
	}
	return fromCompactClosest(c), nil
}

// DecompactClosestProof is the inverse of CompactClosestProof.
func DecompactClosestProof(p *SparseCompactMerkleClosestProof, spec *TrieSpec) (*SparseMerkleClosestProof, error) {
	f, err := spec.format()
	if err != nil {
		return nil, err
	}
	c, err := p.compactClosest().Decompact(f)
	if err != nil {
		return nil, err
	}
	return fromClosest(c), nil
}
