package format

import "fmt"

// Node is a parsed preimage. Its slices are parts of the preimage.
type Node struct {
	Kind        Kind
	Path        []byte // of a leaf or an extension
	LeafValue   []byte // of a leaf: stored value, then sum and count
	Left, Right []byte // digests of an inner node
	Start, End  int    // of an extension, in bits
	Child       []byte // digest below an extension
	Sum, Count  uint64 // of the whole node, where the format has them
}

// Parse reads a node preimage. Bytes that are none fail with ErrNode: a wrong
// length, an unknown prefix, an extension that is empty or whose sum or count is
// not that of its child, an inner node whose sum or count is not that of its
// children. With RawValue a leaf may have any length that holds path and sums.
func (f Format) Parse(preimage []byte) (Node, error) {
	if len(preimage) == 0 {
		return Node{}, fmt.Errorf("%w: no bytes", ErrNode)
	}
	h, d, m := f.HashSize(), f.DigestSize(), f.MetaSize()
	n := Node{Kind: Kind(preimage[0])}
	var want int
	switch n.Kind {
	case Leaf:
		want = 1 + h + m
		if f.ValueHasher == HashValue {
			want += h
		}
	case Inner:
		want = 1 + 2*d + m
	case Extension:
		want = 3 + h + d + m
	default:
		return Node{}, fmt.Errorf("%w: prefix %02x, expected 00, 01 or 02", ErrNode, preimage[0])
	}
	longer := n.Kind == Leaf && f.ValueHasher == RawValue
	if len(preimage) < want || len(preimage) > want && !longer {
		return Node{}, fmt.Errorf("%w: %d bytes with prefix %02x, expected %d", ErrNode, len(preimage), preimage[0], want)
	}
	n.Sum, n.Count = f.Meta(preimage)
	var sum, count uint64 // of the children
	switch n.Kind {
	case Leaf:
		n.Path, n.LeafValue = preimage[1:1+h], preimage[1+h:]
		return n, nil
	case Inner:
		n.Left, n.Right = preimage[1:1+d], preimage[1+d:1+2*d]
		ls, lc := f.Meta(n.Left)
		rs, rc := f.Meta(n.Right)
		sum, count = ls+rs, lc+rc
	case Extension:
		n.Start, n.End = int(preimage[1]), int(preimage[2])
		n.Path, n.Child = preimage[3:3+h], preimage[3+h:3+h+d]
		if n.Start >= n.End {
			return Node{}, fmt.Errorf("%w: extension over bits %d to %d, expected start < end", ErrNode, n.Start, n.End)
		}
		sum, count = f.Meta(n.Child)
	}
	if sum != n.Sum || count != n.Count {
		return Node{}, fmt.Errorf("%w: sum %d and count %d, those of the children are %d and %d",
			ErrNode, n.Sum, n.Count, sum, count)
	}
	return n, nil
}
