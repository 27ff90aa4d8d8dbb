package leaflog

import (
	"encoding/binary"

	"assay/smt/format"
)

// recordFormat bounds the fields of the records of a format, in bytes.
type recordFormat struct {
	path             int
	minLeaf, maxLeaf int // leaf values
	root             int
}

func recordsOf(f format.Format) recordFormat {
	r := recordFormat{path: f.HashSize(), minLeaf: f.MetaSize(), maxLeaf: maxLeafValue, root: f.DigestSize()}
	if f.ValueHasher == format.HashValue {
		r.minLeaf += f.HashSize()
		r.maxLeaf = r.minLeaf
	}
	return r
}

// maxLeafValue keeps the payload of a block below 4 GiB.
const maxLeafValue = 1 << 31

// appendRecord adds a change; a nil leaf value is a deletion.
func appendRecord(dst, path, leafValue []byte) []byte {
	dst = append(dst, path...)
	if leafValue == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(leafValue))+1)
	return append(dst, leafValue...)
}

// next splits the record at the start of b into its parts, which alias b; the
// leaf value of a deletion is nil. n is the size of the record, 0 when b does
// not begin with one.
func (r *recordFormat) next(b []byte) (path, leafValue []byte, n int) {
	if len(b) <= r.path {
		return nil, nil, 0
	}
	path, n = b[:r.path], r.path
	if b[n] == 0 {
		return path, nil, n + 1
	}
	length, size := binary.Uvarint(b[n:])
	if size <= 0 {
		return nil, nil, 0
	}
	n += size
	length--
	if length < uint64(r.minLeaf) || length > uint64(r.maxLeaf) || length > uint64(len(b)-n) {
		return nil, nil, 0
	}
	return path, b[n : n+int(length) : n+int(length)], n + int(length)
}
