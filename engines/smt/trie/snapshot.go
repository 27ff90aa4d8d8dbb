package trie

import (
	"slices"

	"assay/smt/proof"
)

// Snapshot is a state of the trie that stays. Any number of goroutines may read
// it, without locks, while the trie goes on. It holds the memory of what changed
// since; the trie takes that back with its next change after the release.
type Snapshot struct {
	v *version
	t *Trie
}

// Snapshot hashes what changed and keeps that state until Release.
func (t *Trie) Snapshot() (*Snapshot, error) {
	if err := t.refresh(); err != nil {
		return nil, err
	}
	t.reclaim()
	t.holders.Add(1)
	return &Snapshot{t.freeze(false), t}, nil
}

// Release ends the use of the snapshot, which no read may be under way in. It
// may be called from any goroutine, also after Close of the trie; the second
// call does nothing.
func (s *Snapshot) Release() {
	if !s.v.released.Swap(true) {
		s.t.letGo()
	}
}

func (s *Snapshot) state() (view, error) {
	if s.v.released.Load() {
		return view{}, ErrReleased
	}
	return s.v.view, nil
}

// Root is the root of the snapshot.
func (s *Snapshot) Root() []byte { return slices.Clone(s.v.digest) }

// Count is the number of keys.
func (s *Snapshot) Count() uint64 { return uint64(s.v.leaves) }

// Get is Trie.Get.
func (s *Snapshot) Get(key []byte) (leafValue []byte, weight uint64, ok bool, err error) {
	v, err := s.state()
	if err != nil {
		return nil, 0, false, err
	}
	return v.get(key)
}

// AppendGet is Trie.AppendGet.
func (s *Snapshot) AppendGet(dst, key []byte) (_ []byte, weight uint64, ok bool, err error) {
	v, err := s.state()
	if err != nil {
		return dst, 0, false, err
	}
	return v.appendGet(dst, key)
}

// GetBatch is Trie.GetBatch.
func (s *Snapshot) GetBatch(keys [][]byte, out []Entry) error {
	v, err := s.state()
	if err != nil {
		return err
	}
	return v.getBatch(keys, out)
}

// Prove is Trie.Prove.
func (s *Snapshot) Prove(key []byte) (*proof.Proof, error) {
	p := new(proof.Proof)
	return p, s.ProveInto(p, key)
}

// ProveInto is Trie.ProveInto.
func (s *Snapshot) ProveInto(p *proof.Proof, key []byte) error {
	v, err := s.state()
	if err != nil {
		return err
	}
	return v.prove(p, key)
}

// ProveBatch is Trie.ProveBatch.
func (s *Snapshot) ProveBatch(keys [][]byte, out []proof.Proof) error {
	v, err := s.state()
	if err != nil {
		return err
	}
	return v.proveBatch(keys, out)
}

// ProveClosest is Trie.ProveClosest.
func (s *Snapshot) ProveClosest(path []byte) (*proof.Closest, error) {
	v, err := s.state()
	if err != nil {
		return nil, err
	}
	return v.proveClosest(path)
}

// ProveMulti is Trie.ProveMulti.
func (s *Snapshot) ProveMulti(keys [][]byte) (*proof.Multi, error) {
	v, err := s.state()
	if err != nil {
		return nil, err
	}
	return v.proveMulti(keys)
}

// ProveRange is Trie.ProveRange.
func (s *Snapshot) ProveRange(from, to []byte) (*proof.Range, []proof.Leaf, error) {
	v, err := s.state()
	if err != nil {
		return nil, nil, err
	}
	return v.proveRange(from, to)
}

// Iterate is Trie.Iterate.
func (s *Snapshot) Iterate(from []byte, fn func(path, leafValue []byte) bool) error {
	v, err := s.state()
	if err != nil {
		return err
	}
	return v.iterate(from, fn)
}

// Nodes is Trie.Nodes.
func (s *Snapshot) Nodes(known func(digest []byte) bool, fn func(digest, preimage []byte) error) error {
	v, err := s.state()
	if err != nil {
		return err
	}
	return v.nodes(v.rootCursor(), known, fn)
}
