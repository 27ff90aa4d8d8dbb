package bench

import (
	"testing"

	"assay/smt/bench/triebench"
	"assay/smt/leaflog"
	"assay/smt/trie"
)

// durable is our trie on disk: a leaf log.
type durable struct {
	reference
	store *leaflog.Store
}

// Counts are of the nodes hashed and the bytes handed to files.
func (d *durable) Counts() triebench.Counts {
	return triebench.Counts{NodeHashes: d.stats().NodeHashes, WrittenBytes: d.store.Stats().WrittenBytes}
}

func openDurable(kind triebench.Kind, dir string, entries triebench.Entries) (triebench.Trie, error) {
	d, err := openStore(kind, dir)
	if err != nil {
		return nil, err
	}
	if err := d.BulkLoad(entries); err != nil {
		return nil, err
	}
	return d, d.store.Checkpoint()
}

func reopen(kind triebench.Kind, dir string, _ []byte) (triebench.Trie, error) {
	return openStore(kind, dir)
}

func openStore(kind triebench.Kind, dir string) (*durable, error) {
	store, err := leaflog.Open(dir, trie.Config{Format: formats[kind]}, leaflog.Options{})
	if err != nil {
		return nil, err
	}
	return &durable{reference{backend: store, stats: store.TrieStats}, store}, nil
}

// BenchmarkOpen opens a trie on disk that was closed right after a checkpoint. An operation is a key
// of the trie. The files are in the page cache.
func BenchmarkOpen(b *testing.B) {
	for _, kind := range engine.Kinds {
		b.Run("trie="+string(kind), func(b *testing.B) {
			dir := b.TempDir()
			entries := triebench.PresentEntries(triebench.KeyCount())
			shot := triebench.NewShot(b, engine, kind)
			filled, err := openDurable(kind, dir, entries)
			shot.Must(err)
			shot.Must(filled.Close())
			shot.Time(entries.Len(), func() (err error) {
				shot.Trie, err = openStore(kind, dir)
				return err
			})
			shot.CheckProofs(shot.Finish(entries), entries, true)
		})
	}
}
