// Package openfga drives OpenFGA, in process and without its HTTP and gRPC servers, with its store in
// memory. It keeps relationships and answers by them: who may change them is not its concern.
package openfga

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	openfgav1 "github.com/openfga/api/proto/openfga/v1"
	"github.com/openfga/language/pkg/go/transformer"
	"github.com/openfga/openfga/pkg/server"
	"github.com/openfga/openfga/pkg/storage/memory"
	"github.com/openfga/openfga/pkg/typesystem"

	"assay/acp/bench/docbench"
)

var engine = docbench.Engine{Open: open, Load: load}

// published is the published policy.
const published = `model
  schema 1.1

type actor

type users
  relations
    define owner: [actor]
    define reader: [actor]
    define read: owner or reader
    define write: owner
`

type store struct {
	server *server.Server
	id     string
	model  string
}

func open() (docbench.Store, error) {
	parsed, err := transformer.TransformDSLToProto(published)
	if err != nil {
		return nil, err
	}
	return openModel(parsed.GetTypeDefinitions())
}

// openModel opens an empty store with the types of a model.
func openModel(types []*openfgav1.TypeDefinition) (store, error) {
	ctx := context.Background()
	s := server.MustNewServerWithOpts(
		server.WithDatastore(memory.New()),
		server.WithListObjectsMaxResults(0),
		server.WithListUsersMaxResults(0),
		server.WithMaxChecksPerBatchCheck(mostChecks),
	)
	made, err := s.CreateStore(ctx, &openfgav1.CreateStoreRequest{Name: "docbench"})
	if err != nil {
		return store{}, err
	}
	written, err := s.WriteAuthorizationModel(ctx, &openfgav1.WriteAuthorizationModelRequest{
		StoreId:         made.GetId(),
		SchemaVersion:   typesystem.SchemaVersion1_1,
		TypeDefinitions: types,
	})
	if err != nil {
		return store{}, err
	}
	return store{s, made.GetId(), written.GetAuthorizationModelId()}, nil
}

func (s store) Close() error {
	s.server.Close()
	return nil
}

// OpenFGA takes no colon in an id, so an actor is named by the part of its DID behind the method.
const did = "did:key:"

func user(actor string) string { return "actor:" + strings.TrimPrefix(actor, did) }

func object(doc string) string { return docbench.Resource + ":" + doc }

const owner = "owner"

func (s store) write(doc, relation, actor string) error {
	_, err := s.server.Write(context.Background(), &openfgav1.WriteRequest{
		StoreId:              s.id,
		AuthorizationModelId: s.model,
		Writes: &openfgav1.WriteRequestWrites{TupleKeys: []*openfgav1.TupleKey{
			{Object: object(doc), Relation: relation, User: user(actor)},
		}},
	})
	return err
}

func (s store) Register(actor, doc string) error { return s.write(doc, owner, actor) }

// mostTuples is how many tuples a write may have.
const mostTuples = 100

func (s store) RegisterBatch(actor string, docs []string) error {
	keys := make([]*openfgav1.TupleKey, len(docs))
	for i, doc := range docs {
		keys[i] = &openfgav1.TupleKey{Object: object(doc), Relation: owner, User: user(actor)}
	}
	return s.writeAll(keys)
}

func (s store) IsRegistered(doc string) (bool, error) {
	found, err := s.server.Read(context.Background(), &openfgav1.ReadRequest{
		StoreId:  s.id,
		TupleKey: &openfgav1.ReadRequestTupleKey{Object: object(doc), Relation: owner},
	})
	if err != nil {
		return false, err
	}
	return len(found.GetTuples()) > 0, nil
}

func (s store) Check(actor, doc string) (bool, error) {
	answer, err := s.server.Check(context.Background(), &openfgav1.CheckRequest{
		StoreId:              s.id,
		AuthorizationModelId: s.model,
		TupleKey:             &openfgav1.CheckRequestTupleKey{Object: object(doc), Relation: docbench.Read, User: user(actor)},
	})
	if err != nil {
		return false, err
	}
	return answer.GetAllowed(), nil
}

// mostChecks is how many checks a batch may have.
const mostChecks = 1000

func (s store) CheckBatch(actor string, docs []string) ([]bool, error) {
	checks := make([]*openfgav1.BatchCheckItem, len(docs))
	for i, doc := range docs {
		checks[i] = &openfgav1.BatchCheckItem{
			TupleKey:      &openfgav1.CheckRequestTupleKey{Object: object(doc), Relation: docbench.Read, User: user(actor)},
			CorrelationId: strconv.Itoa(i),
		}
	}
	answer, err := s.server.BatchCheck(context.Background(), &openfgav1.BatchCheckRequest{
		StoreId:              s.id,
		AuthorizationModelId: s.model,
		Checks:               checks,
	})
	if err != nil {
		return nil, err
	}
	allowed := make([]bool, len(docs))
	for i, doc := range docs {
		one := answer.GetResult()[strconv.Itoa(i)]
		if one == nil || one.GetError() != nil {
			return nil, fmt.Errorf("check of document %s: %v", doc, one.GetError())
		}
		allowed[i] = one.GetAllowed()
	}
	return allowed, nil
}

func (s store) Grant(_, doc, actor string) error { return s.write(doc, docbench.Reader, actor) }

func (s store) Revoke(_, doc, actor string) error {
	_, err := s.server.Write(context.Background(), &openfgav1.WriteRequest{
		StoreId:              s.id,
		AuthorizationModelId: s.model,
		Deletes: &openfgav1.WriteRequestDeletes{TupleKeys: []*openfgav1.TupleKeyWithoutCondition{
			{Object: object(doc), Relation: docbench.Reader, User: user(actor)},
		}},
	})
	return err
}

func (s store) ListDocs(actor string) ([]string, error) {
	answer, err := s.server.ListObjects(context.Background(), &openfgav1.ListObjectsRequest{
		StoreId:              s.id,
		AuthorizationModelId: s.model,
		Type:                 docbench.Resource,
		Relation:             docbench.Read,
		User:                 user(actor),
	})
	if err != nil {
		return nil, err
	}
	docs := answer.GetObjects()
	for i, doc := range docs {
		docs[i] = strings.TrimPrefix(doc, docbench.Resource+":")
	}
	return docs, nil
}

func (s store) ListActors(doc string) ([]string, error) {
	answer, err := s.server.ListUsers(context.Background(), &openfgav1.ListUsersRequest{
		StoreId:              s.id,
		AuthorizationModelId: s.model,
		Object:               &openfgav1.Object{Type: docbench.Resource, Id: doc},
		Relation:             docbench.Read,
		UserFilters:          []*openfgav1.UserTypeFilter{{Type: "actor"}},
	})
	if err != nil {
		return nil, err
	}
	actors := make([]string, 0, len(answer.GetUsers()))
	for _, found := range answer.GetUsers() {
		if found.GetObject() == nil {
			return nil, errors.New("a list of users has one who is not an actor")
		}
		actors = append(actors, did+found.GetObject().GetId())
	}
	return actors, nil
}
