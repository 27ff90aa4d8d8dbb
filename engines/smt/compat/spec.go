package compat

import (
	"bytes"
	"fmt"
	"hash"

	"assay/smt/format"
)

// PathHasher makes the path of a key.
type PathHasher interface {
	Path(key []byte) []byte
	PathSize() int
}

// ValueHasher makes the stored value of a value.
type ValueHasher interface {
	HashValue(value []byte) []byte
	ValueHashSize() int
}

// TrieSpec is the format of a trie, as the library says it.
type TrieSpec struct {
	f   format.Format
	err error // an ErrHasher
}

// TrieSpecOption changes a TrieSpec.
type TrieSpecOption func(*TrieSpec)

// NewTrieSpec returns the spec of a trie with SHA-256 or SHA-512.
func NewTrieSpec(hasher hash.Hash, sumTrie bool, options ...TrieSpecOption) TrieSpec {
	var spec TrieSpec
	if sumTrie {
		spec.f.Sum = format.SumCount
	}
	spec.f.Hash, spec.err = hashOf(hasher)
	for _, option := range options {
		option(&spec)
	}
	return spec
}

// hashOf recognizes a hash by what it makes of nothing.
func hashOf(hasher hash.Hash) (format.Hash, error) {
	if hasher == nil {
		return 0, fmt.Errorf("%w: no hash", ErrHasher)
	}
	hasher.Reset()
	digest := hasher.Sum(nil)
	for _, h := range []format.Hash{format.SHA256, format.SHA512} {
		if bytes.Equal(digest, keyHash(h, nil)) {
			return h, nil
		}
	}
	return 0, fmt.Errorf("%w: hash of %d bytes that is neither SHA-256 nor SHA-512", ErrHasher, len(digest))
}

// keyHash is the hash of key.
func keyHash(h format.Hash, key []byte) []byte {
	path, _ := format.Format{Hash: h}.AppendPath(nil, key) // a hashed key has any length
	return path
}

// WithPathHasher makes paths by ph, which must hash keys as the trie does, or
// give them back: then a key must have the size of a path.
func WithPathHasher(ph PathHasher) TrieSpecOption {
	return func(spec *TrieSpec) {
		if spec.err != nil {
			return
		}
		key := bytes.Repeat([]byte{'k'}, spec.f.HashSize())
		switch {
		case ph == nil:
			spec.err = fmt.Errorf("%w: no path hasher", ErrHasher)
		case bytes.Equal(ph.Path(key), key):
			spec.f.PathHasher = format.IdentityKey
		case bytes.Equal(ph.Path(key), keyHash(spec.f.Hash, key)):
			spec.f.PathHasher = format.HashKey
		default:
			spec.err = fmt.Errorf("%w: path hasher of another kind", ErrHasher)
		}
	}
}

// WithValueHasher makes stored values by vh, which must hash values as the trie
// does; nil stores the values themselves.
func WithValueHasher(vh ValueHasher) TrieSpecOption {
	return func(spec *TrieSpec) {
		if spec.err != nil {
			return
		}
		value := []byte("value")
		switch {
		case vh == nil:
			spec.f.ValueHasher = format.RawValue
		case bytes.Equal(vh.HashValue(value), keyHash(spec.f.Hash, value)):
			spec.f.ValueHasher = format.HashValue
		default:
			spec.err = fmt.Errorf("%w: value hasher of another kind", ErrHasher)
		}
	}
}

// Spec is the spec itself.
func (spec *TrieSpec) Spec() *TrieSpec { return spec }

// PathHasherSize is the size of a path in bytes.
func (spec *TrieSpec) PathHasherSize() int { return spec.f.HashSize() }

// format is the format of the spec.
func (spec *TrieSpec) format() (format.Format, error) {
	if spec == nil {
		return format.Format{}, fmt.Errorf("%w: no spec", ErrHasher)
	}
	return spec.f, spec.err
}
