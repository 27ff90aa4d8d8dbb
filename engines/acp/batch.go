package acp

import (
	"assay/acp/graph"
	"assay/acp/policy"
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

// Load sets relationships in one atomic change and asks for nobody's authority: it is for imports and
// administrators. Actors need not be DIDs. An owner relationship registers its document. Relationships
// that are there already stay. Errors: ErrNotFound, no such policy, resource or relation; ErrBadInput, an
// empty id, a subject that the types do not take, or an owner that is not an actor; ErrConflict, a
// second owner; ErrForbidden, another relationship than that of its owner on an archived document.
func (e *Engine) Load(id string, relationships []tuple.Relationship) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	en, g, err := e.entry(id)
	owners := map[tuple.Object]string{}
	for i := range relationships {
		if err != nil {
			break
		}
		err = e.load(g, &relationships[i], owners)
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
