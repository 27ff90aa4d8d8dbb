package trie

import (
	"errors"
	"fmt"
	"io"

	"assay/smt/format"
)

// LoadSorted fills an empty trie with leaves in ascending order of path, as
// Iterate and Changes give them: nothing is hashed but nodes, nothing sorted. next
// gives a leaf at a time, whose slices need to be valid until the next call only,
// and io.EOF after the last. Any other error of next, a leaf out of order
// (ErrOrder) or not of the format (ErrPathLength, ErrLeafValue) leaves the trie
// empty.
func (t *Trie) LoadSorted(next func() (path, leafValue []byte, err error)) error {
	if err := t.settle(); err != nil {
		return err
	}
	if t.stats.Leaves > 0 {
		return fmt.Errorf("%w: %d leaves", ErrNotEmpty, t.stats.Leaves)
	}
	t.reclaim()
	l := sortedLoader{t: t}
	err := l.load(next)
	if err == nil && l.total[1] > 0 && t.config.StrictSum {
		err = fmt.Errorf("%w: the weights add up to 2^64 or more", ErrSumOverflow)
	}
	if err != nil {
		l.undo()
		return err
	}
	t.changes.addAll(t)
	l.finish()
	return nil
}

// sortedLoader makes branches from left to right. On its stack is the way from
// the root to the newest leaf: the branches whose right side is not finished.
type sortedLoader struct {
	t     *Trie
	stack []uint32 // branches, depths ascending
	last  ref      // newest leaf or finished subtree right of the stack
	count int
	total [2]uint64
}

func (l *sortedLoader) load(next func() (path, leafValue []byte, err error)) error {
	s := &l.t.store
	var before []byte
	for {
		path, leafValue, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := l.check(path, leafValue); err != nil {
			return fmt.Errorf("leaf %d: %w", l.count, err)
		}
		match := format.CommonPrefix(before, path)
		if before != nil && (match == s.PathBits() || format.Bit(path, match) == 0) {
			return fmt.Errorf("leaf %d: %w: %x after %x", l.count, ErrOrder, path, before)
		}
		id := l.leaf(path, leafValue)
		if before != nil {
			l.branch(match)
		}
		l.last = leafRef(id)
		before = s.path(id)
		l.count++
		l.total = add(l.total, s.weight(leafValue))
	}
}

func (l *sortedLoader) check(path, leafValue []byte) error {
	s := &l.t.store
	if len(path) != s.hash {
		return fmt.Errorf("%w: %d bytes, expected %d", ErrPathLength, len(path), s.hash)
	}
	if s.ValueHasher == format.HashValue && len(leafValue) != s.hash+s.meta || len(leafValue) < s.meta {
		return fmt.Errorf("%w: %d bytes, expected %d, or %d and more for raw values", ErrLeafValue, len(leafValue), s.hash+s.meta, s.meta)
	}
	if _, count := s.Meta(leafValue); s.Sum == format.SumCount && count != 1 {
		return fmt.Errorf("%w: count %d, expected 1", ErrLeafValue, count)
	}
	if s.ValueHasher == format.RawValue {
		if err := l.t.checkValue(len(leafValue) - s.meta); err != nil {
			return err
		}
	}
	return l.t.checkRoom(1)
}

func (l *sortedLoader) leaf(path, leafValue []byte) uint32 {
	s := &l.t.store
	id := s.leaves.alloc()
	*s.leafBirth(id) = l.t.history.version
	record := s.leafRecord(id)
	copy(record, path)
	if s.ValueHasher == format.HashValue {
		copy(record[s.hash:], leafValue)
	} else {
		s.newRaw(record, leafValue, nil)
	}
	return id
}

// branch makes the branch at depth between the newest leaf and the next one.
func (l *sortedLoader) branch(depth int) {
	l.close(depth)
	s := &l.t.store
	id := l.t.newBranch(depth)
	b := s.branch(id)
	b.child[0], b.stale = l.last, 3
	l.stack = append(l.stack, id)
}

// close finishes the branches below depth.
func (l *sortedLoader) close(depth int) {
	for len(l.stack) > 0 {
		id := l.stack[len(l.stack)-1]
		b := l.t.store.branch(id)
		if int(b.depth) < depth {
			return
		}
		b.child[1] = l.last
		l.last = branchRef(id)
		l.stack = l.stack[:len(l.stack)-1]
	}
}

// finish puts what was loaded into the trie.
func (l *sortedLoader) finish() {
	if l.count == 0 {
		return
	}
	t := l.t
	l.close(0)
	*t.store.child(rootSlot) = l.last
	t.mark(rootSlot)
	t.stats.Leaves, t.dirty, t.total = l.count, l.count, l.total
	t.direct(l.count)
}

// undo frees what was made.
func (l *sortedLoader) undo() {
	if l.count > 0 {
		l.close(0)
		l.t.retireNewer(l.last, l.t.history.version-1)
	}
}
