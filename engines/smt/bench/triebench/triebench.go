// Package triebench measures and checks authenticated tries.
//
// Every trie, ours and each peer's, is driven by this package through a thin adapter, with the same
// keys, the same operations and the same checks. A benchmark prepares its input and fills its trie
// outside of the timed part, and fails when the root, a value or a proof is not what it has to be.
//
// An operation is a key, or a whole fill in the rows published_fill and published_fill_commit. A
// benchmark chooses its number of operations itself: run it with -test.benchtime=1x.
package triebench

import "testing"

// Kind is a kind of trie: a value of the variant "trie".
type Kind string

const (
	SMT  Kind = "smt"  // key to value
	SMST Kind = "smst" // key to value and weight; the root holds the sum of the weights
)

// Proof is a proof in the form of the engine that made it.
type Proof any

// Trie is a trie being measured. Slices passed in are only valid during the call, and those
// returned until the next one.
type Trie interface {
	Update(key, value []byte, weight uint64) error
	// Delete returns an error when the key is absent, in tries that run the published rows.
	Delete(key []byte) error
	// Get returns what Engine.Stored says of the value, nil when the key is absent.
	Get(key []byte) ([]byte, error)
	// Prove proves that the key is present, or that it is absent.
	Prove(key []byte) (Proof, error)
	// Root hashes all that was written.
	Root() ([]byte, error)
	// Commit makes what was written the state that the store holds, and returns its root.
	Commit() ([]byte, error)
	// Close releases what the garbage collector does not, and ends a durable trie.
	Close() error
}

// BulkLoader is implemented by tries with a faster way to fill an empty trie than updates.
type BulkLoader interface{ BulkLoad(Entries) error }

// Batcher is implemented by tries with a faster way to write many keys than one after the other.
type Batcher interface {
	UpdateBatch(Entries) error
	DeleteBatch(Entries) error
}

// BatchReader is implemented by tries that look up or prove many keys in one call.
type BatchReader interface {
	// GetBatch returns what Get returns for each key.
	GetBatch(keys [][]byte) ([][]byte, error)
	// ProveBatch makes the proofs of the keys; BatchProof returns one of them.
	ProveBatch(keys [][]byte) error
	BatchProof(i int) Proof
}

// KeptProver is implemented by tries whose Prove reuses the memory of the proof before.
type KeptProver interface {
	// ProveKept is Prove with memory of its own.
	ProveKept(key []byte) (Proof, error)
}

// ClosestProver is implemented by tries that prove which key lies closest to a path.
type ClosestProver interface {
	ProveClosest(path []byte) (Proof, error)
}

// Counts is the work that a trie did since it was made.
type Counts struct {
	NodeHashes   uint64
	WrittenBytes uint64 // handed to the store of nodes, or to files when the trie is durable
}

// Counter is implemented by tries that count what they do.
type Counter interface{ Counts() Counts }

// MemoryUser is implemented by tries that know how much memory they hold, in the Go heap or not.
type MemoryUser interface{ Memory() uint64 }

// Engine is one implementation of tries. Functions that an engine does not have are nil.
type Engine struct {
	Kinds []Kind
	// New makes an empty trie.
	New func(Kind) (Trie, error)
	// Open makes a durable trie of the entries in dir, an empty directory. Each of its commits
	// survives a power failure.
	Open func(kind Kind, dir string, entries Entries) (Trie, error)
	// Reopen opens the durable trie in dir, whose last commit had the root.
	Reopen func(kind Kind, dir string, root []byte) (Trie, error)
	// Root returns the root of a trie of the entries, made by other means than the trie has where
	// there are any. No key occurs twice.
	Root func(Kind, Entries) ([]byte, error)
	// Stored returns what Get returns for a value.
	Stored func(value []byte) []byte
	// Verify checks a proof that the key has the value and weight, or is absent when value is nil.
	Verify func(kind Kind, root, key, value []byte, weight uint64, proof Proof) error
	// VerifyClosest checks a proof that a key lies closest to the path.
	VerifyClosest func(kind Kind, root, path []byte, proof Proof) error
	// Codecs maps values of the variant "codec" to the functions that encode a proof.
	Codecs map[string]func(Kind, Proof) ([]byte, error)
}

// Benchmark runs one sub-benchmark for each workload and variant that the engine has, named
// "workload=get_hit/trie=smt/how=single" for example.
func Benchmark(b *testing.B, engine Engine) {
	for name, workload := range workloads {
		b.Run("workload="+name, func(b *testing.B) {
			for _, kind := range engine.Kinds {
				b.Run("trie="+string(kind), func(b *testing.B) { workload(b, setting{engine, kind, *keyCount}) })
			}
		})
	}
}

// setting is what all workloads take: an engine, a kind of trie, and how many keys it holds.
type setting struct {
	Engine
	kind Kind
	keys int
}

var workloads = map[string]func(*testing.B, setting){
	"published_fill":          func(b *testing.B, s setting) { publishedFill(b, s, false) },
	"published_fill_commit":   func(b *testing.B, s setting) { publishedFill(b, s, true) },
	"published_update":        func(b *testing.B, s setting) { publishedUpdate(b, s, false) },
	"published_update_commit": func(b *testing.B, s setting) { publishedUpdate(b, s, true) },
	"published_get":           publishedGet,
	"published_prove":         publishedProve,
	"published_delete":        func(b *testing.B, s setting) { publishedDelete(b, s, false) },
	"published_delete_commit": func(b *testing.B, s setting) { publishedDelete(b, s, true) },

	"fill":            fill,
	"fill_one_by_one": fillOneByOne,
	"get_hit":         func(b *testing.B, s setting) { get(b, s, true) },
	"get_miss":        func(b *testing.B, s setting) { get(b, s, false) },
	"prove_hit":       func(b *testing.B, s setting) { prove(b, s, true) },
	"prove_miss":      func(b *testing.B, s setting) { prove(b, s, false) },
	"closest":         closest,
	"verify":          verify,
	"delete_hit":      deleteHit,
	"update_commit":   updateCommit,
	"insert_commit":   insertCommit,
	"delete_commit":   deleteCommit,
	"durable_commit":  durableCommit,
	"proof_size":      proofSize,
}
