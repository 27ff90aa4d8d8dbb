package acp

import (
	"assay/acp/graph"
	"assay/acp/tuple"
)

// ArchiveDoc drops all relationships of a document; who owned it is kept, so that nobody else can
// register it. Only the owner may. It returns how many relationships were dropped. Errors:
// ErrNotFound, no such policy or resource, or the document is not registered; ErrUnauthorized;
// ErrConflict, it is archived already; ErrUnauthenticated and ErrBadInput for a bad actor.
func (e *Engine) ArchiveDoc(actor, id, resource, doc string) (dropped int, err error) {
	err = e.owned(actor, id, resource, doc, func(g *graph.Graph, object tuple.Object, archived bool) error {
		if archived {
			return fail(ErrConflict, "%s is archived already", object)
		}
		mark, err := g.Archived(object, actor)
		if err != nil {
			return classify(err)
		}
		e.change.Add = append(e.change.Add, mark)
		err = e.drop(g, object)
		dropped = len(e.change.Delete)
		return err
	})
	return dropped, err
}

// drop adds the deletion of all relationships of an object to the change under way.
func (e *Engine) drop(g *graph.Graph, object tuple.Object) error {
	for r := range g.View().Relationships(graph.Filter{Resource: object.Resource, ID: &object.ID}) {
		fact, err := g.Fact(r)
		if err != nil {
			return classify(err)
		}
		e.change.Delete = append(e.change.Delete, fact)
	}
	return nil
}

// UnarchiveDoc makes an archived document active again, with its owner as its only relationship. Only
// the owner may. Errors as of ArchiveDoc; ErrConflict, it is not archived.
func (e *Engine) UnarchiveDoc(actor, id, resource, doc string) error {
	return e.owned(actor, id, resource, doc, func(g *graph.Graph, object tuple.Object, archived bool) error {
		if !archived {
			return fail(ErrConflict, "%s is not archived", object)
		}
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
// relationships stay. Errors as of ArchiveDoc; ErrForbidden, it is archived.
func (e *Engine) TransferDoc(actor, id, resource, doc, newOwner string) error {
	if err := checkDID(newOwner); err != nil {
		return err
	}
	return e.owned(actor, id, resource, doc, func(g *graph.Graph, object tuple.Object, archived bool) error {
		if archived {
			return fail(ErrForbidden, "%s is archived", object)
		}
		if newOwner == actor {
			return nil
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

// owned makes a change that only the owner of a document may make.
func (e *Engine) owned(actor, id, resource, doc string, prepare func(g *graph.Graph, object tuple.Object, archived bool) error) error {
	if err := checkRequester(actor); err != nil {
		return err
	}
	if err := checkDoc(resource, doc); err != nil {
		return err
	}
	return e.update(func() (*entry, *graph.Graph, error) {
		en, g, err := e.entry(id)
		if err != nil {
			return nil, nil, err
		}
		object := tuple.Object{Resource: resource, ID: doc}
		archived, err := e.checkOwner(g.View(), object, actor)
		if err != nil {
			return nil, nil, err
		}
		return en, g, prepare(g, object, archived)
	})
}

// checkOwner refuses whoever does not own a document.
func (e *Engine) checkOwner(v graph.View, object tuple.Object, actor string) (archived bool, err error) {
	owner, archived, err := e.owner(v, object.Resource, object.ID)
	switch {
	case err != nil:
		return false, err
	case owner == "":
		return false, fail(ErrNotFound, "%s is not registered", object)
	case owner != actor:
		return false, fail(ErrUnauthorized, "%s is registered to another actor", object)
	}
	return archived, nil
}
