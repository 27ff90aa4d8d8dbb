package impact_test

import (
	"fmt"
	"log"

	"assay/acp"
	"assay/acp/impact"
	"assay/acp/policy"
	"assay/acp/tuple"
)

func Example() {
	const text = `
name: notes
resources:
  note:
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
    permissions:
      read: {expr: owner + reader}
      write: {expr: owner}
`
	e, err := acp.Open(acp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	id, err := e.AddPolicy("did:key:admin", text)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := e.RegisterDoc("did:key:ann", id, "note", "1"); err != nil {
		log.Fatal(err)
	}
	s, err := e.Snapshot(id)
	if err != nil {
		log.Fatal(err)
	}
	show := func(i *impact.Impact, err error) {
		if err != nil {
			log.Fatal(err)
		}
		for c := range i.Changes() {
			fmt.Println(c)
		}
	}

	everyone, err := tuple.ParseRelationship("note:1#reader@*")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("If everyone became a reader:")
	show(impact.OfGrants(s, []tuple.Relationship{everyone}, nil))

	edited, err := policy.Parse([]byte(`
name: notes
resources:
  note:
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
    permissions:
      read: {expr: owner + reader}
      write: {expr: owner - owner}
`), policy.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("If nobody could write:")
	show(impact.OfPolicy(s, edited))
	// Output:
	// If everyone became a reader:
	// everyone gains note:1#read, except did:key:ann
	// If nobody could write:
	// did:key:ann loses note:1#write
}
