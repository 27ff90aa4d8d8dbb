package smt_test

import (
	"fmt"
	"log"

	"assay/smt/format"
	"assay/smt/proof"
	"assay/smt/trie"
)

func Example() {
	t, err := trie.New(trie.Config{Format: format.Format{Sum: format.SumCount}})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()

	var b trie.Batch // flat buffers: the fast way to change many keys
	b.Put([]byte("apple"), []byte("red"), 3)
	b.Put([]byte("plum"), []byte("blue"), 4)
	if err := t.Apply(&b); err != nil { // all or nothing
		log.Fatal(err)
	}
	root, err := t.Commit()
	if err != nil {
		log.Fatal(err)
	}
	p, err := t.Prove([]byte("plum"))
	if err != nil {
		log.Fatal(err)
	}

	// Whoever has the root needs the proof only.
	ok, err := proof.Verify(t.Format(), root, []byte("plum"), []byte("blue"), 4, p)
	fmt.Println("plum is blue with weight 4:", ok, err)
	fmt.Println("sum", t.Sum(), "count", t.Count())
	// Output:
	// plum is blue with weight 4: true <nil>
	// sum 7 count 2
}
