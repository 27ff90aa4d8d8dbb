package trie

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
)

// Versions share structure. A branch or leaf carries the number of the version
// it was made in. What is at most as old as the newest frozen version is never
// written again: a change copies it, with all above it, and the old one goes to
// the dead list of the newest frozen version that can see it. When a version is
// dropped its dead are freed, or handed to the version before it if that one is
// not older than they are. Nothing is counted, nothing is scanned.
//
// Cost: a commit copies each changed branch once per version (80 bytes, sum trie
// 112), which it has to load and hash anyway.

// version is a frozen state.
type version struct {
	view
	number   uint32
	dead     []ref
	leaves   int
	total    [2]uint64
	released atomic.Bool
	kept     bool // by KeepRoots, not by a snapshot
}

type history struct {
	version uint32     // that new branches and leaves get, from 1
	frozen  []*version // ascending by number
}

func (t *Trie) writable(birth uint32) bool {
	n := len(t.history.frozen)
	return n == 0 || birth > t.history.frozen[n-1].number
}

// own makes the branch in slot at writable, if need be by a copy.
func (t *Trie) own(at slot) uint32 {
	s := &t.store
	old := s.child(at).index()
	if t.writable(s.branch(old).birth) {
		return old
	}
	id := t.newBranch(0)
	*s.branch(id) = *s.branch(old)
	s.branch(id).birth = t.history.version
	copy(s.line(id), s.line(old))
	*s.child(at) = branchRef(id)
	t.retire(branchRef(old))
	return id
}

func (s *store) birth(r ref) uint32 {
	if r.isLeaf() {
		return *s.leafBirth(r.index())
	}
	return s.branch(r.index()).birth
}

// retire takes what is no longer in the newest state.
func (t *Trie) retire(r ref) {
	if t.writable(t.store.birth(r)) {
		t.store.free(r)
		return
	}
	newest := t.history.frozen[len(t.history.frozen)-1]
	newest.dead = append(newest.dead, r)
}

func (s *store) free(r ref) {
	if r.isLeaf() {
		s.freeLeaf(r.index())
	} else {
		s.branches.release(r.index())
	}
}

// freeze makes a version of the newest state, whose digests must be right.
func (t *Trie) freeze(kept bool) *version {
	v := &version{view: t.now().clone(), number: t.history.version, leaves: t.stats.Leaves, total: t.total, kept: kept}
	t.history.version++
	t.history.frozen = append(t.history.frozen, v)
	return v
}

// drop forgets frozen version i.
func (t *Trie) drop(i int) {
	v := t.history.frozen[i]
	var before uint32 // the version that may see the dead too
	if i > 0 {
		before = t.history.frozen[i-1].number
	}
	for _, r := range v.dead {
		if t.store.birth(r) > before {
			t.store.free(r)
		} else {
			t.history.frozen[i-1].dead = append(t.history.frozen[i-1].dead, r)
		}
	}
	t.history.frozen = slices.Delete(t.history.frozen, i, i+1)
}

// reclaim drops the released snapshots.
func (t *Trie) reclaim() {
	for i := len(t.history.frozen) - 1; i >= 0; i-- {
		if v := t.history.frozen[i]; v.released.Load() {
			t.drop(i)
		}
	}
}

// keep makes the newest state one of the last KeepRoots.
func (t *Trie) keep() {
	if t.config.KeepRoots == 0 {
		return
	}
	t.freeze(true)
	kept := 0
	for i := len(t.history.frozen) - 1; i >= 0; i-- {
		if t.history.frozen[i].kept {
			if kept++; kept > t.config.KeepRoots {
				t.drop(i)
			}
		}
	}
}

// Rollback returns to the newest kept version with the given root: one of the
// last KeepRoots commits. Later commits and what was not committed are gone.
// An unknown root fails with ErrUnknownRoot and changes nothing. Time is in
// proportion to the changes undone.
func (t *Trie) Rollback(root []byte) error {
	if err := t.ready(); err != nil {
		return err
	}
	t.reclaim()
	frozen := t.history.frozen
	to := len(frozen) - 1
	for to >= 0 && !(frozen[to].kept && bytes.Equal(frozen[to].digest, root)) {
		to--
	}
	if to < 0 {
		return fmt.Errorf("%w: %x is none of the last %d committed", ErrUnknownRoot, root, t.config.KeepRoots)
	}
	t.queue.Reset()
	v := frozen[to]
	s := &t.store
	t.retireNewer(*s.child(rootSlot), v.number)
	for _, later := range frozen[to:] { // what v sees lives again
		later.dead = slices.DeleteFunc(later.dead, func(r ref) bool { return s.birth(r) <= v.number })
	}
	for i := len(frozen) - 1; i > to; i-- {
		if frozen[i].kept {
			t.drop(i)
		}
	}
	*s.child(rootSlot) = v.root
	copy(s.digestAt(rootSlot), v.digest)
	t.directory.drop()
	s.branch(0).stale = 0
	t.stats.Leaves, t.total, t.dirty = v.leaves, v.total, 0
	t.changes.reset()
	return nil
}

// retireNewer retires what is in the subtree r but not in a version.
func (t *Trie) retireNewer(r ref, version uint32) {
	if r == 0 || t.store.birth(r) <= version {
		return
	}
	if !r.isLeaf() {
		children := t.store.branch(r.index()).child
		t.retireNewer(children[0], version)
		t.retireNewer(children[1], version)
	}
	t.retire(r)
}
