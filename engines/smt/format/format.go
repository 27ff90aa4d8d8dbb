package format

import (
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"slices"

	"assay/smt/sha256x"
)

// Hash is the hash of keys, values and nodes.
type Hash uint8

// Hashes.
const (
	SHA256 Hash = iota
	SHA512
)

// PathHasher makes a path of a key.
type PathHasher uint8

const (
	// HashKey makes the path the hash of the key, which may have any length.
	HashKey PathHasher = iota
	// IdentityKey makes the key the path; it must have HashSize bytes.
	IdentityKey
)

// ValueHasher makes the stored value of a value.
type ValueHasher uint8

const (
	// HashValue stores the hash of the value.
	HashValue ValueHasher = iota
	// RawValue stores the value itself, which may have any length.
	RawValue
)

// Sum is what a digest carries besides the hash.
type Sum uint8

const (
	// NoSum is the plain trie (SMT).
	NoSum Sum = iota
	// SumCount is the sum trie (SMST): 8 bytes of sum, 8 bytes of leaf count.
	SumCount
	// Sum8 is the sum trie of older versions: 8 bytes of sum, no count.
	Sum8
)

// Format says how keys, values and nodes become bytes. The zero value is the
// plain trie with SHA-256 of keys and values.
type Format struct {
	Hash        Hash
	PathHasher  PathHasher
	ValueHasher ValueHasher
	Sum         Sum
}

// MaxDigestSize is the largest DigestSize of any format, in bytes.
const MaxDigestSize = sha512.Size + 16

// Check returns an ErrFormat when a field is none of its named constants. The
// methods of a Format that Check refuses may panic.
func (f Format) Check() error {
	if f.Hash > SHA512 || f.PathHasher > IdentityKey || f.ValueHasher > RawValue || f.Sum > Sum8 {
		return fmt.Errorf("%w: %+v", ErrFormat, f)
	}
	return nil
}

// HashSize is the size of a hash and of a path in bytes.
func (f Format) HashSize() int {
	if f.Hash == SHA512 {
		return sha512.Size
	}
	return sha256.Size
}

// MetaSize is the size of sum and count in bytes: 0, 8 or 16.
func (f Format) MetaSize() int {
	switch f.Sum {
	case SumCount:
		return 16
	case Sum8:
		return 8
	}
	return 0
}

// DigestSize is the size of a node digest in bytes: hash, sum and count.
func (f Format) DigestSize() int { return f.HashSize() + f.MetaSize() }

// PathBits is the number of bits of a path, the greatest depth of a leaf.
func (f Format) PathBits() int { return 8 * f.HashSize() }

// Placeholder returns a new digest of the empty subtree: zero bytes. It is also
// the root of the empty trie.
func (f Format) Placeholder() []byte { return make([]byte, f.DigestSize()) }

// IsPlaceholder reports whether digest is that of the empty subtree.
func (f Format) IsPlaceholder(digest []byte) bool {
	if len(digest) != f.DigestSize() {
		return false
	}
	for _, b := range digest {
		if b != 0 {
			return false
		}
	}
	return true
}

// appendHash appends the hash of data.
func (f Format) appendHash(dst, data []byte) []byte {
	if f.Hash == SHA512 {
		h := sha512.Sum512(data)
		return append(dst, h[:]...)
	}
	n := len(dst)
	dst = slices.Grow(dst, sha256.Size)[:n+sha256.Size]
	fastest.Sum((*[sha256.Size]byte)(dst[n:]), data)
	return dst
}

// fastest hashes a message alone in about 100 ns where crypto/sha256 needs 150.
var fastest = func() *sha256x.Hasher {
	h, err := sha256x.New(sha256x.Auto)
	if err != nil {
		panic(err) // Auto is always available
	}
	return h
}()
