package compat

import (
	"errors"
	"hash"
	"runtime"

	"assay/smt/trie"
)

// base is what both tries share: an engine in memory and the store it is saved in.
type base struct {
	TrieSpec
	nodes  MapStore
	engine *trie.Trie
	root   []byte // to be read from nodes at the first use; nil when that is done
	saved  contents
	err    error // what makes every call fail
}

// open makes a trie that is read from nodes when it has a root.
func open(nodes MapStore, hasher hash.Hash, sumTrie bool, root []byte, options []TrieSpecOption) *base {
	b := &base{TrieSpec: NewTrieSpec(hasher, sumTrie, options...), nodes: nodes, root: root}
	if b.err = b.TrieSpec.err; b.err != nil {
		return b
	}
	if b.engine, b.err = trie.New(trie.Config{Format: b.f, MaxValue: 1 << 30}); b.err == nil {
		runtime.AddCleanup(b, func(t *trie.Trie) { _ = t.Close() }, b.engine)
	}
	return b
}

// use gives the engine, filled. The caller keeps b alive while it uses it.
func (b *base) use() (*trie.Trie, error) {
	if b.err == nil && b.root != nil {
		b.err = b.load(b.root)
		b.root = nil
	}
	return b.engine, b.err
}

func (b *base) update(key, value []byte, weight uint64) error {
	defer runtime.KeepAlive(b)
	t, err := b.use()
	if err != nil {
		return err
	}
	return t.Update(key, value, weight)
}

// Delete removes key, or fails with ErrKeyNotFound.
func (b *base) Delete(key []byte) error {
	defer runtime.KeepAlive(b)
	t, err := b.use()
	if err != nil {
		return err
	}
	return t.Delete(key)
}

// get is the stored value without sum and count; nil for an absent key.
func (b *base) get(key []byte) (value []byte, weight uint64, err error) {
	defer runtime.KeepAlive(b)
	t, err := b.use()
	if err != nil {
		return nil, 0, err
	}
	value, weight, ok, err := t.Get(key)
	if err != nil || !ok {
		return nil, 0, err
	}
	n := len(value) - b.f.MetaSize()
	return value[:n:n], weight, nil
}

// currentRoot is the root, nil after a failure.
func (b *base) currentRoot() []byte {
	defer runtime.KeepAlive(b)
	if b.err == nil && b.root != nil { // not read yet, and not changed
		return b.root
	}
	t, err := b.use()
	if err != nil {
		return nil
	}
	return t.Root()
}

// Prove is the proof that key has its value, or none.
func (b *base) Prove(key []byte) (*SparseMerkleProof, error) {
	defer runtime.KeepAlive(b)
	t, err := b.use()
	if err != nil {
		return nil, err
	}
	p, err := t.Prove(key)
	return (*SparseMerkleProof)(p), err
}

// ProveClosest is the proof of the leaf closest to path. It fails with
// ErrInvalidClosestPath.
func (b *base) ProveClosest(path []byte) (*SparseMerkleClosestProof, error) {
	defer runtime.KeepAlive(b)
	t, err := b.use()
	if err != nil {
		return nil, err
	}
	c, err := t.ProveClosest(path)
	if errors.Is(err, trie.ErrPathLength) {
		return nil, errors.Join(ErrInvalidClosestPath, err)
	}
	if err != nil {
		return nil, err
	}
	return fromClosest(c), nil
}

// Commit writes the new nodes to the store and deletes from it those that are
// nodes no longer.
func (b *base) Commit() error {
	defer runtime.KeepAlive(b)
	t, err := b.use()
	if err != nil {
		return err
	}
	return b.save(t)
}
