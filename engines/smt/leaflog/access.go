package leaflog

import (
	"io"

	"assay/smt/format"
	"assay/smt/proof"
	"assay/smt/trie"
)

// What follows are the methods of trie.Trie that a store offers as they are.

// Format is trie.Trie.Format.
func (s *Store) Format() format.Format { return s.trie.Format() }

// Update is trie.Trie.Update.
func (s *Store) Update(key, value []byte, weight uint64) error {
	return s.trie.Update(key, value, weight)
}

// Delete is trie.Trie.Delete.
func (s *Store) Delete(key []byte) error { return s.trie.Delete(key) }

// Apply is trie.Trie.Apply.
func (s *Store) Apply(b *trie.Batch) error { return s.trie.Apply(b) }

// BulkLoad is trie.Trie.BulkLoad.
func (s *Store) BulkLoad(n int, next func() (key, value []byte, weight uint64, err error)) error {
	return s.trie.BulkLoad(n, next)
}

// Import is trie.Trie.Import.
func (s *Store) Import(r io.Reader) error { return s.trie.Import(r) }

// Export is trie.Trie.Export.
func (s *Store) Export(w io.Writer) error { return s.trie.Export(w) }

// Root is trie.Trie.Root.
func (s *Store) Root() []byte { return s.trie.Root() }

// Sum is trie.Trie.Sum.
func (s *Store) Sum() uint64 { return s.trie.Sum() }

// Count is trie.Trie.Count.
func (s *Store) Count() uint64 { return s.trie.Count() }

// Get is trie.Trie.Get.
func (s *Store) Get(key []byte) (leafValue []byte, weight uint64, ok bool, err error) {
	return s.trie.Get(key)
}

// AppendGet is trie.Trie.AppendGet.
func (s *Store) AppendGet(dst, key []byte) (_ []byte, weight uint64, ok bool, err error) {
	return s.trie.AppendGet(dst, key)
}

// GetBatch is trie.Trie.GetBatch.
func (s *Store) GetBatch(keys [][]byte, out []trie.Entry) error { return s.trie.GetBatch(keys, out) }

// Prove is trie.Trie.Prove.
func (s *Store) Prove(key []byte) (*proof.Proof, error) { return s.trie.Prove(key) }

// ProveInto is trie.Trie.ProveInto.
func (s *Store) ProveInto(p *proof.Proof, key []byte) error { return s.trie.ProveInto(p, key) }

// ProveBatch is trie.Trie.ProveBatch.
func (s *Store) ProveBatch(keys [][]byte, out []proof.Proof) error {
	return s.trie.ProveBatch(keys, out)
}

// ProveClosest is trie.Trie.ProveClosest.
func (s *Store) ProveClosest(path []byte) (*proof.Closest, error) { return s.trie.ProveClosest(path) }

// ProveMulti is trie.Trie.ProveMulti.
func (s *Store) ProveMulti(keys [][]byte) (*proof.Multi, error) { return s.trie.ProveMulti(keys) }

// ProveRange is trie.Trie.ProveRange.
func (s *Store) ProveRange(from, to []byte) (*proof.Range, []proof.Leaf, error) {
	return s.trie.ProveRange(from, to)
}

// Iterate is trie.Trie.Iterate.
func (s *Store) Iterate(from []byte, fn func(path, leafValue []byte) bool) error {
	return s.trie.Iterate(from, fn)
}

// Nodes is trie.Trie.Nodes.
func (s *Store) Nodes(known func(digest []byte) bool, fn func(digest, preimage []byte) error) error {
	return s.trie.Nodes(known, fn)
}

// Snapshot is trie.Trie.Snapshot.
func (s *Store) Snapshot() (*trie.Snapshot, error) { return s.trie.Snapshot() }

// Check is trie.Trie.Check.
func (s *Store) Check() error { return s.trie.Check() }
