package proof_test

import (
	"bytes"
	"fmt"
	"log"

	"assay/smt/format"
	"assay/smt/proof"
	"assay/smt/trie"
)

// A client that has only the root checks an answer, and follows the trie to its
// next root.
func Example() {
	f := format.Format{Sum: format.SumCount}
	t, err := trie.New(trie.Config{Format: f})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = t.Close() }()
	for i, name := range []string{"ada", "bob", "cyd"} {
		if err := t.Update([]byte(name), []byte("paid"), uint64(10*i)); err != nil {
			log.Fatal(err)
		}
	}

	// The server sends a proof.
	p, err := t.Prove([]byte("bob"))
	if err != nil {
		log.Fatal(err)
	}
	message, err := p.AppendBinary(f, nil, true)
	if err != nil {
		log.Fatal(err)
	}

	// The client has the root.
	root := t.Root()
	var received proof.Proof
	if err := received.ParseBinary(f, message); err != nil {
		log.Fatal(err)
	}
	ok, err := proof.Verify(f, root, []byte("bob"), []byte("paid"), 10, &received)
	fmt.Println("bob paid 10:", ok, err)

	next, err := proof.UpdateFromProof(f, root, []byte("bob"),
		&proof.Entry{Value: []byte("paid"), Weight: 10}, nil, &received)
	if err != nil {
		log.Fatal(err)
	}
	if err := t.Delete([]byte("bob")); err != nil {
		log.Fatal(err)
	}
	sum, count := f.Meta(next)
	fmt.Println("without bob:", bytes.Equal(next, t.Root()), sum, count)
	// Output:
	// bob paid 10: true <nil>
	// without bob: true 20 2
}
