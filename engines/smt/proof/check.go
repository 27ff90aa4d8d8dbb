package proof

import (
	"bytes"

	"assay/smt/format"
)

// Check fails with ErrProof unless p is well-formed: the number and size of side
// nodes, the size of the leaf data, and sibling data that is a node with the
// digest SideNodes[0].
func (p *Proof) Check(f format.Format) error {
	if p == nil {
		return malformed("proof", "nil")
	}
	if len(p.SideNodes) > f.PathBits() {
		return malformed("side nodes", "%d, expected at most %d", len(p.SideNodes), f.PathBits())
	}
	if err := checkDigests(f, p.SideNodes); err != nil {
		return err
	}
	if n := len(p.NonMembershipLeafData); p.NonMembershipLeafData != nil && n < 1+f.HashSize() {
		return malformed("leaf data", "%d bytes, expected at least %d", n, 1+f.HashSize())
	}
	return p.checkSiblingData(f)
}

func checkDigests(f format.Format, digests [][]byte) error {
	for i, d := range digests {
		if len(d) != f.DigestSize() {
			return malformed("side nodes", "number %d has %d bytes, expected %d", i, len(d), f.DigestSize())
		}
	}
	return nil
}

func (p *Proof) checkSiblingData(f format.Format) error {
	if p.SiblingData == nil {
		return nil
	}
	if len(p.SideNodes) == 0 {
		return malformed("sibling data", "%d bytes, but there are no side nodes", len(p.SiblingData))
	}
	if _, err := f.Parse(p.SiblingData); err != nil {
		return malformed("sibling data", "%v", err)
	}
	var buf digest
	if d := f.AppendDigest(buf[:0], p.SiblingData); !bytes.Equal(d, p.SideNodes[0]) {
		return malformed("sibling data", "its digest is not side node 0")
	}
	return nil
}

// parseLeaf reads the preimage of a leaf.
func parseLeaf(f format.Format, field string, preimage []byte) (format.Node, error) {
	n, err := f.Parse(preimage)
	if err != nil {
		return n, malformed(field, "%v", err)
	}
	if n.Kind != format.Leaf {
		return n, malformed(field, "prefix %02x, expected 00", preimage[0])
	}
	return n, nil
}
