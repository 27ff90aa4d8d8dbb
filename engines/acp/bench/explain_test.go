package bench

import (
	"testing"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
	"assay/acp/explain"
	"assay/acp/tuple"
)

// BenchmarkExplain explains why one of the readers of a document, which has as many as the scale says,
// may read it, and why the owner of another may not. Each certificate is verified. An operation is an
// explanation, or with what=verify the verification of one.
func BenchmarkExplain(b *testing.B) {
	actors := docbench.Actors(docbench.Scale() + 2)
	s, err := reference.Open(acp.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for i, doc := range docbench.Docs(2) {
		if err := s.Register(actors[i], doc); err != nil {
			b.Fatal(err)
		}
	}
	for _, reader := range actors[2:] {
		if err := s.Grant(actors[0], "0", reader); err != nil {
			b.Fatal(err)
		}
	}
	snapshot, err := s.Snapshot(s.Policy)
	if err != nil {
		b.Fatal(err)
	}
	view, doc := explain.Of(snapshot), tuple.Object{Resource: docbench.Resource, ID: "0"}
	for answer, actor := range map[string]string{"allow": actors[len(actors)-1], "deny": actors[1]} {
		b.Run("what=explain/answer="+answer, func(b *testing.B) {
			var certificate explain.Certificate
			var total docbench.Total
			total.Repeat(b, func() (int, error) {
				var err error
				certificate, err = explain.Explain(view, docbench.Read, actor, doc)
				return 1, err
			})
			total.Report()
			if certificate.Allowed != (answer == "allow") {
				b.Fatalf("allowed is %t, expected %s", certificate.Allowed, answer)
			}
			if err := explain.Verify(snapshot.Policy(), view, certificate); err != nil {
				b.Fatal(err)
			}
		})
		b.Run("what=verify/answer="+answer, func(b *testing.B) {
			certificate, err := explain.Explain(view, docbench.Read, actor, doc)
			if err != nil {
				b.Fatal(err)
			}
			var total docbench.Total
			total.Repeat(b, func() (int, error) {
				return 1, explain.Verify(snapshot.Policy(), view, certificate)
			})
			total.Report()
			certificate.Allowed = !certificate.Allowed
			if explain.Verify(snapshot.Policy(), view, certificate) == nil {
				b.Fatal("a certificate of the opposite is accepted")
			}
		})
	}
}
