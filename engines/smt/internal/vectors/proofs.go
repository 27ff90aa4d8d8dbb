package vectors

import (
	"testing"

	"assay/smt/format"
	"assay/smt/proof"
)

// Fields are the fields of a proof.
type Fields struct {
	SideNodes             []Hex `json:"side_nodes"`
	NonMembershipLeafData Hex   `json:"non_membership_leaf_data"`
	SiblingData           Hex   `json:"sibling_data"`
}

// Proof is the proof with these fields.
func (p Fields) Proof() *proof.Proof {
	return &proof.Proof{
		SideNodes:             bytesOf(p.SideNodes),
		NonMembershipLeafData: p.NonMembershipLeafData,
		SiblingData:           p.SiblingData,
	}
}

// CompactFields are the fields of a compact proof.
type CompactFields struct {
	Fields
	BitMask      Hex `json:"bit_mask"`
	NumSideNodes int `json:"num_side_nodes"`
}

// Compact is the compact proof with these fields.
func (p CompactFields) Compact() *proof.Compact {
	return &proof.Compact{
		SideNodes:             bytesOf(p.SideNodes),
		NonMembershipLeafData: p.NonMembershipLeafData,
		BitMask:               p.BitMask,
		NumSideNodes:          p.NumSideNodes,
		SiblingData:           p.SiblingData,
	}
}

// Proof is a membership or absence proof of a case's final contents.
type Proof struct {
	Case                 string        `json:"case"`
	Root                 Hex           `json:"root"`
	Key                  Hex           `json:"key"`
	Present              bool          `json:"present"`
	Value                Hex           `json:"value"`
	Weight               uint64        `json:"weight,string"`
	Count                uint64        `json:"count"`
	Proof                Fields        `json:"proof"`
	Compact              CompactFields `json:"compact"`
	SiblingDataCanonical Hex           `json:"sibling_data_canonical"` // where Proof has another
	GobLen               int           `json:"gob_len"`
	CompactGobLen        int           `json:"compact_gob_len"`
	Gob                  Hex           `json:"gob"` // of some
	CompactGob           Hex           `json:"compact_gob"`
}

// Proofs are all membership and absence proofs.
func Proofs(tb testing.TB) []Proof {
	tb.Helper()
	return load[Proof](tb, "proofs.jsonl.gz")
}

// Verification is a mutated proof with the result that a verifier must give.
type Verification struct {
	Case           string         `json:"case"`
	Mutation       string         `json:"mutation"`
	Kind           string         `json:"kind"`
	PathHasher     string         `json:"path_hasher"`
	ValueHasher    string         `json:"value_hasher"`
	Root           Hex            `json:"root"`
	Key            Hex            `json:"key"`
	Value          Hex            `json:"value"`
	Weight         uint64         `json:"weight,string"`
	Count          uint64         `json:"count"`
	Proof          *Fields        `json:"proof"` // or
	Compact        *CompactFields `json:"compact"`
	LibraryResult  string         `json:"library_result"`  // true, false, error or panic
	RequiredResult string         `json:"required_result"` // true, false or error
}

// Format is the byte format of the proof.
func (v *Verification) Format() format.Format {
	return formatOf(v.Kind, "sha256", v.PathHasher, v.ValueHasher)
}

// Verifications are all mutated proofs.
func Verifications(tb testing.TB) []Verification {
	tb.Helper()
	return load[Verification](tb, "verify.jsonl.gz")
}

// Closest is a closest proof in both forms.
type Closest struct {
	Case                string        `json:"case"`
	Root                Hex           `json:"root"`
	Path                Hex           `json:"path"`
	FlippedBits         []int         `json:"flipped_bits"`
	Depth               int           `json:"depth"`
	ClosestPath         Hex           `json:"closest_path"`
	ClosestValueHash    Hex           `json:"closest_value_hash"`
	ClosestProof        Fields        `json:"closest_proof"`
	CompactFlippedBits  []Hex         `json:"compact_flipped_bits"`
	CompactDepth        Hex           `json:"compact_depth"`
	CompactClosestProof CompactFields `json:"compact_closest_proof"`
	Verifies            bool          `json:"verifies"` // by the library, which hashes the value twice
	GobLen              int           `json:"gob_len"`
	CompactGobLen       int           `json:"compact_gob_len"`
}

// Proof is the closest proof.
func (c *Closest) Proof() *proof.Closest {
	return &proof.Closest{
		Path:             c.Path,
		FlippedBits:      c.FlippedBits,
		Depth:            c.Depth,
		ClosestPath:      c.ClosestPath,
		ClosestValueHash: c.ClosestValueHash,
		ClosestProof:     c.ClosestProof.Proof(),
	}
}

// Compact is its compact form.
func (c *Closest) Compact() *proof.CompactClosest {
	return &proof.CompactClosest{
		Path:             c.Path,
		FlippedBits:      bytesOf(c.CompactFlippedBits),
		Depth:            c.CompactDepth,
		ClosestPath:      c.ClosestPath,
		ClosestValueHash: c.ClosestValueHash,
		ClosestProof:     c.CompactClosestProof.Compact(),
	}
}

// Closests are all closest proofs.
func Closests(tb testing.TB) []Closest {
	tb.Helper()
	return load[Closest](tb, "closest.jsonl.gz")
}

// Sum8 is a trie of the older sum format, with the keys 0 to N-1.
type Sum8 struct {
	Generator
	ID     string `json:"id"`
	N      int    `json:"n"`
	Root   Hex    `json:"root"`
	Sum    uint64 `json:"sum,string"`
	Proofs []struct {
		Fields
		Key    Hex    `json:"key"`
		Value  Hex    `json:"value"` // empty: absent
		Weight uint64 `json:"weight,string"`
	} `json:"proofs"`
}

// Format is the byte format of the case.
func (*Sum8) Format() format.Format { return format.Format{Sum: format.Sum8} }

// Sum8s are all tries of the older sum format.
func Sum8s(tb testing.TB) []Sum8 {
	tb.Helper()
	return load[Sum8](tb, "sum8.jsonl")
}
