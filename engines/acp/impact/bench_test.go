package impact_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/acp/impact"
	"assay/acp/tuple"
)

// BenchmarkImpact looks into one grant, and into an edit of a permission, among many documents.
func BenchmarkImpact(b *testing.B) {
	for _, count := range []int{100, 10_000} {
		s := shared(b, count)
		edited := parse(b, strings.Replace(documents, "write: {expr: owner}", "write: {expr: owner + reader}", 1))
		add := []tuple.Relationship{relationship(b, "group:17#member@did:key:bob")}
		for name, look := range map[string]func() (*impact.Impact, error){
			"grant":  func() (*impact.Impact, error) { return impact.OfGrants(s, add, nil) },
			"policy": func() (*impact.Impact, error) { return impact.OfPolicy(s, edited) },
		} {
			b.Run(fmt.Sprintf("change=%s,documents=%d", name, count), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					i, err := look()
					if err != nil {
						b.Fatal(err)
					}
					for range i.Changes() {
					}
					b.ReportMetric(float64(i.Examined().Nodes), "nodes/op")
				}
			})
		}
	}
}
