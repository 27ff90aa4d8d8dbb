package bench

import (
	"fmt"
	"testing"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
)

// BenchmarkHandle asks as the workloads of docbench do, with policy, permission, actor and document
// looked up once, before the timed part.
func BenchmarkHandle(b *testing.B) {
	for name, q := range map[string]struct {
		mode  string
		actor int
		want  bool
	}{
		"check_doc_access":  {"/mode=warm", 0, true},
		"is_doc_registered": {"/mode=warm", 0, true},
		"check_denied":      {"", 1, false},
	} {
		b.Run("workload="+name+"/store=memory"+q.mode, func(b *testing.B) {
			h := newHandles(b)
			actor := h.policy.Actor(docbench.Actors(2)[q.actor])
			ask := func(doc acp.DocRef) bool { return h.read.Check(actor, doc) }
			if name == "is_doc_registered" {
				ask = h.resource.IsRegistered
			}
			each := func(docs []acp.DocRef) error {
				for _, doc := range docs {
					if ask(doc) != q.want {
						return fmt.Errorf("an answer is %t, expected %t", !q.want, q.want)
					}
				}
				return nil
			}
			if err := each(h.docs); err != nil {
				b.Fatal(err)
			}
			var total docbench.Total
			total.Repeat(b, docbench.Chunks(h.docs, each))
			total.Report()
		})
	}
}

// handles are those of a store with as many documents as the scale says.
type handles struct {
	policy   *acp.PolicyHandle
	resource *acp.ResourceHandle
	read     *acp.PermissionHandle
	docs     []acp.DocRef // at random
}

func newHandles(b *testing.B) (h handles) {
	s := filled(b)
	err := s.Register(docbench.Actors(2)[1], "another")
	if err != nil {
		b.Fatal(err)
	}
	if h.policy, err = s.PolicyHandle(s.Policy); err != nil {
		b.Fatal(err)
	}
	if h.resource, err = h.policy.Resource(docbench.Resource); err != nil {
		b.Fatal(err)
	}
	if h.read, err = h.resource.Permission(docbench.Read); err != nil {
		b.Fatal(err)
	}
	docs := docbench.Docs(docbench.Scale())
	for _, doc := range docbench.Picks(docs, min(1<<16, 8*len(docs))) {
		h.docs = append(h.docs, h.resource.Doc(doc))
	}
	return h
}

// filled opens a store in which the first actor has registered the documents of the scale.
func filled(b *testing.B) *reference.Store {
	s, err := reference.Open(acp.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	if err := s.RegisterBatch(docbench.Actors(1)[0], docbench.Docs(docbench.Scale())); err != nil {
		b.Fatal(err)
	}
	return s
}
