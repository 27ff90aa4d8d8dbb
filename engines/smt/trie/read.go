package trie

import "assay/smt/proof"

// latest is the newest state with the queued Updates; digests may be stale.
func (t *Trie) latest() (view, error) {
	if err := t.settle(); err != nil {
		return view{}, err
	}
	return t.now(), nil
}

// hashed is the newest state with its digests.
func (t *Trie) hashed() (view, error) {
	if err := t.refresh(); err != nil {
		return view{}, err
	}
	return t.now(), nil
}

// Get gives what a leaf stores for key, hash of the value or the value itself,
// then sum and count as the format has them (see format.AppendLeafValue), and
// the weight. ok is false for an absent key. The slice is the caller's.
func (t *Trie) Get(key []byte) (leafValue []byte, weight uint64, ok bool, err error) {
	v, err := t.latest()
	if err != nil {
		return nil, 0, false, err
	}
	return v.get(key)
}

// AppendGet is Get that appends the leaf value to dst.
func (t *Trie) AppendGet(dst, key []byte) (_ []byte, weight uint64, ok bool, err error) {
	v, err := t.latest()
	if err != nil {
		return dst, 0, false, err
	}
	return v.appendGet(dst, key)
}

// GetBatch gets many keys into as many entries, whose slices it reuses. It is
// faster than one by one: the walks go side by side.
func (t *Trie) GetBatch(keys [][]byte, out []Entry) error {
	v, err := t.latest()
	if err != nil {
		return err
	}
	return v.getBatch(keys, out)
}

// Prove proves that key has its value, or that it has none. Like all proofs it is
// of the state with all Updates so far, whose root is Root.
func (t *Trie) Prove(key []byte) (*proof.Proof, error) {
	p := new(proof.Proof)
	return p, t.ProveInto(p, key)
}

// ProveInto is Prove into p, whose slices it overwrites and reuses.
func (t *Trie) ProveInto(p *proof.Proof, key []byte) error {
	v, err := t.hashed()
	if err != nil {
		return err
	}
	return v.prove(p, key)
}

// ProveBatch is ProveInto for many keys.
func (t *Trie) ProveBatch(keys [][]byte, out []proof.Proof) error {
	v, err := t.hashed()
	if err != nil {
		return err
	}
	return v.proveBatch(keys, out)
}

// ProveClosest proves which leaf is closest to a path (not a key).
func (t *Trie) ProveClosest(path []byte) (*proof.Closest, error) {
	v, err := t.hashed()
	if err != nil {
		return nil, err
	}
	return v.proveClosest(path)
}

// ProveMulti proves many keys at once.
func (t *Trie) ProveMulti(keys [][]byte) (*proof.Multi, error) {
	v, err := t.hashed()
	if err != nil {
		return nil, err
	}
	return v.proveMulti(keys)
}

// ProveRange proves which leaves there are from one path to another, both
// included, and gives them. ErrOrder means that from is behind to.
func (t *Trie) ProveRange(from, to []byte) (*proof.Range, []proof.Leaf, error) {
	v, err := t.hashed()
	if err != nil {
		return nil, nil, err
	}
	return v.proveRange(from, to)
}

// Iterate calls fn for every leaf in path order, from a path on (nil: the first),
// until fn gives false. The slices are parts of the trie: valid during the call,
// not to be written to.
func (t *Trie) Iterate(from []byte, fn func(path, leafValue []byte) bool) error {
	v, err := t.latest()
	if err != nil {
		return err
	}
	return v.iterate(from, fn)
}

// Nodes calls fn for every node of the store of the published library: digest and
// preimage, a chain as one extension in its canonical form. Nodes come after those
// below them. A node whose digest is known (nil: none is) is left out with all
// below it. The slices are valid during the call. An error of fn ends it.
func (t *Trie) Nodes(known func(digest []byte) bool, fn func(digest, preimage []byte) error) error {
	v, err := t.hashed()
	if err != nil {
		return err
	}
	return v.nodes(v.rootCursor(), known, fn)
}
