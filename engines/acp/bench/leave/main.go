// Leave registers as many documents as -scale says in a new store on disk, below -dir, and ends
// without closing it: as a process does that is killed.
package main

import (
	"flag"
	"log"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
)

func main() {
	dir := flag.String("dir", "", "directory of the store")
	flag.Parse()
	store, err := reference.Open(acp.Options{Path: *dir})
	if err != nil {
		log.Fatal(err)
	}
	owner := docbench.Actors(1)[0]
	for _, doc := range docbench.Docs(docbench.Scale()) {
		if err := store.Register(owner, doc); err != nil {
			log.Fatal(err)
		}
	}
}
