package acp

import (
	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// RegisterDocs is RegisterDoc for many documents of one actor, in one atomic change: when one of them
// is refused, none is registered. A document may not be given twice.
func (e *Engine) RegisterDocs(actor, id, resource string, docs []string) ([]Registration, error) {
	done := make([]Registration, 0, len(docs))
	seen := make(map[string]bool, len(docs))
	err := e.update(func() (*entry, *graph.Graph, error) {
		en, g, err := e.entry(id)
		if err != nil {
			return nil, nil, err
		}
		for _, doc := range docs {
			_, _, r, err := e.register(actor, id, resource, doc)
			if err == nil && seen[doc] {
				err = fail(ErrBadInput, "document %q is given twice", doc)
			}
			if err != nil {
				return nil, nil, err
			}
			seen[doc] = true
			done = append(done, r)
		}
		return en, g, nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// Grant is the arguments of AddRelationship, the requester apart.
type Grant struct {
	Resource, Doc, Relation, Target string
}

// AddRelationships is AddRelationship for many relationships, in one atomic change: when one of them is
// refused, none is set. The authority to set them is looked at before any of them is. It returns
// which were there before.
func (e *Engine) AddRelationships(id, requester string, grants []Grant) (existed []bool, err error) {
	existed = make([]bool, 0, len(grants))
	err = e.update(func() (*entry, *graph.Graph, error) {
		en, g, err := e.entry(id)
		if err != nil {
			return nil, nil, err
		}
		for _, grant := range grants {
			_, _, fact, err := e.managed(id, grant.Resource, grant.Doc, grant.Relation, requester, grant.Target)
			if err != nil {
				return nil, nil, err
			}
			there := g.View().Has(fact)
			existed = append(existed, there)
			if !there {
				e.change.Add = append(e.change.Add, fact)
			}
		}
		return en, g, nil
	})
	if err != nil {
		return nil, err
	}
	return existed, nil
}

// Load sets relationships in one atomic change and asks for nobody's authority: it is for imports and
// administrators. Actors need not be DIDs. An owner relationship registers its document. Relationships
// that are there already stay. Errors: ErrNotFound, no such policy, resource or relation; ErrBadInput, an
// empty id, a subject that the types do not take, or an owner that is not an actor; ErrConflict, a
// second owner; ErrForbidden, another relationship than that of its owner on an archived document.
func (e *Engine) Load(id string, relationships []tuple.Relationship) error {
	return e.update(func() (*entry, *graph.Graph, error) {
		en, g, err := e.entry(id)
		if err != nil {
			return nil, nil, err
		}
		owners := map[tuple.Object]string{}
		for i := range relationships {
			if err := e.load(g, &relationships[i], owners); err != nil {
				return nil, nil, err
			}
		}
		return en, g, nil
	})
}

// load adds a relationship to the change under way; owners are those given before.
func (e *Engine) load(g *graph.Graph, r *tuple.Relationship, owners map[tuple.Object]string) error {
	if r.Object.ID == "" {
		return fail(ErrBadInput, "relationship %s has an empty object id", r)
	}
	fact, err := g.Fact(*r)
	if err != nil {
		return classify(err)
	}
	v := g.View()
	owner, archived := v.OwnerNumber(fact.Object.Resource, fact.Object.Number)
	if r.Relation != policy.Owner {
		if archived {
			return fail(ErrForbidden, "%s is archived", r.Object)
		}
		e.change.Add = append(e.change.Add, fact)
		return nil
	}
	actor := r.Subject.Object.ID
	if r.Subject.Kind != tuple.Actor {
		return fail(ErrBadInput, "relationship %s: expected an actor as owner", r)
	}
	if before := owners[r.Object]; owner != 0 && owner != fact.Subject.Number || before != "" && before != actor {
		return fail(ErrConflict, "relationship %s: the object has another owner", r)
	}
	owners[r.Object] = actor
	e.change.Add = append(e.change.Add, fact)
	if archived {
		fact.Slot = g.ArchivedSlot(fact)
		e.change.Delete = append(e.change.Delete, fact)
	}
	return nil
}
