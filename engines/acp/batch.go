package acp

import (
	"assay/acp/graph"
	"assay/acp/tuple"
)

// RegisterDocs is RegisterDoc for many documents of one actor, in one atomic change: when one of them
// is refused, none is registered. A document may not be given twice.
func (e *Engine) RegisterDocs(actor, id, resource string, docs []string) ([]Registration, error) {
	if err := e.begin(); err != nil {
		return nil, err
	}
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	done := make([]Registration, 0, len(docs))
	seen := make(map[string]bool, len(docs))
	en, g, err := e.entry(id)
	for _, doc := range docs {
		if err != nil {
			break
		}
		var r Registration
		if _, _, r, err = e.register(actor, id, resource, doc); err == nil && seen[doc] {
			err = fail(ErrBadInput, "document %q is given twice", doc)
		}
		seen[doc] = true
		done = append(done, r)
	}
	if err == nil {
		err = e.commit(en, g)
	}
	if err != nil {
		e.mu.Unlock()
		return nil, err
	}
	return done, e.end()
}

// Grant is the arguments of AddRelationship, the requester apart.
type Grant struct {
	Resource, Doc, Relation, Target string
}

// AddRelationships is AddRelationship for many relationships, in one atomic change: when one of them is
// refused, none is set. The authority to set them is looked at before any of them is. It returns
// which were there before.
func (e *Engine) AddRelationships(id, requester string, grants []Grant) (existed []bool, err error) {
	if err := e.begin(); err != nil {
		return nil, err
	}
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	existed = make([]bool, 0, len(grants))
	en, g, err := e.entry(id)
	for _, grant := range grants {
		if err != nil {
			break
		}
		var fact graph.Fact
		if _, _, fact, err = e.managed(id, grant.Resource, grant.Doc, grant.Relation, requester, grant.Target); err != nil {
			break
		}
		there := g.View().Has(fact)
		existed = append(existed, there)
		if !there {
			e.change.Add = append(e.change.Add, fact)
		}
	}
	if err == nil {
		err = e.commit(en, g)
	}
	if err != nil {
		e.mu.Unlock()
		return nil, err
	}
	return existed, e.end()
}

// Load sets relationships, also those of owners, in one atomic change, and asks for nobody's authority:
// it is for imports and administrators. Actors need not be DIDs. A relationship that is there already
// stays. Errors: ErrNotFound, no such policy, resource or relation; ErrBadInput, a subject that the
// types do not take; ErrForbidden, a relationship on an archived document.
func (e *Engine) Load(id string, relationships []tuple.Relationship) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	en, g, err := e.entry(id)
	for i := range relationships {
		if err != nil {
			break
		}
		var fact graph.Fact
		if fact, err = g.Fact(relationships[i]); err != nil {
			err = classify(err)
		} else if _, archived := g.View().OwnerNumber(fact.Object.Resource, fact.Object.Number); archived {
			err = fail(ErrForbidden, "%s is archived", relationships[i].Object)
		} else if relationships[i].Object.ID == "" {
			err = fail(ErrBadInput, "relationship %s has an empty object id", relationships[i])
		}
		e.change.Add = append(e.change.Add, fact)
	}
	if err == nil {
		err = e.commit(en, g)
	}
	if err != nil {
		e.mu.Unlock()
		return err
	}
	return e.end()
}
