// Package casbin drives casbin with the common workloads, in two models: one role for each document,
// and one rule for each document and action. It holds rules and answers by them: who may change them
// is not its concern.
package casbin

import (
	"github.com/casbin/casbin/v3"
	"github.com/casbin/casbin/v3/model"

	"assay/acp/bench/docbench"
)

const (
	owner = "owner"
	write = "write"
)

// rolesModel has the relations as roles: owner and reader of a document are what actors are there,
// and a rule says for all documents what a role may do.
const rolesModel = `
[request_definition]
r = sub, obj, act

[policy_definition]
p = sub, act

[role_definition]
g = _, _, _

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.act == p.act && g(r.sub, p.sub, r.obj)
`

// roles are the permissions of the published policy.
var roles = docbench.Engine{Open: func() (docbench.Store, error) {
	e, err := start(rolesModel)
	if err != nil {
		return nil, err
	}
	_, err = e.AddPolicies([][]string{
		{owner, docbench.Read}, {owner, write}, {docbench.Reader, docbench.Read},
	})
	return rolesStore{e}, err
}}

func start(text string) (*casbin.Enforcer, error) {
	m, err := model.NewModelFromString(text)
	if err != nil {
		return nil, err
	}
	return casbin.NewEnforcer(m)
}

type rolesStore struct{ *casbin.Enforcer }

func (s rolesStore) Close() error { return nil }

func (s rolesStore) Register(actor, doc string) error {
	_, err := s.AddGroupingPolicy(actor, owner, doc)
	return err
}

func (s rolesStore) IsRegistered(doc string) (bool, error) {
	found, err := s.GetFilteredGroupingPolicy(1, owner, doc)
	return len(found) > 0, err
}

func (s rolesStore) Check(actor, doc string) (bool, error) {
	return s.Enforce(actor, doc, docbench.Read)
}

func (s rolesStore) CheckBatch(actor string, docs []string) ([]bool, error) {
	return checkBatch(s.Enforcer, actor, docs)
}

func checkBatch(e *casbin.Enforcer, actor string, docs []string) ([]bool, error) {
	requests := make([][]any, len(docs))
	for i, doc := range docs {
		requests[i] = []any{actor, doc, docbench.Read}
	}
	return e.BatchEnforce(requests)
}

func (s rolesStore) Grant(_, doc, actor string) error {
	_, err := s.AddGroupingPolicy(actor, docbench.Reader, doc)
	return err
}

func (s rolesStore) Revoke(_, doc, actor string) error {
	_, err := s.RemoveGroupingPolicy(actor, docbench.Reader, doc)
	return err
}

// rulesModel has a rule for each actor, document and action.
const rulesModel = `
[request_definition]
r = sub, obj, act

[policy_definition]
p = sub, obj, act

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = r.sub == p.sub && r.obj == p.obj && r.act == p.act
`

var rules = docbench.Engine{Open: func() (docbench.Store, error) {
	e, err := start(rulesModel)
	return rulesStore{e}, err
}}

type rulesStore struct{ *casbin.Enforcer }

func (s rulesStore) Close() error { return nil }

func (s rulesStore) Register(actor, doc string) error {
	_, err := s.AddPolicies([][]string{{actor, doc, docbench.Read}, {actor, doc, write}})
	return err
}

// IsRegistered asks whether someone may write the document, as there are no owners.
func (s rulesStore) IsRegistered(doc string) (bool, error) {
	found, err := s.GetFilteredPolicy(1, doc, write)
	return len(found) > 0, err
}

func (s rulesStore) Check(actor, doc string) (bool, error) {
	return s.Enforce(actor, doc, docbench.Read)
}

func (s rulesStore) Grant(_, doc, actor string) error {
	_, err := s.AddPolicy(actor, doc, docbench.Read)
	return err
}

func (s rulesStore) Revoke(_, doc, actor string) error {
	_, err := s.RemovePolicy(actor, doc, docbench.Read)
	return err
}
