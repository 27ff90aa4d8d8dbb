package compat

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"io"

	"assay/smt/proof"
)

// SparseMerkleProof is a proof.Proof that gob encodes as the library's.
type SparseMerkleProof proof.Proof

// SparseCompactMerkleProof is a proof.Compact that gob encodes as the library's.
type SparseCompactMerkleProof proof.Compact

// SparseMerkleClosestProof is a proof.Closest that gob encodes as the library's.
type SparseMerkleClosestProof struct {
	Path             []byte
	FlippedBits      []int
	Depth            int
	ClosestPath      []byte
	ClosestValueHash []byte
	ClosestProof     *SparseMerkleProof
}

// SparseCompactMerkleClosestProof is a proof.CompactClosest that gob encodes as
// the library's.
type SparseCompactMerkleClosestProof struct {
	Path             []byte
	FlippedBits      [][]byte
	Depth            []byte
	ClosestPath      []byte
	ClosestValueHash []byte
	ClosestProof     *SparseCompactMerkleProof
}

// gob numbers types in the order in which they are first encoded, and writes the
// numbers. The library's order makes the lengths equal.
func init() {
	for _, v := range []any{
		SparseMerkleProof{}, SparseCompactMerkleProof{}, SparseMerkleClosestProof{}, SparseCompactMerkleClosestProof{},
	} {
		if err := gob.NewEncoder(io.Discard).Encode(v); err != nil {
			panic(err) // the types above cannot be encoded
		}
	}
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func unmarshal[T any](v *T, data []byte) error {
	var fresh T
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&fresh); err != nil {
		return fmt.Errorf("%w: %w", ErrBadProof, err)
	}
	*v = fresh
	return nil
}

// Marshal is the gob form.
func (p *SparseMerkleProof) Marshal() ([]byte, error) { return marshal(p) }

// Unmarshal reads the gob form, or fails with ErrBadProof.
func (p *SparseMerkleProof) Unmarshal(data []byte) error { return unmarshal(p, data) }

// Marshal is the gob form.
func (p *SparseCompactMerkleProof) Marshal() ([]byte, error) { return marshal(p) }

// Unmarshal reads the gob form, or fails with ErrBadProof.
func (p *SparseCompactMerkleProof) Unmarshal(data []byte) error { return unmarshal(p, data) }

// Marshal is the gob form.
func (p *SparseMerkleClosestProof) Marshal() ([]byte, error) { return marshal(p) }

// Unmarshal reads the gob form, or fails with ErrBadProof.
func (p *SparseMerkleClosestProof) Unmarshal(data []byte) error { return unmarshal(p, data) }

// GetValueHash is the stored value of the leaf without sum and count.
func (p *SparseMerkleClosestProof) GetValueHash(spec *TrieSpec) []byte {
	f, err := spec.format()
	if err != nil || len(p.ClosestValueHash) < f.MetaSize() {
		return nil
	}
	return p.ClosestValueHash[:len(p.ClosestValueHash)-f.MetaSize()]
}

// Marshal is the gob form.
func (p *SparseCompactMerkleClosestProof) Marshal() ([]byte, error) { return marshal(p) }

// Unmarshal reads the gob form, or fails with ErrBadProof.
func (p *SparseCompactMerkleClosestProof) Unmarshal(data []byte) error { return unmarshal(p, data) }

func fromClosest(c *proof.Closest) *SparseMerkleClosestProof {
	return &SparseMerkleClosestProof{c.Path, c.FlippedBits, c.Depth, c.ClosestPath, c.ClosestValueHash,
		(*SparseMerkleProof)(c.ClosestProof)}
}

func (p *SparseMerkleClosestProof) closest() *proof.Closest {
	if p == nil {
		return nil
	}
	return &proof.Closest{Path: p.Path, FlippedBits: p.FlippedBits, Depth: p.Depth, ClosestPath: p.ClosestPath,
		ClosestValueHash: p.ClosestValueHash, ClosestProof: (*proof.Proof)(p.ClosestProof)}
}

func fromCompactClosest(c *proof.CompactClosest) *SparseCompactMerkleClosestProof {
	return &SparseCompactMerkleClosestProof{c.Path, c.FlippedBits, c.Depth, c.ClosestPath, c.ClosestValueHash,
		(*SparseCompactMerkleProof)(c.ClosestProof)}
}

func (p *SparseCompactMerkleClosestProof) compactClosest() *proof.CompactClosest {
	if p == nil {
		return nil
	}
	return &proof.CompactClosest{Path: p.Path, FlippedBits: p.FlippedBits, Depth: p.Depth, ClosestPath: p.ClosestPath,
		ClosestValueHash: p.ClosestValueHash, ClosestProof: (*proof.Compact)(p.ClosestProof)}
}
