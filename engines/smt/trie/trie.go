package trie

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"assay/smt/format"
	"assay/smt/sha256x"
)

// Config says what a trie is and how it works. The zero value is the plain
// SHA-256 trie with the best hashing on all processors.
type Config struct {
	format.Format
	Hashing   sha256x.Implementation // of SHA-256; any other hash has one way
	Workers   int                    // goroutines that hash and load; 0: GOMAXPROCS
	KeepRoots int                    // committed versions that Rollback can return to, the newest included
	MaxValue  int                    // bytes of a value; 0: DefaultMaxValue
	StrictSum bool                   // refuse a total sum above 2^64-1 instead of wrapping
}

const (
	// DefaultMaxValue is the MaxValue of a Config without one.
	DefaultMaxValue = 64 << 20
	// maxMaxValue keeps a leaf value with its sums within 31 bits.
	maxMaxValue = 1 << 30
)

func (c *Config) check() error {
	if err := c.Format.Check(); err != nil {
		return err
	}
	if c.Workers < 0 || c.KeepRoots < 0 || c.MaxValue < 0 || c.MaxValue > maxMaxValue {
		return fmt.Errorf("%w: workers %d, keep roots %d, max value %d; expected 0 or more, max value at most %d",
			ErrConfig, c.Workers, c.KeepRoots, c.MaxValue, maxMaxValue)
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.MaxValue == 0 {
		c.MaxValue = DefaultMaxValue
	}
	return nil
}

// Trie is a sparse Merkle trie in memory. It is for one goroutine at a time;
// snapshots of it may be read by others meanwhile.
type Trie struct {
	store     store
	config    Config
	queue     Batch // Updates not yet in the trie
	sorter    sorter
	hashers   []*hasher // one a worker
	top       *hasher   // of what is above the workers' parts
	parts     []slot
	shares    []part
	holders   atomic.Int32 // the trie while open, and its snapshots
	changes   changes      // paths changed since the last commit
	dirty     int          // leaves changed since the last hashing
	total     [2]uint64    // sum of all weights, low word first
	history   history
	directory directory
	stats     Stats
	closed    bool
	failed    error
}

// New makes an empty trie. Close it to give its memory back.
func New(config Config) (*Trie, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	sha, err := sha256x.New(config.Hashing)
	if err != nil {
		return nil, err
	}
	t := &Trie{config: config}
	t.store.init(config.Format, sha)
	t.hashers = make([]*hasher, config.Workers)
	for i := range t.hashers {
		t.hashers[i] = newHasher(&t.store)
	}
	t.top = newHasher(&t.store)
	t.history.version = 1
	t.directory.drop()
	t.holders.Store(1)
	return t, nil
}

// Close gives the memory back as soon as no snapshot is held. Every later call
// fails with ErrClosed.
func (t *Trie) Close() error {
	if t.closed {
		return ErrClosed
	}
	t.closed = true
	t.directory.unmap()
	t.letGo()
	return nil
}

// letGo gives the memory back when nobody is left who reads it.
func (t *Trie) letGo() {
	if t.holders.Add(-1) == 0 {
		t.store.unmap()
	}
}

// ready tells whether the trie can be used.
func (t *Trie) ready() error {
	if t.closed {
		return ErrClosed
	}
	return t.failed
}

// Format is the format of the trie.
func (t *Trie) Format() format.Format { return t.config.Format }

// Stats counts the work done since New, and the memory.
type Stats struct {
	NodeHashes  uint64 // leaves, inner nodes and the levels of chains
	PathHashes  uint64
	ValueHashes uint64
	Leaves      int // in the newest state
	MemoryBytes int // of the arenas as far as used, free entries included, and of the buffers
}

// Stats reads the counters. On a closed trie all but the hash counts are 0.
func (t *Trie) Stats() Stats {
	stats := t.stats
	stats.NodeHashes = t.top.hashes
	for _, h := range t.hashers {
		stats.NodeHashes += h.hashes
	}
	if t.closed {
		return stats
	}
	stats.MemoryBytes = t.store.used() + t.sorter.used() + t.queue.used() + t.changes.used() + 4*cap(t.directory.refs)
	for _, h := range t.hashers {
		stats.MemoryBytes += h.used()
	}
	return stats
}
