package acp_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"assay/acp"
)

const policy = `
name: documents
resources:
  report:
    relations:
      owner:  {types: [actor]}
      reader: {types: [actor]}
    permissions:
      read:  {expr: owner + reader}
      write: {expr: owner}
`

func Example() {
	home, err := os.MkdirTemp("", "acp-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)

	e, err := acp.Open(acp.Options{Path: filepath.Join(home, "store"), Sync: acp.SyncBatch})
	if err != nil {
		log.Fatal(err)
	}
	ann, ben := "did:key:zAnn", "did:key:zBen"
	id, err := e.AddPolicy(ann, policy)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := e.RegisterDoc(ann, id, "report", "7"); err != nil { // ann owns it, durably
		log.Fatal(err)
	}
	if _, err := e.AddRelationship(id, "report", "7", "reader", ann, ben); err != nil {
		log.Fatal(err)
	}
	may, err := e.CheckDocAccess(acp.Read, ben, id, "report", "7")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ben may read:", may)

	// By handles, names are looked up once.
	p, err := e.PolicyHandle(id)
	if err != nil {
		log.Fatal(err)
	}
	reports, err := p.Resource("report")
	if err != nil {
		log.Fatal(err)
	}
	write, err := reports.Permission("write")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ben may write:", write.Check(p.Actor(ben), reports.Doc("7")))

	// A snapshot does not change while it is looked at.
	s, err := e.Snapshot(id)
	if err != nil {
		log.Fatal(err)
	}
	readable, _, err := s.ListObjects("report", "read", ben, "", 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ben may read:", readable)
	if err := e.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ben may read: true
	// ben may write: false
	// ben may read: [7]
}
