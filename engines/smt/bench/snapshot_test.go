package bench

import (
	"bytes"
	"crypto/sha256"
	"sync/atomic"
	"testing"

	"assay/smt/bench/triebench"
)

const (
	snapshotGets  = 200_000
	snapshotBatch = 1000
)

// BenchmarkSnapshotRead looks up keys in a snapshot while another goroutine gives new values to
// random keys of the trie and commits a batch after the other.
func BenchmarkSnapshotRead(b *testing.B) {
	for _, kind := range engine.Kinds {
		b.Run("trie="+string(kind), func(b *testing.B) { snapshotRead(b, kind) })
	}
}

func snapshotRead(b *testing.B, kind triebench.Kind) {
	entries := triebench.PresentEntries(triebench.KeyCount())
	read := entries.Sample(min(snapshotGets, entries.Len()))
	updates, after := entries.Rewritten(min(50*snapshotBatch, entries.Len()))
	shot := triebench.NewShot(b, engine, kind)
	shot.StartWith(entries)
	root, err := shot.Trie.Root()
	shot.Must(err)
	snapshot, err := shot.Trie.(*reference).Snapshot()
	shot.Must(err)

	var stop atomic.Bool
	committed := make(chan error, 1)
	write := func() error {
		for {
			for from := 0; from < updates.Len(); from += snapshotBatch {
				if stop.Load() {
					return nil
				}
				batch := updates.Slice(from, min(from+snapshotBatch, updates.Len()))
				if err := shot.Trie.(*reference).UpdateBatch(batch); err != nil {
					return err
				}
				if _, err := shot.Trie.Commit(); err != nil {
					return err
				}
			}
		}
	}
	found := 0
	var value []byte
	shot.Time(read.Len(), func() error {
		go func() { committed <- write() }()
		for i := range read.Len() {
			var ok bool
			var err error
			if value, _, ok, err = snapshot.AppendGet(value[:0], read.Key(i)); err != nil {
				return err
			}
			if ok {
				found++
			}
		}
		return nil
	})
	stop.Store(true)
	shot.Must(<-committed)
	if found != read.Len() {
		b.Fatalf("%d keys found, expected %d", found, read.Len())
	}
	if !bytes.Equal(snapshot.Root(), root) {
		b.Fatalf("the snapshot has root %x, expected %x", snapshot.Root(), root)
	}
	for i := range min(read.Len(), 1000) {
		key, old, _ := read.At(i)
		want := sha256.Sum256(old)
		got, _, _, err := snapshot.Get(key)
		shot.Must(err)
		if !bytes.Equal(got[:sha256.Size], want[:]) {
			b.Fatalf("key %x has value hash %x in the snapshot, expected %x", key, got, want)
		}
	}
	snapshot.Release()
	shot.Must(shot.Trie.(*reference).UpdateBatch(updates))
	shot.CheckProofs(shot.Finish(after), updates, true)
}
