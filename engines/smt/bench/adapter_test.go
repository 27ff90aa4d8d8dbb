package bench

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"

	"assay/smt/bench/oracle"
	"assay/smt/bench/triebench"
	"assay/smt/compat"
	"assay/smt/format"
	"assay/smt/proof"
	"assay/smt/trie"
)

var engine = triebench.Engine{
	Kinds: []triebench.Kind{triebench.SMT, triebench.SMST},
	New: func(kind triebench.Kind) (triebench.Trie, error) {
		return open(trie.Config{Format: formats[kind]})
	},
	Root: func(kind triebench.Kind, entries triebench.Entries) ([]byte, error) {
		return oracle.Root(formats[kind], entries)
	},
	Open:          openDurable,
	Reopen:        reopen,
	Stored:        func(value []byte) []byte { h := sha256.Sum256(value); return h[:] },
	Verify:        verify,
	VerifyClosest: verifyClosest,
	Codecs: map[string]func(triebench.Kind, triebench.Proof) ([]byte, error){
		"gob": func(_ triebench.Kind, p triebench.Proof) ([]byte, error) {
			return (*compat.SparseMerkleProof)(p.(*proof.Proof)).Marshal()
		},
		"gob_compact": func(kind triebench.Kind, p triebench.Proof) ([]byte, error) {
			compact, err := p.(*proof.Proof).Compact(formats[kind])
			if err != nil {
				return nil, err
			}
			return (*compat.SparseCompactMerkleProof)(compact).Marshal()
		},
		"binary": func(kind triebench.Kind, p triebench.Proof) ([]byte, error) {
			return p.(*proof.Proof).AppendBinary(formats[kind], nil, true)
		},
	},
}

var formats = map[triebench.Kind]format.Format{
	triebench.SMT:  {},
	triebench.SMST: {Sum: format.SumCount},
}

// backend is what a trie in memory and one on disk have in common.
type backend interface {
	Update(key, value []byte, weight uint64) error
	Delete(key []byte) error
	Apply(*trie.Batch) error
	BulkLoad(n int, next func() (key, value []byte, weight uint64, err error)) error
	AppendGet(dst, key []byte) (leafValue []byte, weight uint64, ok bool, err error)
	GetBatch(keys [][]byte, out []trie.Entry) error
	Prove(key []byte) (*proof.Proof, error)
	ProveInto(p *proof.Proof, key []byte) error
	ProveBatch(keys [][]byte, out []proof.Proof) error
	ProveClosest(path []byte) (*proof.Closest, error)
	ProveMulti(keys [][]byte) (*proof.Multi, error)
	Snapshot() (*trie.Snapshot, error)
	Root() []byte
	Commit() ([]byte, error)
	Close() error
}

// reference is our trie. It reuses the memory of what it returns.
type reference struct {
	backend
	stats  func() trie.Stats
	batch  trie.Batch
	value  []byte
	values []trie.Entry
	found  [][]byte
	proof  proof.Proof
	proofs []proof.Proof
}

func open(config trie.Config) (*reference, error) {
	t, err := trie.New(config)
	if err != nil {
		return nil, err
	}
	return &reference{backend: t, stats: t.Stats}, nil
}

func (t *reference) BulkLoad(entries triebench.Entries) error {
	return t.backend.BulkLoad(entries.Len(), entries.Reader())
}

func (t *reference) UpdateBatch(entries triebench.Entries) error {
	t.batch.Reset()
	for i := range entries.Len() {
		t.batch.Put(entries.At(i))
	}
	return t.Apply(&t.batch)
}

func (t *reference) DeleteBatch(entries triebench.Entries) error {
	t.batch.Reset()
	for i := range entries.Len() {
		t.batch.Delete(entries.Key(i))
	}
	return t.Apply(&t.batch)
}

// Get returns the hash of the value, without sum and count.
func (t *reference) Get(key []byte) ([]byte, error) {
	value, _, ok, err := t.AppendGet(t.value[:0], key)
	t.value = value
	if !ok {
		return nil, err
	}
	return value[:sha256.Size], err
}

func (t *reference) GetBatch(keys [][]byte) ([][]byte, error) {
	if len(t.values) < len(keys) {
		t.values, t.found = make([]trie.Entry, len(keys)), make([][]byte, len(keys))
	}
	if err := t.backend.GetBatch(keys, t.values[:len(keys)]); err != nil {
		return nil, err
	}
	for i, entry := range t.values[:len(keys)] {
		t.found[i] = nil
		if entry.Found {
			t.found[i] = entry.LeafValue[:sha256.Size]
		}
	}
	return t.found[:len(keys)], nil
}

func (t *reference) Prove(key []byte) (triebench.Proof, error) {
	return &t.proof, t.ProveInto(&t.proof, key)
}

func (t *reference) ProveBatch(keys [][]byte) error {
	if len(t.proofs) < len(keys) {
		t.proofs = make([]proof.Proof, len(keys))
	}
	return t.backend.ProveBatch(keys, t.proofs[:len(keys)])
}

func (t *reference) BatchProof(i int) triebench.Proof { return &t.proofs[i] }

func (t *reference) ProveKept(key []byte) (triebench.Proof, error) { return t.backend.Prove(key) }

func (t *reference) ProveClosest(path []byte) (triebench.Proof, error) {
	return t.backend.ProveClosest(path)
}

func (t *reference) Root() ([]byte, error) {
	root := t.backend.Root()
	if root == nil {
		return nil, errors.New("the trie has failed")
	}
	return root, nil
}

func (t *reference) Counts() triebench.Counts {
	return triebench.Counts{NodeHashes: t.stats().NodeHashes}
}

func (t *reference) Memory() uint64 { return uint64(t.stats().MemoryBytes) }

func verify(kind triebench.Kind, root, key, value []byte, weight uint64, p triebench.Proof) error {
	ok, err := proof.Verify(formats[kind], root, key, value, weight, p.(*proof.Proof))
	return verdict(ok, err)
}

func verifyClosest(kind triebench.Kind, root, path []byte, p triebench.Proof) error {
	c := p.(*proof.Closest)
	if string(c.Path) != string(path) {
		return fmt.Errorf("closest proof of path %x, expected %x", c.Path, path)
	}
	ok, err := proof.VerifyClosest(formats[kind], root, c)
	return verdict(ok, err)
}

func verdict(ok bool, err error) error {
	if err == nil && !ok {
		err = errors.New("the proof does not verify")
	}
	return err
}

func TestTrie(t *testing.T) { triebench.Verify(t, engine) }

func BenchmarkTrie(b *testing.B) { triebench.Benchmark(b, engine) }
