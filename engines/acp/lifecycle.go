package acp

import (
	"assay/acp/graph"
	"assay/acp/tuple"
)

// ArchiveDoc drops all relationships of a document; who owned it is kept, so that nobody else can
// register it. Only the owner may. It returns how many relationships were dropped. Errors:
// ErrNotFound, no such policy or resource, or the document is not registered; ErrUnauthorized;
// ErrForbidden, it is archived already; ErrUnauthenticated and ErrBadInput for a bad actor.
func (e *Engine) ArchiveDoc(actor, id, resource, doc string) (dropped int, err error) {
	err = e.owned(actor, id, resource, doc, false, func(g *graph.Graph, object tuple.Object) error {
		mark, err := g.Archived(object, actor)
		if err != nil {
			return classify(err)
		}
		for r := range g.View().Relationships(graph.Filter{Resource: resource, ID: &doc}) {
			fact, err := g.Fact(r)
			if err != nil {
				return classify(err)
			}
			e.change.Delete = append(e.change.Delete, fact)
		}
		dropped = len(e.change.Delete)
		e.change.Add = append(e.change.Add, mark)
		return nil
	})
	return dropped, err
}

// UnarchiveDoc makes an archived document active again, with its owner as its only relationship. Only
// the owner may. Errors as of ArchiveDoc; ErrForbidden, it is not archived.
func (e *Engine) UnarchiveDoc(actor, id, resource, doc string) error {
	return e.owned(actor, id, resource, doc, true, func(g *graph.Graph, object tuple.Object) error {
		mark, err := g.Archived(object, actor)
		if err != nil {
			return classify(err)
		}
		fact, err := g.Fact(ownership(object, actor))
		if err != nil {
			return classify(err)
		}
		e.change.Delete = append(e.change.Delete, mark)
		e.change.Add = append(e.change.Add, fact)
		return nil
	})
}

// TransferDoc makes another actor the owner of an active document. Only the owner may. The other
// relationships stay. Errors as of ArchiveDoc; ErrForbidden, it is archived; ErrConflict, the new owner is
// the present one.
func (e *Engine) TransferDoc(actor, id, resource, doc, newOwner string) error {
	if err := checkDID(newOwner); err != nil {
		return err
	}
	return e.owned(actor, id, resource, doc, false, func(g *graph.Graph, object tuple.Object) error {
		if newOwner == actor {
			return fail(ErrConflict, "%s is already registered to %s", object, actor)
		}
		for _, owner := range []string{actor, newOwner} {
			fact, err := g.Fact(ownership(object, owner))
			if err != nil {
				return classify(err)
			}
			if owner == actor {
				e.change.Delete = append(e.change.Delete, fact)
			} else {
				e.change.Add = append(e.change.Add, fact)
			}
		}
		return nil
	})
}

// owned makes a change that only the owner of a document may make, while it is archived or active.
func (e *Engine) owned(actor, id, resource, doc string, archived bool, prepare func(*graph.Graph, tuple.Object) error) error {
	if err := checkRequester(actor); err != nil {
		return err
	}
	if err := e.begin(); err != nil {
		return err
	}
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	en, g, err := e.entry(id)
	if err == nil {
		object := tuple.Object{Resource: resource, ID: doc}
		if err = e.checkOwner(g.View(), object, actor, archived); err == nil {
			err = prepare(g, object)
		}
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

func (e *Engine) checkOwner(v graph.View, object tuple.Object, actor string, wantArchived bool) error {
	owner, archived, err := e.owner(v, object.Resource, object.ID)
	switch {
	case err != nil:
		return err
	case owner == "":
		return fail(ErrNotFound, "%s is not registered", object)
	case owner != actor:
		return fail(ErrUnauthorized, "%s is registered to another actor", object)
	case archived && !wantArchived:
		return fail(ErrForbidden, "%s is archived", object)
	case !archived && wantArchived:
		return fail(ErrForbidden, "%s is not archived", object)
	}
	return nil
}
