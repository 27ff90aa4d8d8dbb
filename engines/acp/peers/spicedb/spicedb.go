// Package spicedb drives SpiceDB, in process, with its store in memory. It is reached through gRPC
// over a pipe in memory, as it has no other interface. It keeps relationships and answers by them: who
// may change them is not its concern. Checks are fully consistent, as those of the other engines.
package spicedb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	v1 "github.com/authzed/authzed-go/proto/authzed/api/v1"
	"github.com/authzed/spicedb/pkg/cmd/datastore"
	"github.com/authzed/spicedb/pkg/cmd/server"
	"github.com/authzed/spicedb/pkg/cmd/util"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"assay/acp/bench/docbench"
)

var engine = docbench.Engine{Open: open, Load: load}

// published is the published policy.
const published = `
definition actor {}

definition users {
	relation owner: actor
	relation reader: actor
	permission read = owner + reader
	permission write = owner
}
`

type store struct {
	v1.PermissionsServiceClient
	connection *grpc.ClientConn
	stop       context.CancelFunc
	stopped    chan error
}

func open() (docbench.Store, error) { return openSchema(published) }

// openSchema opens an empty store with a schema.
func openSchema(schema string) (store, error) {
	ctx, stop := context.WithCancel(context.Background())
	memory, err := datastore.NewDatastore(ctx, datastore.DefaultDatastoreConfig().ToOption())
	if err != nil {
		stop()
		return store{}, err
	}
	runnable, err := server.NewConfigWithOptionsAndDefaults(
		server.WithDatastore(memory),
		server.WithGRPCServer(util.GRPCServerConfig{Network: util.BufferedNetwork, Enabled: true}),
		server.WithGRPCAuthFunc(func(ctx context.Context) (context.Context, error) { return ctx, nil }),
		server.WithHTTPGateway(util.HTTPServerConfig{}),
		server.WithMetricsAPI(util.HTTPServerConfig{}),
		server.WithDispatchServer(util.GRPCServerConfig{}),
		server.WithSilentlyDisableTelemetry(true),
		server.WithMaximumUpdatesPerWrite(mostUpdates),
	).Complete(ctx)
	if err != nil {
		stop()
		return store{}, err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- runnable.Run(ctx) }()
	connection, err := runnable.GRPCDialContext(ctx, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		stop()
		return store{}, err
	}
	s := store{v1.NewPermissionsServiceClient(connection), connection, stop, stopped}
	_, err = v1.NewSchemaServiceClient(connection).WriteSchema(ctx, &v1.WriteSchemaRequest{Schema: schema})
	return s, err
}

func (s store) Close() error {
	err := s.connection.Close()
	s.stop()
	if stopped := <-s.stopped; !errors.Is(stopped, context.Canceled) {
		err = errors.Join(err, stopped)
	}
	return err
}

// SpiceDB takes no colon in an id, so an actor is named by the part of its DID behind the method.
const did = "did:key:"

func subject(actor string) *v1.SubjectReference {
	return &v1.SubjectReference{Object: &v1.ObjectReference{
		ObjectType: "actor",
		ObjectId:   strings.TrimPrefix(actor, did),
	}}
}

func object(doc string) *v1.ObjectReference {
	return &v1.ObjectReference{ObjectType: docbench.Resource, ObjectId: doc}
}

const owner = "owner"

var consistent = &v1.Consistency{Requirement: &v1.Consistency_FullyConsistent{FullyConsistent: true}}

// mostUpdates is how many relationships a write may have.
const mostUpdates = 1000

func (s store) write(operation v1.RelationshipUpdate_Operation, relation, actor string, docs ...string) error {
	updates := make([]*v1.RelationshipUpdate, len(docs))
	for i, doc := range docs {
		updates[i] = &v1.RelationshipUpdate{
			Operation:    operation,
			Relationship: &v1.Relationship{Resource: object(doc), Relation: relation, Subject: subject(actor)},
		}
	}
	return s.update(updates)
}

func (s store) update(updates []*v1.RelationshipUpdate) error {
	for ; len(updates) > 0; updates = updates[min(mostUpdates, len(updates)):] {
		_, err := s.WriteRelationships(context.Background(), &v1.WriteRelationshipsRequest{
			Updates: updates[:min(mostUpdates, len(updates))],
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s store) Register(actor, doc string) error {
	return s.write(v1.RelationshipUpdate_OPERATION_CREATE, owner, actor, doc)
}

func (s store) RegisterBatch(actor string, docs []string) error {
	return s.write(v1.RelationshipUpdate_OPERATION_CREATE, owner, actor, docs...)
}

func (s store) IsRegistered(doc string) (bool, error) {
	found, err := s.ReadRelationships(context.Background(), &v1.ReadRelationshipsRequest{
		Consistency: consistent,
		RelationshipFilter: &v1.RelationshipFilter{
			ResourceType:       docbench.Resource,
			OptionalResourceId: doc,
			OptionalRelation:   owner,
		},
		OptionalLimit: 1,
	})
	if err != nil {
		return false, err
	}
	owners, err := receiveAll(found.Recv)
	return len(owners) > 0, err
}

// receiveAll reads a stream to its end.
func receiveAll[T any](receive func() (T, error)) (all []T, err error) {
	for {
		item, err := receive()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
}

func (s store) Check(actor, doc string) (bool, error) {
	answer, err := s.CheckPermission(context.Background(), &v1.CheckPermissionRequest{
		Consistency: consistent,
		Resource:    object(doc),
		Permission:  docbench.Read,
		Subject:     subject(actor),
	})
	if err != nil {
		return false, err
	}
	return answer.GetPermissionship() == v1.CheckPermissionResponse_PERMISSIONSHIP_HAS_PERMISSION, nil
}

func (s store) CheckBatch(actor string, docs []string) ([]bool, error) {
	items := make([]*v1.CheckBulkPermissionsRequestItem, len(docs))
	for i, doc := range docs {
		items[i] = &v1.CheckBulkPermissionsRequestItem{
			Resource: object(doc), Permission: docbench.Read, Subject: subject(actor),
		}
	}
	answer, err := s.CheckBulkPermissions(context.Background(), &v1.CheckBulkPermissionsRequest{
		Consistency: consistent,
		Items:       items,
	})
	if err != nil {
		return nil, err
	}
	allowed := make([]bool, len(answer.GetPairs()))
	for i, pair := range answer.GetPairs() {
		if pair.GetError() != nil {
			return nil, fmt.Errorf("check of document %s: %v", docs[i], pair.GetError())
		}
		allowed[i] = pair.GetItem().GetPermissionship() == v1.CheckPermissionResponse_PERMISSIONSHIP_HAS_PERMISSION
	}
	return allowed, nil
}

func (s store) Grant(_, doc, actor string) error {
	return s.write(v1.RelationshipUpdate_OPERATION_CREATE, docbench.Reader, actor, doc)
}

func (s store) Revoke(_, doc, actor string) error {
	return s.write(v1.RelationshipUpdate_OPERATION_DELETE, docbench.Reader, actor, doc)
}

func (s store) ListDocs(actor string) ([]string, error) {
	found, err := s.LookupResources(context.Background(), &v1.LookupResourcesRequest{
		Consistency:        consistent,
		ResourceObjectType: docbench.Resource,
		Permission:         docbench.Read,
		Subject:            subject(actor),
	})
	if err != nil {
		return nil, err
	}
	all, err := receiveAll(found.Recv)
	docs := make([]string, len(all))
	for i, one := range all {
		docs[i] = one.GetResourceObjectId()
	}
	return docs, err
}

func (s store) ListActors(doc string) ([]string, error) {
	found, err := s.LookupSubjects(context.Background(), &v1.LookupSubjectsRequest{
		Consistency:       consistent,
		Resource:          object(doc),
		Permission:        docbench.Read,
		SubjectObjectType: "actor",
	})
	if err != nil {
		return nil, err
	}
	all, err := receiveAll(found.Recv)
	actors := make([]string, len(all))
	for i, one := range all {
		actors[i] = did + one.GetSubject().GetSubjectObjectId()
	}
	return actors, err
}
