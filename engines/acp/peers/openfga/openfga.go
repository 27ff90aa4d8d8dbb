// Package openfga drives OpenFGA, in process and without its HTTP and gRPC servers, with its store in
// memory. It keeps relationships and answers by them: who may change them is not its concern.
package openfga

import (
	"context"
	"errors"
	"strings"

	openfgav1 "github.com/openfga/api/proto/openfga/v1"
	"github.com/openfga/language/pkg/go/transformer"
	"github.com/openfga/openfga/pkg/server"
	"github.com/openfga/openfga/pkg/storage/memory"

	"assay/acp/bench/docbench"
)

var engine = docbench.Engine{Open: open}

// model is the published policy.
const model = `model
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
	ctx := context.Background()
	s := server.MustNewServerWithOpts(
		server.WithDatastore(memory.New()),
		server.WithListObjectsMaxResults(0),
		server.WithListUsersMaxResults(0),
		server.WithMaxChecksPerBatchCheck(1000),
	)
	made, err := s.CreateStore(ctx, &openfgav1.CreateStoreRequest{Name: "docbench"})
	if err != nil {
		return nil, err
	}
	parsed, err := transformer.TransformDSLToProto(model)
	if err != nil {
		return nil, err
	}
	written, err := s.WriteAuthorizationModel(ctx, &openfgav1.WriteAuthorizationModelRequest{
		StoreId:         made.GetId(),
		SchemaVersion:   parsed.GetSchemaVersion(),
		TypeDefinitions: parsed.GetTypeDefinitions(),
	})
	if err != nil {
		return nil, err
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
	for ; len(docs) > 0; docs = docs[min(mostTuples, len(docs)):] {
		var keys []*openfgav1.TupleKey
		for _, doc := range docs[:min(mostTuples, len(docs))] {
			keys = append(keys, &openfgav1.TupleKey{Object: object(doc), Relation: owner, User: user(actor)})
		}
		_, err := s.server.Write(context.Background(), &openfgav1.WriteRequest{
			StoreId:              s.id,
			AuthorizationModelId: s.model,
			Writes:               &openfgav1.WriteRequestWrites{TupleKeys: keys},
		})
		if err != nil {
			return err
		}
	}
	return nil
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
