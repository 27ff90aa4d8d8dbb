package trie

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// rehash makes every stale digest right. The subtrees below some depth are
// independent: the workers take them one by one, then the first does the top.
func (t *Trie) rehash() {
	s := &t.store
	if s.branch(0).stale == 0 {
		return
	}
	depth := 0
	if len(t.hashers) > 1 && t.dirty >= 128 {
		depth = min(12, bits.Len(uint(t.dirty/64)))
	} else if t.dirty > 8192 {
		depth = min(12, bits.Len(uint(t.dirty/4096))) // so that a part fits into the cache
	}
	if depth == 0 {
		t.top.collect(rootSlot, 0)
	} else {
		t.parts = t.top.divide(rootSlot, 0, depth, t.parts[:0])
		t.each(len(t.parts), func(worker, i int) {
			h := t.hashers[worker]
			h.collect(t.parts[i], s.top(t.parts[i]))
			h.run()
		})
	}
	t.top.run()
	s.branch(0).stale = 0
	t.dirty = 0
}

// each calls do for 0 to n-1, from all workers at once.
func (t *Trie) each(n int, do func(worker, i int)) {
	workers := min(len(t.hashers), n)
	if workers <= 1 {
		for i := range n {
			do(0, i)
		}
		return
	}
	var taken atomic.Int64
	var group sync.WaitGroup
	work := func(worker int) {
		for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
			do(worker, i)
		}
	}
	for w := 1; w < workers; w++ {
		group.Go(func() { work(w) })
	}
	work(0)
	group.Wait()
}

// split calls do for parts of 0 to n, size or more long, from all workers at once.
func (t *Trie) split(n, size int, do func(lo, hi int)) {
	if len(t.hashers) == 1 || n < 2*size {
		do(0, n)
		return
	}
	parts := min(n/size, 16*len(t.hashers))
	t.each(parts, func(_, i int) { do(i*n/parts, (i+1)*n/parts) })
}
