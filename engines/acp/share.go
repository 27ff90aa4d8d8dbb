package acp

import (
	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// AddRelationship gives the target a relation to a document. The target is a DID, * for every actor,
// or an object or userset as text (group:g#member). It returns whether the relationship was there
// before; then nothing changes.
//
// Errors: ErrUnauthenticated, no requester; ErrBadInput, an empty argument, a requester or target that
// is not as told, a target that the relation's types do not take; ErrNotFound, no such policy,
// resource or relation, or the document is not registered; ErrForbidden, the relation is owner, or the
// document is archived; ErrUnauthorized, the requester does not manage the relation.
func (e *Engine) AddRelationship(id, resource, doc, relation, requester, target string) (existed bool, err error) {
	err = e.update(func() (*entry, *graph.Graph, error) {
		en, g, fact, err := e.managed(id, resource, doc, relation, requester, target)
		if err != nil {
			return nil, nil, err
		}
		if existed = g.View().Has(fact); !existed {
			e.change.Add = append(e.change.Add, fact)
		}
		return en, g, nil
	})
	return existed, err
}

// DeleteRelationship takes a relation to a document from the target. It returns whether the
// relationship was there. The errors are those of AddRelationship.
func (e *Engine) DeleteRelationship(id, resource, doc, relation, requester, target string) (found bool, err error) {
	err = e.update(func() (*entry, *graph.Graph, error) {
		en, g, fact, err := e.managed(id, resource, doc, relation, requester, target)
		if err != nil {
			return nil, nil, err
		}
		if found = g.View().Has(fact); found {
			e.change.Delete = append(e.change.Delete, fact)
		}
		return en, g, nil
	})
	return found, err
}

// managed checks that the requester may set and delete a relationship.
func (e *Engine) managed(id, resource, doc, relation, requester, target string) (en *entry, g *graph.Graph, fact graph.Fact, err error) {
	refuse := func(err error) (*entry, *graph.Graph, graph.Fact, error) { return nil, nil, graph.Fact{}, err }
	for _, argument := range [...]struct{ name, value string }{
		{"policy id", id}, {"resource", resource}, {"document id", doc}, {"relation", relation}, {"target", target},
	} {
		if argument.value == "" {
			return refuse(fail(ErrBadInput, "the %s is empty", argument.name))
		}
	}
	if err := checkRequester(requester); err != nil {
		return refuse(err)
	}
	subject, err := parseTarget(target)
	if err != nil {
		return refuse(err)
	}
	if en, g, err = e.entry(id); err != nil {
		return refuse(err)
	}
	object := tuple.Object{Resource: resource, ID: doc}
	if known := g.Policy().Resource(resource); relation == policy.Owner && known != nil {
		return refuse(fail(ErrForbidden, "the owner of %s is set by registering and transferring it only", object))
	}
	if fact, err = g.Fact(tuple.Relationship{Object: object, Relation: relation, Subject: subject}); err != nil {
		return refuse(classify(err))
	}
	v := g.View()
	switch owner, archived := e.ownerNumber(v, object, &fact); {
	case owner == 0:
		return refuse(fail(ErrNotFound, "%s is not registered", object))
	case archived:
		return refuse(fail(ErrForbidden, "%s is archived", object))
	}
	slot, err := g.Slot(fact.Object.Resource, policy.ManagementPrefix+relation)
	if err != nil {
		return refuse(classify(err))
	}
	if !v.CheckNumbers(slot, fact.Object.Number, g.Actor(requester)) {
		return refuse(fail(ErrUnauthorized, "%s does not manage relation %s of %s", requester, relation, object))
	}
	return en, g, fact, nil
}

// parseTarget reads the target of a relationship.
func parseTarget(target string) (tuple.Subject, error) {
	subject, err := tuple.ParseSubject(target)
	if err != nil {
		return subject, fail(ErrBadInput, "target: %w", err)
	}
	if subject.Kind == tuple.Actor {
		return subject, checkDID(subject.Object.ID)
	}
	return subject, nil
}
