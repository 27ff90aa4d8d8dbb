// Package acpcore drives sourcenetwork/acp_core with the common workloads. Both generations that the
// published report compares have the same API: the peers choose one each by their go.mod.
//
// The published benchmark calls DefraDB, which calls acp_core as this adapter does. Left out are the
// wrapping of errors and one call of a logger, which does not log, for each operation.
package acpcore

import (
	"context"
	"errors"
	"fmt"

	"github.com/sourcenetwork/acp_core/pkg/auth"
	"github.com/sourcenetwork/acp_core/pkg/engine"
	"github.com/sourcenetwork/acp_core/pkg/runtime"
	"github.com/sourcenetwork/acp_core/pkg/types"

	"assay/acp/bench/docbench"
	"assay/acp/tuple"
)

// Engine is acp_core with its maps in memory or, without any sync, LevelDB on disk.
var Engine = docbench.Engine{
	Open:    func() (docbench.Store, error) { return open(runtime.WithMemKV()) },
	OpenDir: func(dir string) (docbench.Store, error) { return open(runtime.WithPersistentKV(dir)) },
	Load:    load,
}

// core is acp_core with one policy.
type core struct {
	runtime runtime.RuntimeManager
	engine  types.ACPEngineServer
	policy  string
	actors  map[string]context.Context // as in the published benchmark, an identity is made once
}

func start(option runtime.Opt) (*core, error) {
	manager, err := runtime.NewRuntimeManager(option)
	if err != nil {
		return nil, err
	}
	return &core{manager, engine.NewACPEngine(manager), "", map[string]context.Context{}}, nil
}

// creator is the actor that adds the policies.
const creator = "did:key:zQ3shCreator"

func (c *core) addPolicy(text string) error {
	ctx, err := c.as(creator)
	if err != nil {
		return err
	}
	made, err := c.engine.CreatePolicy(ctx, &types.CreatePolicyRequest{
		Policy:      text,
		MarshalType: types.PolicyMarshalingType_SHORT_YAML,
	})
	if err != nil {
		return err
	}
	c.policy = made.Policy.Id
	return nil
}

// as returns the context in which the actor is the one who calls.
func (c *core) as(actor string) (context.Context, error) {
	if ctx, ok := c.actors[actor]; ok {
		return ctx, nil
	}
	principal, err := auth.NewDIDPrincipal(actor)
	if err != nil {
		return nil, err
	}
	ctx := auth.InjectPrincipal(context.Background(), principal)
	c.actors[actor] = ctx
	return ctx, nil
}

func (c *core) Close() error { return c.runtime.Terminate() }

func (c *core) register(actor string, object *types.Object) error {
	ctx, err := c.as(actor)
	if err != nil {
		return err
	}
	answer, err := c.engine.RegisterObject(ctx, &types.RegisterObjectRequest{PolicyId: c.policy, Object: object})
	if err != nil {
		return err
	}
	if answer.Result != types.RegistrationResult_Registered {
		return fmt.Errorf("registration of %s: %v", object.Id, answer.Result)
	}
	return nil
}

func (c *core) check(actor, permission string, object *types.Object) (bool, error) {
	answer, err := c.engine.VerifyAccessRequest(context.Background(), &types.VerifyAccessRequestRequest{
		PolicyId: c.policy,
		AccessRequest: &types.AccessRequest{
			Operations: []*types.Operation{{Object: object, Permission: permission}},
			Actor:      &types.Actor{Id: actor},
		},
	})
	if err != nil {
		return false, err
	}
	return answer.Valid, nil
}

func (c *core) set(requester string, relationship *types.Relationship) error {
	ctx, err := c.as(requester)
	if err != nil {
		return err
	}
	_, err = c.engine.SetRelationship(ctx, &types.SetRelationshipRequest{
		PolicyId: c.policy, Relationship: relationship,
	})
	return err
}

// store holds the published policy.
type store struct{ *core }

func open(option runtime.Opt) (docbench.Store, error) {
	c, err := start(option)
	if err != nil {
		return nil, err
	}
	found, err := c.engine.ListPolicies(context.Background(), &types.ListPoliciesRequest{})
	if err != nil {
		return nil, err
	}
	if len(found.Policies) > 0 {
		c.policy = found.Policies[0].Id
		return store{c}, nil
	}
	return store{c}, c.addPolicy(docbench.Policy)
}

func (s store) Register(actor, doc string) error {
	return s.register(actor, types.NewObject(docbench.Resource, doc))
}

func (s store) IsRegistered(doc string) (bool, error) {
	answer, err := s.engine.GetObjectRegistration(context.Background(), &types.GetObjectRegistrationRequest{
		PolicyId: s.policy, Object: types.NewObject(docbench.Resource, doc),
	})
	if err != nil {
		return false, err
	}
	return answer.IsRegistered, nil
}

// Check is the published CheckDocAccess: of the read permission, without the write permission that
// implies it in later versions.
func (s store) Check(actor, doc string) (bool, error) {
	return s.check(actor, docbench.Read, types.NewObject(docbench.Resource, doc))
}

func (s store) Grant(requester, doc, actor string) error {
	return s.set(requester, types.NewActorRelationship(docbench.Resource, doc, docbench.Reader, actor))
}

func (s store) Revoke(requester, doc, actor string) error {
	ctx, err := s.as(requester)
	if err != nil {
		return err
	}
	answer, err := s.engine.DeleteRelationship(ctx, &types.DeleteRelationshipRequest{
		PolicyId:     s.policy,
		Relationship: types.NewActorRelationship(docbench.Resource, doc, docbench.Reader, actor),
	})
	if err == nil && !answer.RecordFound {
		err = errors.New("the relationship to revoke is not there")
	}
	return err
}

// ListDocs filters relationships by their subject, as there is no listing of what an actor may read:
// right for this policy, whose relations all grant reading.
func (s store) ListDocs(actor string) ([]string, error) {
	answer, err := s.engine.FilterRelationships(context.Background(), &types.FilterRelationshipsRequest{
		PolicyId: s.policy,
		Selector: &types.RelationshipSelector{
			ObjectSelector:   &types.ObjectSelector{Selector: &types.ObjectSelector_ResourcePredicate{ResourcePredicate: docbench.Resource}},
			RelationSelector: &types.RelationSelector{Selector: &types.RelationSelector_Wildcard{Wildcard: &types.WildcardSelector{}}},
			SubjectSelector: &types.SubjectSelector{Selector: &types.SubjectSelector_Subject{
				Subject: &types.Subject{Subject: &types.Subject_Actor{Actor: &types.Actor{Id: actor}}},
			}},
		},
	})
	if err != nil {
		return nil, err
	}
	docs := make([]string, len(answer.Records))
	for i, record := range answer.Records {
		docs[i] = record.Relationship.Object.Id
	}
	return docs, nil
}

// graph holds any policy.
type graph struct{ *core }

func load(policy string, relationships []tuple.Relationship) (docbench.Graph, error) {
	c, err := start(runtime.WithMemKV())
	if err != nil {
		return nil, err
	}
	if err := c.addPolicy(policy); err != nil {
		return nil, err
	}
	owners := map[tuple.Object]string{}
	for _, r := range relationships {
		if r.Relation == "owner" {
			owners[r.Object] = r.Subject.Object.ID
			err = c.register(r.Subject.Object.ID, types.NewObject(r.Object.Resource, r.Object.ID))
		} else {
			err = c.set(owners[r.Object], translate(r))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
	}
	return graph{c}, nil
}

func translate(r tuple.Relationship) *types.Relationship {
	object, subject := r.Object, r.Subject.Object
	switch r.Subject.Kind {
	case tuple.All:
		return types.NewAllActorsRelationship(object.Resource, object.ID, r.Relation)
	case tuple.Entity:
		return types.NewRelationship(object.Resource, object.ID, r.Relation, subject.Resource, subject.ID)
	case tuple.Userset:
		return types.NewActorSetRelationship(object.Resource, object.ID, r.Relation,
			subject.Resource, subject.ID, r.Subject.Relation)
	default:
		return types.NewActorRelationship(object.Resource, object.ID, r.Relation, subject.ID)
	}
}

func (g graph) Check(object tuple.Object, permission, actor string) (bool, error) {
	return g.check(actor, permission, types.NewObject(object.Resource, object.ID))
}

// PolicyID returns the id that acp_core gives a policy, the first of a store.
func PolicyID(text string) (string, error) {
	c, err := start(runtime.WithMemKV())
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.addPolicy(text); err != nil {
		return "", err
	}
	return c.policy, nil
}
