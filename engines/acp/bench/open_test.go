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
	for _, doc := range docs {
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
	var total docbench.Total
	total.Time(b, func() error {
		s, err = reference.Open(acp.Options{Path: dir})
		return err
	})
	defer s.Close()
	for i := 0; i < len(docs); i += max(1, len(docs)/1000) {
		if allowed, err := s.Check(owner, docs[i]); err != nil || !allowed {
			b.Fatalf("the owner may read document %s: %t, %v", docs[i], allowed, err)
		}
	}
	total.Report(1)
}
