package explain_test

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	"assay/acp"
	"assay/acp/explain"
	"assay/acp/tuple"
)

func Example() {
	e, err := acp.Open(acp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	id, err := e.AddPolicy("did:key:admin", `
name: notes
resources:
  note:
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
      banned: {types: [actor]}
    permissions:
      read: {expr: owner + reader - banned}
      write: {expr: owner}
`)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := e.RegisterDoc("did:key:ann", id, "note", "1"); err != nil {
		log.Fatal(err)
	}
	if _, err := e.AddRelationship(id, "note", "1", "reader", "did:key:ann", "*"); err != nil {
		log.Fatal(err)
	}
	if _, err := e.AddRelationship(id, "note", "1", "banned", "did:key:ann", "did:key:bob"); err != nil {
		log.Fatal(err)
	}

	s, err := e.Snapshot(id)
	if err != nil {
		log.Fatal(err)
	}
	c, err := explain.Explain(explain.Of(s), "read", "did:key:bob", tuple.Object{Resource: "note", ID: "1"})
	if err != nil {
		log.Fatal(err)
	}
	c.WriteText(os.Stdout, s.Policy())

	// Who gets the certificate checks it against relationships of their own.
	data, err := json.Marshal(c)
	if err != nil {
		log.Fatal(err)
	}
	var received explain.Certificate
	if err := json.Unmarshal(data, &received); err != nil {
		log.Fatal(err)
	}
	fmt.Println("verified:", explain.Verify(s.Policy(), explain.Of(s), received))

	if _, err := e.DeleteRelationship(id, "note", "1", "banned", "did:key:ann", "did:key:bob"); err != nil {
		log.Fatal(err)
	}
	s, err = e.Snapshot(id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("later:", explain.Verify(s.Policy(), explain.Of(s), received))
	// Output:
	// did:key:bob has not note:1#read (revision 3)
	//   note:1#read fails: owner + reader - banned
	//     note:1#banned holds
	//       note:1#banned@did:key:bob
	// verified: <nil>
	// later: certificate refused: step 1: note:1#banned: note:1#banned@did:key:bob is not a relationship of this object, or named twice
}
