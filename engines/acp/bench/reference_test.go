package bench

import (
	"testing"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/tuple"
)

// keyed is the reference engine; scan is the same with the owner queries of the published engine's
// old generation. On disk, a change is written when the call returns and survives the end of the
// process, as in the published engine.
var (
	keyed = reference(acp.IndexKeyed)
	scan  = reference(acp.IndexScan)
)

func reference(index acp.Index) docbench.Engine {
	return docbench.Engine{
		Open:    func() (docbench.Store, error) { return open(acp.Options{Index: index}) },
		OpenDir: func(dir string) (docbench.Store, error) { return open(acp.Options{Index: index, Path: dir}) },
		Load:    load,
	}
}

// creator is the actor that adds the policies.
const creator = "did:key:zQ3shCreator"

// store is an engine with the published policy.
type store struct {
	*acp.Engine
	policy string
}

func open(options acp.Options) (*store, error) {
	engine, err := acp.Open(options)
	if err != nil {
		return nil, err
	}
	if found := engine.Policies(); len(found) > 0 {
		return &store{engine, found[0].ID}, nil
	}
	policy, err := engine.AddPolicy(creator, docbench.Policy)
	return &store{engine, policy}, err
}

func (s *store) Register(actor, doc string) error {
	_, err := s.RegisterDoc(actor, s.policy, docbench.Resource, doc)
	return err
}

func (s *store) RegisterBatch(actor string, docs []string) error {
	_, err := s.RegisterDocs(actor, s.policy, docbench.Resource, docs)
	return err
}

func (s *store) IsRegistered(doc string) (bool, error) {
	return s.IsDocRegistered(s.policy, docbench.Resource, doc)
}

func (s *store) Check(actor, doc string) (bool, error) {
	return s.CheckDocAccess(acp.Read, actor, s.policy, docbench.Resource, doc)
}

func (s *store) CheckBatch(actor string, docs []string) ([]bool, error) {
	snapshot, err := s.Snapshot(s.policy)
	if err != nil {
		return nil, err
	}
	questions := make([]acp.Question, len(docs))
	for i, doc := range docs {
		questions[i] = acp.Question{
			Permission: docbench.Read,
			Actor:      actor,
			Object:     tuple.Object{Resource: docbench.Resource, ID: doc},
		}
	}
	return snapshot.CheckMany(questions)
}

func (s *store) Grant(requester, doc, actor string) error {
	_, err := s.AddRelationship(s.policy, docbench.Resource, doc, docbench.Reader, requester, actor)
	return err
}

func (s *store) Revoke(requester, doc, actor string) error {
	_, err := s.DeleteRelationship(s.policy, docbench.Resource, doc, docbench.Reader, requester, actor)
	return err
}

func (s *store) ListDocs(actor string) ([]string, error) {
	snapshot, err := s.Snapshot(s.policy)
	if err != nil {
		return nil, err
	}
	docs, _, err := snapshot.ListObjects(docbench.Resource, docbench.Read, actor, "", 0)
	return docs, err
}

func (s *store) ListActors(doc string) ([]string, error) {
	snapshot, err := s.Snapshot(s.policy)
	if err != nil {
		return nil, err
	}
	actors, err := snapshot.ListActors(tuple.Object{Resource: docbench.Resource, ID: doc}, docbench.Read, "", 0)
	return actors.Actors, err
}

// Counts are the counters that do not vary between runs.
func (s *store) Counts() map[string]uint64 {
	c := s.Counters()
	return map[string]uint64{"scanned": c.Scanned, "wal_bytes": c.Bytes, "syncs": c.Syncs}
}

// graph is any policy with its relationships.
type graph struct {
	*acp.Engine
	snapshot *acp.Snapshot
}

func load(text string, relationships []tuple.Relationship) (docbench.Graph, error) {
	engine, err := acp.Open(acp.Options{Lenient: true}) // the scenarios have rules that the published engine took
	if err != nil {
		return nil, err
	}
	policy, err := engine.AddPolicy(creator, text)
	if err != nil {
		return nil, err
	}
	if err := engine.Load(policy, relationships); err != nil {
		return nil, err
	}
	snapshot, err := engine.Snapshot(policy)
	return graph{engine, snapshot}, err
}

func (g graph) Check(object tuple.Object, permission, actor string) (bool, error) {
	return g.snapshot.Check(permission, actor, object)
}

func TestAccess(t *testing.T) {
	t.Run("index=keyed", func(t *testing.T) { docbench.Verify(t, keyed) })
	t.Run("index=scan", func(t *testing.T) { docbench.Verify(t, scan) })
}

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, keyed) }

func BenchmarkScan(b *testing.B) { docbench.Benchmark(b, scan) }
