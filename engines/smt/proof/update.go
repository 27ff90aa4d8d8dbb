package proof

import (
	"bytes"
	"fmt"

	"assay/smt/format"
)

// Entry is the value and weight of a key that is present.
type Entry struct {
	Value  []byte
	Weight uint64 // ignored without a sum
}

// ErrNotProved means that a proof does not show what UpdateFromProof was told.
var ErrNotProved = fmt.Errorf("%w: it does not prove the old value", ErrProof)

// UpdateFromProof is the root after key changes from old to new in the trie with
// the root, without the trie. A nil entry stands for an absent key: nil to an
// entry inserts, an entry to nil deletes. The proof must show old, or the call
// fails with ErrNotProved; a delete needs the sibling data too, unless the key is
// the only one or shares its place with none. It fails with ErrProof or
// format.ErrKeyLength.
func UpdateFromProof(f format.Format, root, key []byte, old, new *Entry, p *Proof) ([]byte, error) {
	var ok bool
	var err error
	if old == nil {
		ok, err = verifyAbsent(f, root, key, p)
	} else {
		ok, err = verifyPresent(f, root, key, old.Value, old.Weight, 1, p)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNotProved
	}
	path, err := f.AppendPath(nil, key)
	if err != nil {
		return nil, err
	}
	if new == nil {
		return deleted(f, root, path, old, p)
	}
	d := appendLeafDigest(f, make([]byte, 0, f.DigestSize()), path, new.Value, new.Weight, 1)
	sideNodes := p.SideNodes
	if old == nil && p.NonMembershipLeafData != nil {
		if sideNodes, err = pushDown(f, path, p); err != nil {
			return nil, err
		}
	}
	return fold(f, d, path, sideNodes), nil
}

// pushDown is the side nodes of path after the leaf that was met instead went
// down to the first bit where the two paths differ.
func pushDown(f format.Format, path []byte, p *Proof) ([][]byte, error) {
	leaf := p.NonMembershipLeafData
	shared := format.CommonPrefix(leaf[1:1+f.HashSize()], path)
	if shared < len(p.SideNodes) {
		return nil, malformed("leaf data", "a leaf that shares %d bits with the path at depth %d", shared, len(p.SideNodes))
	}
	sideNodes := [][]byte{f.AppendDigest(nil, leaf)}
	placeholder := f.Placeholder()
	for depth := len(p.SideNodes); depth < shared; depth++ {
		sideNodes = append(sideNodes, placeholder)
	}
	return append(sideNodes, p.SideNodes...), nil
}

// deleted is the root without the leaf of path.
func deleted(f format.Format, root, path []byte, old *Entry, p *Proof) ([]byte, error) {
	if old == nil {
		return bytes.Clone(root), nil
	}
	if len(p.SideNodes) == 0 {
		return f.Placeholder(), nil
	}
	if p.SiblingData == nil {
		return nil, malformed("sibling data", "none, a delete needs it")
	}
	if format.Kind(p.SiblingData[0]) != format.Leaf {
		return fold(f, f.Placeholder(), path, p.SideNodes), nil
	}
	// A leaf that is alone now goes up as far as the places beside it are empty.
	up := 1
	for up < len(p.SideNodes) && f.IsPlaceholder(p.SideNodes[up]) {
		up++
	}
	return fold(f, bytes.Clone(p.SideNodes[0]), path, p.SideNodes[up:]), nil
}
