package trie

import (
	"fmt"
	"math/bits"

	"assay/smt/format"
)

// Update gives key a value and, in a sum trie, a weight. The bytes are copied
// and wait for the next call that needs them in the trie; a failed Update changes
// nothing. Empty keys and values are legal.
func (t *Trie) Update(key, value []byte, weight uint64) error {
	if err := t.ready(); err != nil {
		return err
	}
	if err := t.store.checkKey(key); err != nil {
		return err
	}
	if err := t.checkValue(len(value)); err != nil {
		return err
	}
	if err := t.checkRoom(1); err != nil {
		return err
	}
	t.queue.Put(key, value, weight)
	if t.config.StrictSum { // the overflow is this call's error
		return unwrapOp(t.flush())
	}
	return nil
}

// Delete removes key, or fails with ErrKeyNotFound.
func (t *Trie) Delete(key []byte) error {
	if err := t.settle(); err != nil {
		return err
	}
	var path pathBuffer
	if err := t.store.pathOf(path[:t.store.hash], key); err != nil {
		return err
	}
	if _, ok := t.now().find(path[:t.store.hash]); !ok { // which costs the caller no more than a get
		return ErrKeyNotFound
	}
	t.queue.Delete(key)
	return unwrapOp(t.flush())
}

func unwrapOp(err error) error {
	if op, ok := err.(*OpError); ok {
		return op.Err
	}
	return err
}

// Apply does the operations of a batch, in their order, or none of them: an
// OpError says which was refused and why. Digests are computed later, by the
// call that needs them.
func (t *Trie) Apply(b *Batch) error {
	if err := t.settle(); err != nil {
		return err
	}
	if err := t.check(b); err != nil {
		return err
	}
	return t.apply(b)
}

// settle puts the queued Updates into the trie.
func (t *Trie) settle() error {
	if err := t.ready(); err != nil {
		return err
	}
	if t.queue.Len() == 0 {
		return nil
	}
	return t.flush()
}

// clear removes all leaves; the queue is empty.
func (t *Trie) clear() {
	s := &t.store
	t.retireNewer(*s.child(rootSlot), 0)
	*s.child(rootSlot) = 0
	clear(s.digestAt(rootSlot))
	t.directory.drop()
	s.branch(0).stale = 0
	t.stats.Leaves, t.dirty, t.total = 0, 0, [2]uint64{}
}

// flush applies the queue and empties it, also when it is refused.
func (t *Trie) flush() error {
	err := t.apply(&t.queue)
	t.queue.Reset()
	if t.queue.used() > t.scratch() {
		t.queue = Batch{}
	}
	return err
}

func (t *Trie) apply(b *Batch) error {
	if b.Len() == 0 {
		return nil
	}
	t.reclaim()
	t.sorter.begin(t, b.Len())
	t.sorter.add(t, b)
	return t.mergeSorted()
}

// mergeSorted puts what the sorter has into the trie, all or nothing.
func (t *Trie) mergeSorted() error {
	t.sorter.sort(t)
	if err := t.resolve(); err != nil {
		t.sorter.unstage(0)
		return err
	}
	t.changes.add(t)
	t.merge(t.sorter.items)
	t.sorter.unstage(0) // there is nothing in the trie
	t.sorter.batch = nil
	if t.sorter.used() > t.scratch() {
		t.sorter = sorter{}
	}
	return nil
}

// scratch is how many bytes a buffer may keep for the next call: what a steady
// flow of batches needs, not what one bulk load did.
func (t *Trie) scratch() int { return max(1<<20, t.store.used()/16) }

// resolve leaves the last operation of every path, drops deletes of what is not
// in the trie but was put by the batch before, and refuses the batch if a delete
// finds nothing or, under StrictSum, the sum gets too large.
func (t *Trie) resolve() error {
	items := t.sorter.items
	kept := items[:0]
	total := t.total
	refused, reason := -1, error(nil) // the first operation
	for lo := 0; lo < len(items); {
		path := t.sorter.path(&items[lo])
		hi, deletes := lo, false
		for hi < len(items) && items[hi].prefix == items[lo].prefix && string(t.sorter.path(&items[hi])) == string(path) {
			deletes = deletes || items[hi].delete
			hi++
		}
		last := items[hi-1]
		var old []byte // leaf value
		present := false
		if deletes || t.config.StrictSum {
			old, present = t.now().find(path)
		}
		there := present
		for _, it := range items[lo:hi] {
			if it.delete && !there && (refused < 0 || int(it.op) < refused) {
				refused, reason = int(it.op), fmt.Errorf("%w: path %x", ErrKeyNotFound, path)
			}
			there = !it.delete
		}
		if t.config.StrictSum {
			if present {
				sum, _ := t.store.Meta(old)
				total = subtract(total, sum)
			}
			if !last.delete {
				total = add(total, t.sorter.batch.ops[last.op].weight)
			}
		}
		if !last.delete || present {
			kept = append(kept, last)
		}
		lo = hi
	}
	if refused >= 0 {
		return &OpError{refused, reason}
	}
	if t.config.StrictSum && t.config.Sum != format.NoSum && total[1] > 0 {
		return &OpError{t.sorter.batch.Len() - 1, fmt.Errorf("%w: the weights would add up to 2^64 or more", ErrSumOverflow)}
	}
	t.sorter.items, t.total = kept, total
	return nil
}

func add(total [2]uint64, x uint64) [2]uint64 {
	low, carry := bits.Add64(total[0], x, 0)
	return [2]uint64{low, total[1] + carry}
}

func subtract(total [2]uint64, x uint64) [2]uint64 {
	low, borrow := bits.Sub64(total[0], x, 0)
	return [2]uint64{low, total[1] - borrow}
}
