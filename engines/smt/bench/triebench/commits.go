package triebench

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
)

// fill makes a trie of all keys from an empty one, in its fastest way, and commits it.
func fill(b *testing.B, s setting) {
	fillBy(b, s, load)
}

// Fill is the workload fill, for engines beside the one that has all workloads.
func Fill(b *testing.B, engine Engine, kind Kind) { fill(b, setting{engine, kind, *keyCount}) }

// fillOneByOne makes a trie of all keys from an empty one, by an update for each and one commit.
func fillOneByOne(b *testing.B, s setting) {
	fillBy(b, s, func(trie Trie, entries Entries) error {
		if err := updateEach(trie, entries); err != nil {
			return err
		}
		_, err := trie.Commit()
		return err
	})
}

func fillBy(b *testing.B, s setting, load func(Trie, Entries) error) {
	entries := PresentEntries(s.keys)
	shot := newShot(b, s)
	shot.Start()
	shot.Measure(entries.Len(), func() error { return load(shot.Trie, entries) })
	shot.CheckProofs(shot.Finish(entries), entries, true)
}

// batches is the variant "batch", keys of a commit, with the number of keys that are written.
var batches = []struct{ keys, total int }{{1, 2000}, {100, 20_000}, {1000, 50_000}, {10_000, 50_000}}

// commitEach writes the entries in batches of so many keys, and commits each.
func commitEach(trie Trie, entries Entries, batch int, write func(Trie, Entries) error) error {
	for from := 0; from < entries.Len(); from += batch {
		if err := write(trie, entries.Slice(from, min(from+batch, entries.Len()))); err != nil {
			return err
		}
		if _, err := trie.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// updateCommit gives new values to present keys.
func updateCommit(b *testing.B, s setting) {
	for _, batch := range batches {
		b.Run(fmt.Sprintf("batch=%d", batch.keys), func(b *testing.B) {
			entries := PresentEntries(s.keys)
			updates, after := entries.Rewritten(min(batch.total, s.keys))
			shot := newShot(b, s)
			shot.StartWith(entries)
			shot.Measure(updates.Len(), func() error {
				return commitEach(shot.Trie, updates, batch.keys, updateAll)
			})
			shot.CheckProofs(shot.Finish(after), updates, true)
			runtime.KeepAlive(entries)
		})
	}
}

const largeBatch = 10_000

// insertCommit writes keys that are not in the trie.
func insertCommit(b *testing.B, s setting) {
	b.Run(fmt.Sprintf("batch=%d", largeBatch), func(b *testing.B) {
		entries := PresentEntries(s.keys)
		inserted := randomEntries(absent, min(5*largeBatch, s.keys))
		after := makeEntries(s.keys+inserted.Len(), 2*randomBytes)
		after.addAll(entries)
		after.addAll(inserted)
		shot := newShot(b, s)
		shot.StartWith(entries)
		shot.Measure(inserted.Len(), func() error {
			return commitEach(shot.Trie, inserted, largeBatch, updateAll)
		})
		shot.CheckProofs(shot.Finish(after), inserted, true)
		runtime.KeepAlive(entries)
	})
}

// deleteCommit deletes present keys.
func deleteCommit(b *testing.B, s setting) {
	b.Run(fmt.Sprintf("batch=%d", largeBatch), func(b *testing.B) {
		entries := PresentEntries(s.keys)
		removed, after := entries.without(min(5*largeBatch, s.keys/2))
		shot := newShot(b, s)
		shot.StartWith(entries)
		shot.Measure(removed.Len(), func() error {
			return commitEach(shot.Trie, removed, largeBatch, deleteAll)
		})
		shot.CheckProofs(shot.Finish(after), removed, false)
		runtime.KeepAlive(entries)
	})
}

// durableBatches is the variant "batch" of durableCommit: a store that syncs each node needs a
// second for the smaller one.
var durableBatches = []struct{ keys, total int }{{100, 200}, {largeBatch, 5 * largeBatch}}

// durableCommit gives new values to present keys of a trie on disk. The trie is closed, opened
// again, and must have the root of the last commit and the values.
func durableCommit(b *testing.B, s setting) {
	if s.Open == nil {
		b.Skip("this trie is not durable")
	}
	for _, batch := range durableBatches {
		b.Run(fmt.Sprintf("batch=%d", batch.keys), func(b *testing.B) {
			dir := b.TempDir()
			entries := PresentEntries(s.keys)
			updates, after := entries.Rewritten(min(batch.total, s.keys))
			shot := newShot(b, s)
			trie, err := s.Open(s.kind, dir, entries)
			shot.Must(err)
			shot.Trie = trie
			shot.Measure(updates.Len(), func() error {
				return commitEach(trie, updates, batch.keys, updateAll)
			})
			root := shot.Finish(after)
			shot.Trie = nil
			shot.Must(trie.Close())
			shot.Trie, err = s.Reopen(s.kind, dir, root)
			shot.Must(err)
			reopened, err := shot.Trie.Root()
			shot.Must(err)
			if !bytes.Equal(reopened, root) {
				b.Fatalf("root %x after opening again, expected %x", reopened, root)
			}
			shot.CheckProofs(root, updates, true)
			runtime.KeepAlive(entries)
		})
	}
}
