package trie

import "fmt"

// Root is the digest of the whole trie, with sum and count where the format has
// them; nil for a trie that is closed or failed. It hashes what changed.
func (t *Trie) Root() []byte {
	if t.refresh() != nil {
		return nil
	}
	return append([]byte(nil), t.store.digestAt(rootSlot)...)
}

// AppendRoot appends the root to dst.
func (t *Trie) AppendRoot(dst []byte) ([]byte, error) {
	if err := t.refresh(); err != nil {
		return dst, err
	}
	return append(dst, t.store.digestAt(rootSlot)...), nil
}

// Sum is the sum of all weights modulo 2^64; 0 without a sum in the format.
func (t *Trie) Sum() uint64 {
	if t.refresh() != nil {
		return 0
	}
	sum, _ := t.store.Meta(t.store.digestAt(rootSlot))
	return sum
}

// Count is the number of keys.
func (t *Trie) Count() uint64 {
	if t.settle() != nil {
		return 0
	}
	return uint64(t.stats.Leaves)
}

// refresh makes all digests right.
func (t *Trie) refresh() error {
	if err := t.settle(); err != nil {
		return err
	}
	t.rehash()
	return nil
}

// Commit is Root, and makes the state a version: the last KeepRoots of them can
// be rolled back to.
func (t *Trie) Commit() ([]byte, error) { return t.CommitTo(nil) }

// Log takes the changes of a commit and makes them durable.
type Log interface {
	// Append gets the changes since the commit before and the root they lead to.
	// Neither is valid after the call.
	Append(changes *Changes, root []byte) error
}

// CommitTo is Commit through a log, which is called after hashing. When the log
// fails, so does the trie: every later call gets ErrFailed.
func (t *Trie) CommitTo(log Log) ([]byte, error) {
	if err := t.refresh(); err != nil {
		return nil, err
	}
	root := t.Root()
	if log != nil {
		if err := log.Append(t.changes.sorted(t), root); err != nil {
			t.failed = fmt.Errorf("%w: %w", ErrFailed, err)
			return nil, t.failed
		}
	}
	t.changes.reset()
	t.keep()
	return root, nil
}
