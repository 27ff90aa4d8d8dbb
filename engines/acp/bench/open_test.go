package bench

import (
	"os"
	"testing"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
)

// BenchmarkOpen opens a store on disk with the documents of the scale. An operation is the whole
// opening. end=closed: the store was closed before; end=killed: its files are as they were while it
// was open, as when its process is killed.
func BenchmarkOpen(b *testing.B) {
	b.Run("end=closed", func(b *testing.B) { reopen(b, true) })
	b.Run("end=killed", func(b *testing.B) { reopen(b, false) })
}

func reopen(b *testing.B, closed bool) {
	dir, copied := b.TempDir(), b.TempDir()
	s, err := reference.Open(acp.Options{Path: dir})
	if err != nil {
		b.Fatal(err)
	}
	owner, docs := docbench.Actors(1)[0], docbench.Docs(docbench.Scale())
	var some []string // to look at afterwards
	for i, doc := range docs {
		if i%max(1, len(docs)/1000) == 0 {
			some = append(some, doc)
		}
		if err := s.Register(owner, doc); err != nil {
			b.Fatal(err)
		}
	}
	if !closed {
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if !closed {
		dir = copied
	}
	s, docs = nil, nil // a process that opens a store has nothing else for the garbage collector to scan
	var total docbench.Total
	total.Time(b, 1, func() error {
		s, err = reference.Open(acp.Options{Path: dir})
		return err
	})
	defer s.Close()
	for _, doc := range some {
		if allowed, err := s.Check(owner, doc); err != nil || !allowed {
			b.Fatalf("the owner may read document %s: %t, %v", doc, allowed, err)
		}
	}
	total.Report()
}
