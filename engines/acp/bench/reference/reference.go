// Package reference drives the reference engine with the common workloads.
package reference

import (
	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/tuple"
)

// Keyed is the reference engine; Scan is the same with the owner queries of the published engine's
// old generation. On disk, a change is written when the call returns and survives the end of the
// process, as in the published engine.
var (
	Keyed = engine(acp.IndexKeyed)
	Scan  = engine(acp.IndexScan)
)

func engine(index acp.Index) docbench.Engine {
	return docbench.Engine{
		Open:    func() (docbench.Store, error) { return Open(acp.Options{Index: index}) },
		OpenDir: func(dir string) (docbench.Store, error) { return Open(acp.Options{Index: index, Path: dir}) },
		Load:    load,
	}
}

// creator is the actor that adds the policies.
const creator = "did:key:zQ3shCreator"

// Store is an engine with the published policy.
type Store struct {
	*acp.Engine
	Policy string // its id
}

// Open opens an engine and adds the policy when it has none.
func Open(options acp.Options) (*Store, error) {
	engine, err := acp.Open(options)
	if err != nil {
		return nil, err
	}
	if found := engine.Policies(); len(found) > 0 {
		return &Store{engine, found[0].ID}, nil
	}
	policy, err := engine.AddPolicy(creator, docbench.Policy)
	return &Store{engine, policy}, err
}

func (s *Store) Register(actor, doc string) error {
	_, err := s.RegisterDoc(actor, s.Policy, docbench.Resource, doc)
	return err
}

func (s *Store) RegisterBatch(actor string, docs []string) error {
	_, err := s.RegisterDocs(actor, s.Policy, docbench.Resource, docs)
	return err
}

func (s *Store) IsRegistered(doc string) (bool, error) {
	return s.IsDocRegistered(s.Policy, docbench.Resource, doc)
}

func (s *Store) Check(actor, doc string) (bool, error) {
	return s.CheckDocAccess(acp.Read, actor, s.Policy, docbench.Resource, doc)
}

func (s *Store) CheckBatch(actor string, docs []string) ([]bool, error) {
	snapshot, err := s.Snapshot(s.Policy)
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

func (s *Store) Grant(requester, doc, actor string) error {
	_, err := s.AddRelationship(s.Policy, docbench.Resource, doc, docbench.Reader, requester, actor)
	return err
}

func (s *Store) Revoke(requester, doc, actor string) error {
	_, err := s.DeleteRelationship(s.Policy, docbench.Resource, doc, docbench.Reader, requester, actor)
	return err
}

func (s *Store) ListDocs(actor string) ([]string, error) {
	snapshot, err := s.Snapshot(s.Policy)
	if err != nil {
		return nil, err
	}
	docs, _, err := snapshot.ListObjects(docbench.Resource, docbench.Read, actor, "", 0)
	return docs, err
}

func (s *Store) ListActors(doc string) ([]string, error) {
	snapshot, err := s.Snapshot(s.Policy)
	if err != nil {
		return nil, err
	}
	actors, err := snapshot.ListActors(tuple.Object{Resource: docbench.Resource, ID: doc}, docbench.Read, "", 0)
	return actors.Actors, err
}

// Counts are the counters that do not vary between runs.
func (s *Store) Counts() map[string]uint64 {
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
	if err := engine.Load(policy, relationships, nil); err != nil {
		return nil, err
	}
	snapshot, err := engine.Snapshot(policy)
	return graph{engine, snapshot}, err
}

func (g graph) Check(object tuple.Object, permission, actor string) (bool, error) {
	return g.snapshot.Check(permission, actor, object)
}
