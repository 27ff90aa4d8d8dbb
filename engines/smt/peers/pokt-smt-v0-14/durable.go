package pokt

import (
	cockroach "github.com/cockroachdb/pebble"
	"github.com/pokt-network/smt"
	"github.com/pokt-network/smt/kvstore/pebble"

	"assay/smt/bench/triebench"
)

// nodes is a store of nodes in memory that can list them.
type nodes map[string][]byte

func (n nodes) Get(key []byte) ([]byte, error) { return n[string(key)], nil }
func (n nodes) Set(key, value []byte) error    { n[string(key)] = value; return nil }
func (n nodes) Delete(key []byte) error        { delete(n, string(key)); return nil }
func (n nodes) Len() (int, error)              { return len(n), nil }
func (n nodes) ClearAll() error                { clear(n); return nil }

// open fills a trie in memory and writes its nodes to the database in dir at once: the store itself
// syncs each node that it writes. Then it opens the trie on the store, which reads a node when it
// is first met.
func open(kind triebench.Kind, dir string, entries triebench.Entries) (triebench.Trie, error) {
	filled := nodes{}
	trie := empty(kind, filled)
	for i := range entries.Len() {
		if err := trie.Update(entries.At(i)); err != nil {
			return nil, err
		}
	}
	root, err := trie.Commit()
	if err != nil {
		return nil, err
	}
	if err := write(dir, filled); err != nil {
		return nil, err
	}
	return reopen(kind, dir, root)
}

func write(dir string, filled nodes) error {
	db, err := cockroach.Open(dir, &cockroach.Options{})
	if err != nil {
		return err
	}
	batch := db.NewBatch()
	for key, value := range filled {
		if err := batch.Set([]byte(key), value, nil); err != nil {
			return err
		}
	}
	if err := batch.Commit(cockroach.Sync); err != nil {
		return err
	}
	if err := db.Flush(); err != nil {
		return err
	}
	return db.Close()
}

// reopen opens the trie that has the root.
func reopen(kind triebench.Kind, dir string, root []byte) (triebench.Trie, error) {
	disk, err := pebble.NewKVStore(dir)
	if err != nil {
		return nil, err
	}
	c := newCounts(disk)
	if kind == triebench.SMST {
		return sumTrie{smt.ImportSparseMerkleSumTrie(c.store, c.hash, root), c}, nil
	}
	return plainTrie{smt.ImportSparseMerkleTrie(c.store, c.hash, root), c}, nil
}
