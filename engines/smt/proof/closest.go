package proof

import (
	"bytes"
	"encoding/binary"
	"slices"

	"assay/smt/format"
)

// VerifyClosest reports whether c shows that its ClosestPath is the leaf closest
// to its Path in the trie with the root, with its leaf value. It holds when the
// leaf is present, when Path with the flipped bits inverted leads to it, and when
// the side that was wanted is empty at every flipped bit. The caller compares Path
// with the path it asked for. It fails with ErrProof.
func VerifyClosest(f format.Format, root []byte, c *Closest) (bool, error) {
	if err := f.Check(); err != nil {
		return false, err
	}
	if err := c.check(f); err != nil {
		return false, err
	}
	if c.isEmpty(f) {
		return f.IsPlaceholder(root), nil
	}
	walked := slices.Clone(c.Path)
	for _, depth := range c.FlippedBits {
		walked[depth/8] ^= 0x80 >> (depth % 8)
		if !f.IsPlaceholder(c.ClosestProof.SideNodes[c.Depth-1-depth]) {
			return false, nil
		}
	}
	if format.CommonPrefix(walked, c.ClosestPath) < c.Depth {
		return false, nil
	}
	var buf digest
	leaf := make([]byte, 0, 1+len(c.ClosestPath)+len(c.ClosestValueHash))
	d := f.AppendDigest(buf[:0], f.AppendLeaf(leaf, c.ClosestPath, c.ClosestValueHash))
	return bytes.Equal(fold(f, d, c.ClosestPath, c.ClosestProof.SideNodes), root), nil
}

// isEmpty reports whether c has the form that stands for the empty trie.
func (c *Closest) isEmpty(f format.Format) bool {
	return c.Depth == 0 && f.IsPlaceholder(c.ClosestPath) && len(c.ClosestValueHash) == 0 && len(c.FlippedBits) == 1
}

func (c *Closest) check(f format.Format) error {
	if c == nil {
		return malformed("closest proof", "nil")
	}
	if len(c.Path) != f.HashSize() {
		return malformed("path", "%d bytes, expected %d", len(c.Path), f.HashSize())
	}
	if err := c.ClosestProof.Check(f); err != nil {
		return err
	}
	if c.ClosestProof.NonMembershipLeafData != nil {
		return malformed("leaf data", "%d bytes, expected none", len(c.ClosestProof.NonMembershipLeafData))
	}
	if c.Depth != len(c.ClosestProof.SideNodes) {
		return malformed("depth", "%d with %d side nodes", c.Depth, len(c.ClosestProof.SideNodes))
	}
	if c.isEmpty(f) {
		if c.FlippedBits[0] != 0 {
			return malformed("flipped bits", "%d in the empty trie, expected 0", c.FlippedBits[0])
		}
		return nil
	}
	if len(c.ClosestPath) != f.HashSize() {
		return malformed("closest path", "%d bytes, expected %d", len(c.ClosestPath), f.HashSize())
	}
	if err := checkLeafValue(f, "closest value", c.ClosestValueHash); err != nil {
		return err
	}
	last := -1
	for _, depth := range c.FlippedBits {
		if depth <= last || depth >= c.Depth {
			return malformed("flipped bits", "%d after %d, expected ascending and less than %d", depth, last, c.Depth)
		}
		last = depth
	}
	return nil
}

// checkLeafValue checks the size of a leaf value.
func checkLeafValue(f format.Format, field string, value []byte) error {
	want := f.DigestSize()
	if f.ValueHasher == format.RawValue {
		want = f.MetaSize()
	}
	if len(value) < want || len(value) > want && f.ValueHasher == format.HashValue {
		return malformed(field, "%d bytes, expected %d", len(value), want)
	}
	return nil
}

// Compact is the compact form of c. Slices are shared with c.
func (c *Closest) Compact(f format.Format) (*CompactClosest, error) {
	if err := c.check(f); err != nil {
		return nil, err
	}
	p, err := c.ClosestProof.Compact(f)
	if err != nil {
		return nil, err
	}
	out := &CompactClosest{
		Path:             c.Path,
		FlippedBits:      make([][]byte, len(c.FlippedBits)),
		Depth:            minimal(c.Depth),
		ClosestPath:      c.ClosestPath,
		ClosestValueHash: c.ClosestValueHash,
		ClosestProof:     p,
	}
	for i, depth := range c.FlippedBits {
		out.FlippedBits[i] = minimal(depth)
	}
	return out, nil
}

// Decompact is the inverse of Compact.
func (c *CompactClosest) Decompact(f format.Format) (*Closest, error) {
	if c == nil {
		return nil, malformed("compact closest proof", "nil")
	}
	p, err := c.ClosestProof.Decompact(f)
	if err != nil {
		return nil, err
	}
	if len(c.FlippedBits) > f.PathBits() {
		return nil, malformed("flipped bits", "%d, expected at most %d", len(c.FlippedBits), f.PathBits())
	}
	out := &Closest{
		Path:             c.Path,
		FlippedBits:      make([]int, len(c.FlippedBits)),
		ClosestPath:      c.ClosestPath,
		ClosestValueHash: c.ClosestValueHash,
		ClosestProof:     p,
	}
	if out.Depth, err = parseMinimal("depth", c.Depth); err != nil {
		return nil, err
	}
	for i, b := range c.FlippedBits {
		if out.FlippedBits[i], err = parseMinimal("flipped bits", b); err != nil {
			return nil, err
		}
	}
	if err := out.check(f); err != nil {
		return nil, err
	}
	return out, nil
}

// minimal is a depth, at most 512, big-endian without a leading zero byte; 0 is
// one zero byte.
func minimal(depth int) []byte {
	if depth < 1<<8 {
		return []byte{byte(depth)}
	}
	return binary.BigEndian.AppendUint16(nil, uint16(depth))
}

func parseMinimal(field string, b []byte) (int, error) {
	switch {
	case len(b) == 1:
		return int(b[0]), nil
	case len(b) == 2 && b[0] != 0:
		return int(binary.BigEndian.Uint16(b)), nil
	}
	return 0, malformed(field, "%x, expected an integer of 1 or 2 bytes without leading zeros", b)
}
