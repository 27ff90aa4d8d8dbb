package trie

import (
	"crypto/sha512"
	"fmt"

	"assay/smt/format"
)

// sum writes the hash of one message.
func (s *store) sum(dst, msg []byte) {
	if s.Hash == format.SHA512 {
		h := sha512.Sum512(msg)
		copy(dst, h[:])
		return
	}
	s.sha.Sum((*[32]byte)(dst), msg)
}

// sumFixed writes the hashes of n messages of one size; the strides are the
// distances from one to the next.
func (s *store) sumFixed(dst []byte, dstStride int, src []byte, srcStride, size, n int) {
	if s.Hash == format.SHA256 {
		s.sha.SumFixed(dst, dstStride, src, srcStride, size, n)
		return
	}
	for i := range n {
		s.sum(dst[i*dstStride:], src[i*srcStride:][:size])
	}
}

// pathOf writes the path of a key.
func (s *store) pathOf(path, key []byte) error {
	if s.PathHasher == format.HashKey {
		s.sum(path, key)
		return nil
	}
	if err := s.checkKey(key); err != nil {
		return err
	}
	copy(path, key)
	return nil
}

func (s *store) checkKey(key []byte) error {
	if s.PathHasher == format.IdentityKey && len(key) != s.hash {
		return fmt.Errorf("%w: %d bytes, expected %d", format.ErrKeyLength, len(key), s.hash)
	}
	return nil
}

// pathBuffer holds a path of any format.
type pathBuffer [64]byte

// digestBuffer holds a digest of any format.
type digestBuffer [format.MaxDigestSize]byte

// messageBuffer holds the preimage of any inner node.
type messageBuffer [1 + 2*format.MaxDigestSize + 16]byte

// inner writes the digest of the inner node with the children left and right,
// which may overlap dst.
func (s *store) inner(dst, left, right []byte) {
	var buf messageBuffer
	msg := s.AppendInner(buf[:0], left, right)
	s.sum(dst, msg)
	copy(dst[s.hash:s.digest], msg[len(msg)-s.meta:])
}

// branchDigest writes the digest of a branch as seen from depth top: the chain
// of inner nodes from there down to it has the bits of path.
func (s *store) branchDigest(dst []byte, i uint32, top int, path []byte) {
	line := s.line(i)
	s.inner(dst, line[:s.digest], line[s.digest:])
	s.chain(dst, path, top, int(s.branch(i).depth))
}

// chain folds dst, the digest of a node at depth bottom, up to depth top with
// empty siblings.
func (s *store) chain(dst, path []byte, top, bottom int) {
	var empty digestBuffer
	for i := bottom - 1; i >= top; i-- {
		if format.Bit(path, i) == 0 {
			s.inner(dst, dst[:s.digest], empty[:s.digest])
		} else {
			s.inner(dst, empty[:s.digest], dst[:s.digest])
		}
	}
}
