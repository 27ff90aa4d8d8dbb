// Package cedar drives cedar-go with the common workloads. Cedar decides by policies over entities
// that the caller holds: here in cedar's own map, where registering a document is an insert of ours
// that checks nothing. Revoking takes a reader out of the set in the document's entity.
package cedar

import (
	"fmt"

	"github.com/cedar-policy/cedar-go"

	"assay/acp/bench/docbench"
)

const policies = `
permit (principal, action in [Action::"read", Action::"write"], resource)
when { resource has owner && resource.owner == principal };

permit (principal, action == Action::"read", resource)
when { resource has readers && resource.readers.contains(principal) };
`

var engine = docbench.Engine{Open: open}

type store struct {
	policies *cedar.PolicySet
	entities cedar.EntityMap
}

func open() (docbench.Store, error) {
	set, err := cedar.NewPolicySetFromBytes("published", []byte(policies))
	return store{set, cedar.EntityMap{}}, err
}

func (s store) Close() error { return nil }

func uid(doc string) cedar.EntityUID {
	return cedar.NewEntityUID(docbench.Resource, cedar.String(doc))
}

func user(actor string) cedar.EntityUID { return cedar.NewEntityUID("actor", cedar.String(actor)) }

func (s store) Register(actor, doc string) error {
	id := uid(doc)
	s.entities[id] = cedar.Entity{
		UID:        id,
		Attributes: cedar.NewRecord(cedar.RecordMap{"owner": user(actor)}),
	}
	return nil
}

func (s store) IsRegistered(doc string) (bool, error) {
	_, ok := s.entities[uid(doc)]
	return ok, nil
}

var read = cedar.NewEntityUID("Action", docbench.Read)

func (s store) Check(actor, doc string) (bool, error) {
	decision, diagnostic := cedar.Authorize(s.policies, s.entities, cedar.Request{
		Principal: user(actor),
		Action:    read,
		Resource:  uid(doc),
	})
	if len(diagnostic.Errors) > 0 {
		return false, fmt.Errorf("%v", diagnostic.Errors)
	}
	return decision == cedar.Allow, nil
}

func (s store) Grant(_, doc, actor string) error {
	return s.setReaders(doc, func(readers map[cedar.Value]bool) { readers[user(actor)] = true })
}

func (s store) Revoke(_, doc, actor string) error {
	return s.setReaders(doc, func(readers map[cedar.Value]bool) { delete(readers, user(actor)) })
}

// setReaders makes a new set of readers, as cedar's sets do not change.
func (s store) setReaders(doc string, change func(map[cedar.Value]bool)) error {
	entity, ok := s.entities[uid(doc)]
	if !ok {
		return fmt.Errorf("document %s is not registered", doc)
	}
	readers := map[cedar.Value]bool{}
	if old, ok := entity.Attributes.Get("readers"); ok {
		for reader := range old.(cedar.Set).All() {
			readers[reader] = true
		}
	}
	change(readers)
	values := make([]cedar.Value, 0, len(readers))
	for reader := range readers {
		values = append(values, reader)
	}
	attributes := entity.Attributes.Map()
	attributes["readers"] = cedar.NewSet(values...)
	entity.Attributes = cedar.NewRecord(attributes)
	s.entities[entity.UID] = entity
	return nil
}
