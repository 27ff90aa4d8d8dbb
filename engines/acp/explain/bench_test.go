package explain_test

import (
	"fmt"
	"testing"

	"assay/acp/explain"
	"assay/acp/tuple"
)

// BenchmarkExplain proves a grant and a refusal at the end of a chain of groups, and verifies it.
func BenchmarkExplain(b *testing.B) {
	p := parse(b)
	for _, hops := range []int{1, 64, 4096} {
		v := newView(p, chain(b, hops))
		for _, actor := range []string{"ann", "bob"} {
			answer := map[string]string{"ann": "allow", "bob": "deny"}[actor]
			doc := tuple.Object{Resource: "doc", ID: "1"}
			b.Run(fmt.Sprintf("explain/answer=%s,hops=%d", answer, hops), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := explain.Explain(v, "read", actor, doc); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("verify/answer=%s,hops=%d", answer, hops), func(b *testing.B) {
				c, err := explain.Explain(v, "read", actor, doc)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := explain.Verify(p, v, c); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
