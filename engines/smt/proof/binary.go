package proof

import (
	"encoding/binary"

	"assay/smt/format"
)

// The binary form of proofs; FORMAT.md says it in full. Integers are unsigned
// varints in their shortest form.
const binaryVersion = 1

// Second byte of the binary form.
const (
	kindProof = iota + 1
	kindClosest
	kindMulti
	kindRange
)

// AppendBinary appends the binary form of p, with the sibling data only if told
// so. A proof that Check refuses fails with ErrProof.
func (p *Proof) AppendBinary(f format.Format, dst []byte, siblingData bool) ([]byte, error) {
	if err := p.Check(f); err != nil {
		return dst, err
	}
	dst = append(dst, binaryVersion, kindProof)
	dst = appendSideNodes(f, dst, p.SideNodes)
	dst = appendBytes(dst, p.NonMembershipLeafData)
	return appendSiblingData(dst, p, siblingData), nil
}

// ParseBinary makes p the proof of its binary form, all of data; data is not kept.
// It fails with ErrProof; the receiver is of no use then.
func (p *Proof) ParseBinary(f format.Format, data []byte) error {
	r, err := newReader(f, data, kindProof)
	if err != nil {
		return err
	}
	*p = Proof{SideNodes: r.sideNodes(f.PathBits()), NonMembershipLeafData: r.bytes("leaf data"), SiblingData: r.bytes("sibling data")}
	if err := r.finish(); err != nil {
		return err
	}
	return p.Check(f)
}

// AppendBinary appends the binary form of c, with the sibling data only if told so.
func (c *Closest) AppendBinary(f format.Format, dst []byte, siblingData bool) ([]byte, error) {
	if err := c.check(f); err != nil {
		return dst, err
	}
	dst = append(dst, binaryVersion, kindClosest)
	dst = append(dst, c.Path...)
	if c.isEmpty(f) {
		return append(dst, 0), nil
	}
	dst = append(dst, 1)
	dst = append(dst, c.ClosestPath...)
	dst = appendBytes(dst, c.ClosestValueHash)
	dst = binary.AppendUvarint(dst, uint64(len(c.FlippedBits)))
	last := 0
	for _, depth := range c.FlippedBits {
		dst = binary.AppendUvarint(dst, uint64(depth-last))
		last = depth
	}
	dst = appendSideNodes(f, dst, c.ClosestProof.SideNodes)
	return appendSiblingData(dst, c.ClosestProof, siblingData), nil
}

// ParseBinary makes c the proof of its binary form, all of data; data is not kept.
// It fails with ErrProof; the receiver is of no use then.
func (c *Closest) ParseBinary(f format.Format, data []byte) error {
	r, err := newReader(f, data, kindClosest)
	if err != nil {
		return err
	}
	*c = Closest{Path: r.take("path", f.HashSize()), ClosestProof: &Proof{}}
	switch r.byte("presence") {
	case 0:
		c.FlippedBits, c.ClosestPath = []int{0}, f.Placeholder()
	case 1:
		c.ClosestPath = r.take("closest path", f.HashSize())
		c.ClosestValueHash = r.bytes("closest value")
		c.FlippedBits = make([]int, r.count("flipped bits", 1))
		last := 0
		for i := range c.FlippedBits {
			last += r.int("flipped bits", f.PathBits())
			c.FlippedBits[i] = last
		}
		c.ClosestProof.SideNodes = r.sideNodes(f.PathBits())
		c.ClosestProof.SiblingData = r.bytes("sibling data")
		c.Depth = len(c.ClosestProof.SideNodes)
	default:
		r.fail("presence", "expected 0 or 1")
	}
	if err := r.finish(); err != nil {
		return err
	}
	return c.check(f)
}

// AppendBinary appends the binary form of p.
func (p *Multi) AppendBinary(f format.Format, dst []byte) ([]byte, error) {
	if err := p.check(f); err != nil {
		return dst, err
	}
	dst = append(dst, binaryVersion, kindMulti)
	dst = binary.AppendUvarint(dst, uint64(len(p.Ends)))
	for _, e := range p.Ends {
		dst = binary.AppendUvarint(dst, uint64(e.Depth))
		dst = appendBytes(dst, e.Leaf)
	}
	return appendSideNodes(f, dst, p.SideNodes), nil
}

// ParseBinary makes p the proof of its binary form, all of data; data is not kept.
// It fails with ErrProof; the receiver is of no use then.
func (p *Multi) ParseBinary(f format.Format, data []byte) error {
	r, err := newReader(f, data, kindMulti)
	if err != nil {
		return err
	}
	p.Ends = make([]End, r.count("ends", 2))
	for i := range p.Ends {
		p.Ends[i] = End{Depth: r.int("depth of an end", f.PathBits()), Leaf: r.bytes("leaf of an end")}
	}
	p.SideNodes = r.sideNodes(len(data))
	return r.finish()
}

// AppendBinary appends the binary form of p.
func (p *Range) AppendBinary(f format.Format, dst []byte) ([]byte, error) {
	if err := p.check(f); err != nil {
		return dst, err
	}
	dst = append(dst, binaryVersion, kindRange)
	for _, e := range []*End{p.From, p.To} {
		if e == nil {
			dst = append(dst, 0)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(e.Depth)+1)
		dst = appendBytes(dst, e.Leaf)
	}
	return appendSideNodes(f, dst, p.SideNodes), nil
}

// ParseBinary makes p the proof of its binary form, all of data; data is not kept.
// It fails with ErrProof; the receiver is of no use then.
func (p *Range) ParseBinary(f format.Format, data []byte) error {
	r, err := newReader(f, data, kindRange)
	if err != nil {
		return err
	}
	*p = Range{}
	for _, e := range []**End{&p.From, &p.To} {
		if depth := r.int("depth of an end", f.PathBits()+1); depth > 0 {
			*e = &End{Depth: depth - 1, Leaf: r.bytes("leaf of an end")}
		}
	}
	p.SideNodes = r.sideNodes(len(data))
	return r.finish()
}

// appendBytes appends the length of b and b; absent bytes have length 0.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

func appendSiblingData(dst []byte, p *Proof, siblingData bool) []byte {
	if !siblingData {
		return append(dst, 0)
	}
	return appendBytes(dst, p.SiblingData)
}

// appendSideNodes appends the number of digests that are no placeholders and
// these digests; then the number of placeholders and for each the number of
// digests since the one before.
func appendSideNodes(f format.Format, dst []byte, sideNodes [][]byte) []byte {
	placeholders := 0
	for _, d := range sideNodes {
		if f.IsPlaceholder(d) {
			placeholders++
		}
	}
	dst = binary.AppendUvarint(dst, uint64(len(sideNodes)-placeholders))
	for _, d := range sideNodes {
		if !f.IsPlaceholder(d) {
			dst = append(dst, d...)
		}
	}
	dst = binary.AppendUvarint(dst, uint64(placeholders))
	gap := 0
	for _, d := range sideNodes {
		if f.IsPlaceholder(d) {
			dst = binary.AppendUvarint(dst, uint64(gap))
			gap = 0
		} else {
			gap++
		}
	}
	return dst
}
