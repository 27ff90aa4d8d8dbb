package acp

import (
	"strings"

	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// Registration says what RegisterDoc did.
type Registration uint8

const (
	Registered Registration = iota + 1 // the actor is now the owner
	Unarchived                         // the actor's own archived document is active again
)

// Access is a way to use a document.
type Access uint8

const (
	Read  Access = iota // by the permission read, or else write
	Write               // by the permission write
)

// RegisterDoc makes an actor the owner of a document. Errors: ErrConflict, the actor owns it and it is
// active; ErrUnauthorized, somebody else owns it, active or archived; ErrUnauthenticated, no actor;
// ErrBadInput, not a DID, an empty or too long id, or an owner relation that takes no actors;
// ErrNotFound, no such policy or resource.
func (e *Engine) RegisterDoc(actor, id, resource, doc string) (Registration, error) {
	var done Registration
	err := e.update(func() (en *entry, g *graph.Graph, err error) {
		en, g, done, err = e.register(actor, id, resource, doc)
		return en, g, err
	})
	if err == nil && e.options.Index == IndexScan {
		// The old generation read back what it had written.
		_, _ = e.IsDocRegistered(id, resource, doc)
	}
	return done, err
}

// register adds the registration of a document to the change under way.
func (e *Engine) register(actor, id, resource, doc string) (*entry, *graph.Graph, Registration, error) {
	if err := checkRequester(actor); err != nil {
		return nil, nil, 0, err
	}
	if err := checkDoc(resource, doc); err != nil {
		return nil, nil, 0, err
	}
	en, g, err := e.entry(id)
	if err != nil {
		return nil, nil, 0, err
	}
	object := tuple.Object{Resource: resource, ID: doc}
	fact, err := g.Fact(ownership(object, actor))
	if err != nil {
		return nil, nil, 0, classify(err)
	}
	done := Registered
	owner, archived := e.ownerNumber(g.View(), object, &fact)
	switch {
	case owner == 0:
	case owner != fact.Subject.Number:
		return nil, nil, 0, fail(ErrUnauthorized, "%s is registered to another actor", object)
	case !archived:
		return nil, nil, 0, fail(ErrConflict, "%s is already registered to %s", object, actor)
	default:
		done = Unarchived
		mark := fact
		mark.Slot = g.ArchivedSlot(fact)
		e.change.Delete = append(e.change.Delete, mark)
	}
	e.change.Add = append(e.change.Add, fact)
	return en, g, done, nil
}

func ownership(object tuple.Object, actor string) tuple.Relationship {
	return tuple.Relationship{
		Object:   object,
		Relation: policy.Owner,
		Subject:  tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: actor}},
	}
}

// ownerNumber returns the owner of the object of a fact.
func (e *Engine) ownerNumber(v graph.View, object tuple.Object, f *graph.Fact) (owner uint32, archived bool) {
	if e.options.Index == IndexScan {
		e.scanOwner(v, object)
	}
	return v.OwnerNumber(f.Object.Resource, f.Object.Number)
}

// owner returns the owner of a document, "" when it is not registered.
func (e *Engine) owner(v graph.View, resource, doc string) (owner string, archived bool, err error) {
	object := tuple.Object{Resource: resource, ID: doc}
	if owner, archived, err = v.Owner(object); err != nil {
		return "", false, classify(err)
	}
	if e.options.Index == IndexScan && !archived {
		owner = e.scanOwner(v, object)
	}
	return owner, archived, nil
}

// scanOwner finds the owner of an active document among all relationships of the policy.
func (e *Engine) scanOwner(v graph.View, object tuple.Object) (owner string) {
	scanned := uint64(0)
	for r := range v.Relationships(graph.Filter{}) {
		scanned++
		if r.Object == object && r.Relation == policy.Owner && r.Subject.Kind == tuple.Actor && owner == "" {
			owner = r.Subject.Object.ID
		}
	}
	e.scanned.Add(scanned)
	return owner
}

// IsDocRegistered tells whether a document has an owner; archived ones have. Errors: ErrNotFound, no
// such policy or resource.
func (e *Engine) IsDocRegistered(id, resource, doc string) (bool, error) {
	_, g, err := e.entry(id)
	if err != nil {
		return false, err
	}
	if err := checkDoc(resource, doc); err != nil {
		return false, err
	}
	owner, _, err := e.owner(g.View(), resource, doc)
	return owner != "", err
}

// CheckDocAccess tells whether an actor may use a document. Who may write may read. Nobody may use
// a document that is not registered. The empty actor is nobody in particular: only * matches it.
// Errors: ErrNotFound, no such policy, resource or permission.
func (e *Engine) CheckDocAccess(a Access, actor, id, resource, doc string) (bool, error) {
	_, g, err := e.entry(id)
	if err != nil {
		return false, err
	}
	if err := checkDoc(resource, doc); err != nil {
		return false, err
	}
	r, err := g.Resource(resource)
	if err != nil {
		return false, classify(err)
	}
	v := g.View()
	object, who := g.Object(r, doc), g.Actor(actor)
	registered := func() bool { // asked last: who has access to a document is rarely not let in by this
		owner, _ := v.OwnerNumber(r, object)
		return owner != 0
	}
	if a == Read {
		slot := g.ReadSlot(r)
		if slot == 0 {
			_, err := g.Slot(r, "read")
			return false, classify(err)
		}
		if v.CheckNumbers(slot, object, who) {
			return registered(), nil
		}
	}
	slot := g.WriteSlot(r)
	if slot == 0 {
		_, err := g.Slot(r, "write")
		return false, classify(err)
	}
	return v.CheckNumbers(slot, object, who) && registered(), nil
}

// update makes the change that prepare puts into e.change, and waits until it is as durable as promised.
func (e *Engine) update(prepare func() (*entry, *graph.Graph, error)) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	en, g, err := prepare()
	if err == nil {
		err = e.commit(en, g)
	}
	if err != nil {
		e.mu.Unlock()
		return err
	}
	return e.end()
}

// commit logs and makes the change under way. It needs begin.
func (e *Engine) commit(en *entry, g *graph.Graph) error {
	if len(e.change.Delete)+len(e.change.Add) == 0 {
		return nil
	}
	if err := g.Room(&e.change); err != nil {
		return classify(err)
	}
	if e.log != nil {
		e.record = appendChange(e.record[:0], en.number, &e.change)
		if err := e.append(e.record); err != nil {
			return err
		}
	}
	g.Apply(&e.change)
	return nil
}

// checkDoc refuses what cannot be a document.
func checkDoc(resource, doc string) error {
	if resource == "" || doc == "" {
		return fail(ErrBadInput, "document %q of resource %q: expected that neither is empty", doc, resource)
	}
	return nil
}

// checkRequester refuses who cannot ask for a change.
func checkRequester(actor string) error {
	if actor == "" {
		return fail(ErrUnauthenticated, "an actor is needed, and there is none")
	}
	return checkDID(actor)
}

// checkDID refuses what is not did:method:id.
func checkDID(actor string) error {
	method, id, found := strings.Cut(strings.TrimPrefix(actor, "did:"), ":")
	if !found || method == "" || id == "" || !strings.HasPrefix(actor, "did:") {
		return fail(ErrBadInput, "%q is not a DID: expected did:method:id", actor)
	}
	return nil
}
