package trie

import (
	"errors"
	"fmt"
	"io"
	"math"

	"assay/smt/format"
)

// chunk is how many keys BulkLoad takes in before it hashes them: enough for all
// workers, few enough to stay in a cache.
const chunk = 1 << 13

// BulkLoad fills an empty trie, or fails with ErrNotEmpty. next gives a key at a
// time, whose slices need to be valid until the next call only, and io.EOF after
// the last; of a key that comes more than once the last value counts. n is how
// many there are, as far as known. What Update would refuse fails with an OpError;
// that and any other error of next leave the trie empty.
//
// It is the fastest way into a trie: a batch of all keys would take 100 bytes a key
// of fresh memory, and to touch these takes longer than to hash the key.
func (t *Trie) BulkLoad(n int, next func() (key, value []byte, weight uint64, err error)) error {
	if err := t.settle(); err != nil {
		return err
	}
	if t.stats.Leaves > 0 {
		return fmt.Errorf("%w: %d leaves", ErrNotEmpty, t.stats.Leaves)
	}
	limit := chunk
	if t.store.ValueHasher == format.RawValue || t.config.StrictSum {
		limit = math.MaxInt // values and weights are needed until the end
	}
	var b Batch
	more, err := b.fill(limit, next)
	if err != nil {
		return err
	}
	if !more {
		return t.Apply(&b)
	}
	t.reclaim()
	defer t.sorter.unstage(0) // also when next panics
	t.sorter.begin(t, max(chunk, min(n, t.store.leaves.room())))
	for {
		if err = t.check(&b); err != nil {
			break
		}
		t.sorter.add(t, &b)
		if !more {
			return t.mergeSorted()
		}
		if more, err = b.fill(limit, next); err != nil {
			break
		}
	}
	if op, ok := err.(*OpError); ok {
		op.Index += len(t.sorter.items)
	}
	return err
}

// fill makes the batch anew of what next gives, up to a number of keys. more
// tells that there may be more.
func (b *Batch) fill(limit int, next func() (key, value []byte, weight uint64, err error)) (more bool, err error) {
	b.Reset()
	for b.Len() < limit {
		key, value, weight, err := next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		b.Put(key, value, weight)
	}
	return true, nil
}
