package leaflog_test

import (
	"bytes"
	"fmt"
	"os"

	"assay/smt/leaflog"
	"assay/smt/proof"
	"assay/smt/trie"
)

// A store outlives its process: what Commit returned is there after Open.
func Example() {
	dir, err := os.MkdirTemp("", "leaflog")
	check(err)
	defer os.RemoveAll(dir)

	config := trie.Config{} // plain trie, SHA-256
	store, err := leaflog.Open(dir, config, leaflog.Options{})
	check(err)
	check(store.Update([]byte("apple"), []byte("red"), 0))
	check(store.Update([]byte("plum"), []byte("blue"), 0))
	root, err := store.Commit()
	check(err)
	check(store.Update([]byte("pear"), []byte("green"), 0)) // not committed
	check(store.Close())

	store, err = leaflog.Open(dir, config, leaflog.Options{})
	check(err)
	defer store.Close()
	fmt.Println("same root:", bytes.Equal(store.Root(), root))
	p, err := store.Prove([]byte("plum"))
	check(err)
	ok, err := proof.Verify(config.Format, root, []byte("plum"), []byte("blue"), 0, p)
	check(err)
	fmt.Println("plum is blue:", ok)
	_, _, ok, err = store.Get([]byte("pear"))
	check(err)
	fmt.Println("pear is there:", ok)
	// Output:
	// same root: true
	// plum is blue: true
	// pear is there: false
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
