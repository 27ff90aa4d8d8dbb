package bench

import (
	"testing"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
	"assay/acp/tuple"
)

// BenchmarkCost counts what checks of the published policy look up: of the owner, of one of the readers
// of a document that has as many as the scale says, and of the owner of another document. The counts show how the cost
// grows without a clock.
func BenchmarkCost(b *testing.B) {
	actors := docbench.Actors(docbench.Scale() + 2)
	owner, stranger, readers := actors[0], actors[1], actors[2:]
	for name, q := range map[string]struct {
		actor string
		want  bool
	}{
		"owner":    {owner, true},
		"reader":   {readers[len(readers)-1], true},
		"stranger": {stranger, false},
	} {
		b.Run("actor="+name, func(b *testing.B) {
			s, err := reference.Open(acp.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if err := s.Register(owner, "1"); err != nil {
				b.Fatal(err)
			}
			if err := s.Register(stranger, "2"); err != nil {
				b.Fatal(err)
			}
			for _, reader := range readers {
				if err := s.Grant(owner, "1", reader); err != nil {
					b.Fatal(err)
				}
			}
			snapshot, err := s.Snapshot(s.Policy)
			if err != nil {
				b.Fatal(err)
			}
			var cost acp.Cost
			var total docbench.Total
			total.Repeat(b, docbench.Chunks(make([]struct{}, 64), func(chunk []struct{}) error {
				for range chunk {
					var allowed bool
					allowed, cost, err = snapshot.CheckCost(docbench.Read, q.actor, tuple.Object{Resource: docbench.Resource, ID: "1"})
					if err != nil {
						return err
					}
					if allowed != q.want {
						b.Fatalf("%s may read: %t, expected %t", name, allowed, q.want)
					}
				}
				return nil
			}))
			total.Report()
			b.ReportMetric(float64(cost.Probes), "probes")
			b.ReportMetric(float64(cost.Visits), "visits")
		})
	}
}
