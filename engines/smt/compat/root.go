package compat

import (
	"fmt"

	"assay/smt/format"
)

// MerkleRoot is the root of a plain trie.
type MerkleRoot []byte

// MerkleSumRoot is the root of a sum trie: hash, sum, count.
type MerkleSumRoot []byte

// Sum is the sum of all weights modulo 2^64, or an ErrRootLength.
func (root MerkleSumRoot) Sum() (uint64, error) {
	sum, _, err := root.totals()
	return sum, err
}

// Count is the number of leaves, or an ErrRootLength.
func (root MerkleSumRoot) Count() (uint64, error) {
	_, count, err := root.totals()
	return count, err
}

// MustSum is Sum, and panics on an error.
func (root MerkleSumRoot) MustSum() uint64 { return must(root.Sum()) }

// MustCount is Count, and panics on an error.
func (root MerkleSumRoot) MustCount() uint64 { return must(root.Count()) }

// DigestSize is the size of the hash in bytes.
func (root MerkleSumRoot) DigestSize() int {
	return len(root) - format.Format{Sum: format.SumCount}.MetaSize()
}

// HasDigestSize reports whether DigestSize is size.
func (root MerkleSumRoot) HasDigestSize(size int) bool { return root.DigestSize() == size }

func (root MerkleSumRoot) totals() (sum, count uint64, err error) {
	for _, h := range []format.Hash{format.SHA256, format.SHA512} {
		f := format.Format{Hash: h, Sum: format.SumCount}
		if len(root) == f.DigestSize() {
			sum, count = f.Meta(root)
			return sum, count, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: %d bytes, expected 48 or 80", ErrRootLength, len(root))
}

func must(v uint64, err error) uint64 {
	if err != nil {
		panic(err)
	}
	return v
}
