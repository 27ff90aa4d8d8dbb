package proof

import (
	"math/bits"

	"assay/smt/format"
)

// Compact leaves the placeholders out of p. The slices are shared with p.
func (p *Proof) Compact(f format.Format) (*Compact, error) {
	if err := p.Check(f); err != nil {
		return nil, err
	}
	c := &Compact{
		NonMembershipLeafData: p.NonMembershipLeafData,
		BitMask:               make([]byte, (len(p.SideNodes)+7)/8),
		NumSideNodes:          len(p.SideNodes),
		SiblingData:           p.SiblingData,
	}
	for i, side := range p.SideNodes {
		if f.IsPlaceholder(side) {
			c.BitMask[i/8] |= 0x80 >> (i % 8)
		} else {
			c.SideNodes = append(c.SideNodes, side)
		}
	}
	return c, nil
}

// Decompact puts the placeholders back. The other slices are shared with c.
func (c *Compact) Decompact(f format.Format) (*Proof, error) {
	if c == nil {
		return nil, malformed("compact proof", "nil")
	}
	n := c.NumSideNodes
	if n < 0 || n > f.PathBits() {
		return nil, malformed("number of side nodes", "%d, expected 0 to %d", n, f.PathBits())
	}
	if len(c.BitMask) != (n+7)/8 {
		return nil, malformed("bit mask", "%d bytes, expected %d for %d side nodes", len(c.BitMask), (n+7)/8, n)
	}
	placeholders := 0
	for _, b := range c.BitMask {
		placeholders += bits.OnesCount8(b)
	}
	if n%8 != 0 && c.BitMask[n/8]&(0xff>>(n%8)) != 0 {
		return nil, malformed("bit mask", "a bit past side node %d is set", n-1)
	}
	if len(c.SideNodes) != n-placeholders {
		return nil, malformed("side nodes", "%d, expected %d with %d of %d left out", len(c.SideNodes), n-placeholders, placeholders, n)
	}
	p := &Proof{NonMembershipLeafData: c.NonMembershipLeafData, SiblingData: c.SiblingData}
	placeholder, next := f.Placeholder(), 0
	for i := range n {
		if format.Bit(c.BitMask, i) == 1 {
			p.SideNodes = append(p.SideNodes, placeholder)
		} else {
			p.SideNodes = append(p.SideNodes, c.SideNodes[next])
			next++
		}
	}
	if err := p.Check(f); err != nil {
		return nil, err
	}
	return p, nil
}
