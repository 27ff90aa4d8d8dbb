package acp

import (
	"fmt"

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
// administrators. Actors need not be DIDs. An owner relationship registers its document; the archived
// documents, each given by its owner, lose all others. Relationships that are there already stay. Errors,
// which name the relationship: ErrNotFound, no such policy, resource or relation; ErrBadInput, an empty
// id, a subject that the types do not take, or an owner that is not an actor; ErrConflict, a second
// owner; ErrForbidden, another relationship than that of its owner on an archived document.
func (e *Engine) Load(id string, relationships, archived []tuple.Relationship) error {
	return e.update(func() (*entry, *graph.Graph, error) {
		en, g, err := e.entry(id)
		if err != nil {
			return nil, nil, err
		}
		return en, g, e.load(g, relationships, archived)
	})
}

// load adds relationships and archived documents to the change under way.
func (e *Engine) load(g *graph.Graph, relationships, archived []tuple.Relationship) error {
	given := loading{active: map[tuple.Object]string{}, archived: map[tuple.Object]string{}}
	for i := range archived {
		if err := e.loadArchived(g, &archived[i], given); err != nil {
			return fmt.Errorf("archived document, owner %s: %w", archived[i], err)
		}
	}
	for i := range relationships {
		if err := e.loadActive(g, &relationships[i], given); err != nil {
			return fmt.Errorf("relationship %s: %w", relationships[i], err)
		}
	}
	return nil
}

// loading has the owners given before, of active and of archived documents.
type loading struct{ active, archived map[tuple.Object]string }

func (e *Engine) loadActive(g *graph.Graph, r *tuple.Relationship, given loading) error {
	fact, err := g.Fact(*r)
	if err != nil {
		return classify(err)
	}
	owner, archived := g.View().OwnerNumber(fact.Object.Resource, fact.Object.Number)
	if given.archived[r.Object] != "" || archived && r.Relation != policy.Owner {
		return fail(ErrForbidden, "the object is archived")
	}
	e.change.Add = append(e.change.Add, fact)
	if r.Relation != policy.Owner {
		return nil
	}
	if archived {
		mark := fact
		mark.Slot = g.ArchivedSlot(fact)
		e.change.Delete = append(e.change.Delete, mark)
	}
	return setOwner(r, fact, owner, given.active)
}

func (e *Engine) loadArchived(g *graph.Graph, r *tuple.Relationship, given loading) error {
	if r.Relation != policy.Owner {
		return fail(ErrBadInput, "expected the relation %s", policy.Owner)
	}
	fact, err := g.Fact(*r)
	if err != nil {
		return classify(err)
	}
	v := g.View()
	owner, _ := v.OwnerNumber(fact.Object.Resource, fact.Object.Number)
	if err := setOwner(r, fact, owner, given.archived); err != nil {
		return err
	}
	fact.Slot = g.ArchivedSlot(fact)
	e.change.Add = append(e.change.Add, fact)
	return e.drop(g, r.Object)
}

// setOwner notes the owner that a relationship gives, unless there is another one.
func setOwner(r *tuple.Relationship, fact graph.Fact, owner uint32, given map[tuple.Object]string) error {
	actor := r.Subject.Object.ID
	if r.Subject.Kind != tuple.Actor {
		return fail(ErrBadInput, "expected an actor as owner")
	}
	if before := given[r.Object]; owner != 0 && owner != fact.Subject.Number || before != "" && before != actor {
		return fail(ErrConflict, "the object has another owner")
	}
	given[r.Object] = actor
	return nil
}
