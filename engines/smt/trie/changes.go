package trie

import (
	"bytes"
	"iter"
	"slices"
)

// changes collects the paths changed since the last commit.
type changes struct {
	hash  int
	paths []byte // one after the other, a sorted run per batch
	runs  int
	limit int  // bytes of paths from where duplicates are removed
	all   bool // the trie was empty at the last commit: every leaf is a change
}

func (c *changes) used() int { return cap(c.paths) }

func (c *changes) reset() { c.paths, c.runs, c.all = c.paths[:0], 0, false }

// add takes the items that are about to be merged.
func (c *changes) add(t *Trie) {
	if c.addAll(t) {
		return
	}
	for i := range t.sorter.items {
		c.paths = append(c.paths, t.sorter.path(&t.sorter.items[i])...)
	}
	c.runs++
	if len(c.paths) > c.limit {
		c.compact()
		c.limit = 2*len(c.paths) + c.hash*(t.stats.Leaves+window)
	}
}

// addAll tells whether every leaf is a change.
func (c *changes) addAll(t *Trie) bool {
	c.hash = t.store.hash
	c.all = c.all || t.stats.Leaves == 0 && len(c.paths) == 0
	return c.all
}

// compact sorts the paths and leaves one of each.
func (c *changes) compact() {
	if c.runs <= 1 {
		return
	}
	paths := slices.Collect(slices.Chunk(c.paths, c.hash))
	slices.SortFunc(paths, bytes.Compare)
	paths = slices.CompactFunc(paths, bytes.Equal)
	c.paths, c.runs = bytes.Join(paths, nil), 1
}

func (c *changes) sorted(t *Trie) *Changes {
	c.compact()
	return &Changes{view: t.now(), changes: c}
}

// Changes are the differences of a commit to the one before, one for each path
// that was put or deleted in between. A path that came and went in between has a
// tombstone, and one that got back its old value has that value.
type Changes struct {
	view    view
	changes *changes
}

// Len is the number of changes.
func (c *Changes) Len() int {
	if c.changes.all {
		n := 0
		for range c.All() {
			n++
		}
		return n
	}
	return len(c.changes.paths) / max(1, c.changes.hash)
}

// All gives path and leaf value of each change, in path order. The leaf value is
// nil for a path that is gone. The slices are valid until the next step only.
func (c *Changes) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(path, leafValue []byte) bool) {
		if c.changes.all {
			c.view.walk(c.view.root, func(i uint32) bool {
				return yield(c.view.s.path(i), c.view.s.leafValue(i))
			})
			return
		}
		var w walks
		for group := range slices.Chunk(c.changes.paths, max(1, lanes*c.changes.hash)) {
			n := copy(w.paths[:], group) / c.changes.hash
			c.view.seekGroup(&w, n)
			for i := range n {
				value, _ := c.view.found(&w, i)
				if !yield(c.view.pathIn(&w, i), value) {
					return
				}
			}
		}
	}
}
