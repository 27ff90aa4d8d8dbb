package format

import "encoding/binary"

// Kind is the first byte of a node preimage.
type Kind byte

const (
	// Leaf is 00 path leafValue.
	Leaf Kind = iota
	// Inner is 01 left right [sum [count]].
	Inner
	// Extension is 02 start end path child [sum [count]]: the chain of inner
	// nodes with one empty child each, over the bits [start, end) of path. It is
	// a form of storage only: its digest is that of the expanded chain.
	Extension
)

// MaxExtensionEnd bounds the end of an extension, which is one byte. A chain
// that goes deeper is stored as inner nodes from there on.
const MaxExtensionEnd = 255

// AppendLeafValue appends what a leaf stores after its path: the hash of value
// or value itself, then the weight as sum, then 1 as count. Without a sum the
// weight is ignored. The input is not changed and not kept.
func (f Format) AppendLeafValue(dst, value []byte, weight uint64) []byte {
	if f.ValueHasher == HashValue {
		dst = f.appendHash(dst, value)
	} else {
		dst = append(dst, value...)
	}
	return f.AppendMeta(dst, weight, 1)
}

// AppendMeta appends sum and count as far as the format has them, big-endian.
func (f Format) AppendMeta(dst []byte, sum, count uint64) []byte {
	if f.Sum != NoSum {
		dst = binary.BigEndian.AppendUint64(dst, sum)
	}
	if f.Sum == SumCount {
		dst = binary.BigEndian.AppendUint64(dst, count)
	}
	return dst
}

// Meta is the sum and the count at the end of a digest, preimage or leaf value;
// 0 where the format has none. The slice must have MetaSize bytes at least.
func (f Format) Meta(b []byte) (sum, count uint64) {
	b = b[len(b)-f.MetaSize():]
	switch f.Sum {
	case SumCount:
		return binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
	case Sum8:
		return binary.BigEndian.Uint64(b), 0
	}
	return 0, 0
}

// AppendLeaf appends the preimage of a leaf.
func (f Format) AppendLeaf(dst, path, leafValue []byte) []byte {
	dst = append(dst, byte(Leaf))
	dst = append(dst, path...)
	return append(dst, leafValue...)
}

// AppendInner appends the preimage of an inner node of two digests. Sums and
// counts are added modulo 2^64.
func (f Format) AppendInner(dst, left, right []byte) []byte {
	dst = append(dst, byte(Inner))
	dst = append(dst, left...)
	dst = append(dst, right...)
	if f.Sum == NoSum {
		return dst
	}
	ls, lc := f.Meta(left)
	rs, rc := f.Meta(right)
	return f.AppendMeta(dst, ls+rs, lc+rc)
}

// AppendExtension appends the preimage of an extension over the bits
// [start, end) of path above the inner node with digest child, in the canonical
// form: the bits of path from end on, which no digest covers, are zero. It
// needs 0 <= start < end <= MaxExtensionEnd.
func (f Format) AppendExtension(dst []byte, start, end int, path, child []byte) []byte {
	dst = append(dst, byte(Extension), byte(start), byte(end))
	at := len(dst)
	dst = append(dst, path[:f.HashSize()]...)
	clearFrom(dst[at:], end)
	dst = append(dst, child...)
	return append(dst, child[len(child)-f.MetaSize():]...)
}

// clearFrom zeroes the bits of path from bit end on.
func clearFrom(path []byte, end int) {
	if end%8 != 0 {
		path[end/8] &= 0xff << (8 - end%8)
		end += 8 - end%8
	}
	clear(path[end/8:])
}

// AppendDigest appends the digest of a preimage: its hash, then the sum and
// count it ends with. An extension is expanded into its chain first. The
// preimage must be one that Parse accepts.
func (f Format) AppendDigest(dst, preimage []byte) []byte {
	if Kind(preimage[0]) == Extension {
		return f.appendChain(dst, preimage)
	}
	return f.appendNode(dst, preimage)
}

// appendNode appends the digest of a leaf or inner node.
func (f Format) appendNode(dst, preimage []byte) []byte {
	dst = f.appendHash(dst, preimage)
	return append(dst, preimage[len(preimage)-f.MetaSize():]...)
}

func (f Format) appendChain(dst, preimage []byte) []byte {
	n, d := f.HashSize(), f.DigestSize()
	start, end, path := int(preimage[1]), int(preimage[2]), preimage[3:3+n]
	var empty, digest [MaxDigestSize]byte
	copy(digest[:], preimage[3+n:3+n+d])
	var buf [1 + 2*MaxDigestSize + 16]byte
	for i := end - 1; i >= start; i-- {
		f.appendNode(digest[:0], f.AppendInnerAt(buf[:0], path, i, digest[:d], empty[:d]))
	}
	return append(dst, digest[:d]...)
}

// AppendInnerAt appends the preimage of the inner node at depth i on the way to
// path: digest is the child on the way, sibling the other one.
func (f Format) AppendInnerAt(dst, path []byte, i int, digest, sibling []byte) []byte {
	if Bit(path, i) == 0 {
		return f.AppendInner(dst, digest, sibling)
	}
	return f.AppendInner(dst, sibling, digest)
}
