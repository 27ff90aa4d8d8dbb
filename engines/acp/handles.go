package acp

import (
	"assay/acp/graph"
	"assay/acp/tuple"
)

// PolicyHandle is a policy whose id was looked up once. Handles stay right when the policy is edited,
// only slower; take new ones then. Of a deleted policy they answer no.
type PolicyHandle struct {
	engine *Engine
	entry  *entry
	graph  *graph.Graph
}

// PolicyHandle returns the handle of a policy. Errors: ErrNotFound.
func (e *Engine) PolicyHandle(id string) (*PolicyHandle, error) {
	en, g, err := e.entry(id)
	if err != nil {
		return nil, err
	}
	return &PolicyHandle{engine: e, entry: en, graph: g}, nil
}

// ResourceHandle is a resource of a policy.
type ResourceHandle struct {
	policy *PolicyHandle
	name   string
	number uint16
}

// Resource returns the handle of a resource. Errors: ErrNotFound.
func (p *PolicyHandle) Resource(name string) (*ResourceHandle, error) {
	number, err := p.graph.Resource(name)
	if err != nil {
		return nil, classify(err)
	}
	return &ResourceHandle{policy: p, name: name, number: number}, nil
}

// PermissionHandle is a permission of a resource.
type PermissionHandle struct {
	resource *ResourceHandle
	entry    *entry
	graph    *graph.Graph
	name     string
	slot     uint32
}

// Permission returns the handle of a permission or relation. Errors: ErrNotFound.
func (r *ResourceHandle) Permission(name string) (*PermissionHandle, error) {
	slot, err := r.policy.graph.Slot(r.number, name)
	if err != nil {
		return nil, classify(err)
	}
	return &PermissionHandle{resource: r, entry: r.policy.entry, graph: r.policy.graph, name: name, slot: slot}, nil
}

// ActorRef is an actor whose id was looked up once. If no relationship named the actor at that time,
// checks look the id up again.
type ActorRef struct {
	graph  *graph.Graph
	id     string
	number uint32
}

// Actor returns the reference to an actor; "" is the actor that only * matches.
func (p *PolicyHandle) Actor(id string) ActorRef {
	return ActorRef{graph: p.graph, id: id, number: p.graph.Actor(id)}
}

// DocRef is a document whose id was looked up once, as with ActorRef.
type DocRef struct {
	graph  *graph.Graph
	id     string
	number uint32
}

// Doc returns the reference to a document, or to any object of the resource.
func (r *ResourceHandle) Doc(id string) DocRef {
	g := r.policy.graph
	return DocRef{graph: g, id: id, number: g.Object(r.number, id)}
}

// Check tells whether an actor has the permission on a document of the resource, both from the same
// PolicyHandle. It takes no lock and allocates nothing.
func (p *PermissionHandle) Check(a ActorRef, d DocRef) bool {
	if p.entry.graph.Load() != p.graph || a.number == 0 || d.number == 0 || a.graph != p.graph || d.graph != p.graph {
		return p.checkNames(a.id, d.id)
	}
	return p.graph.View().CheckNumbers(p.slot, d.number, a.number)
}

func (p *PermissionHandle) checkNames(actor, doc string) bool {
	_, g, err := p.resource.policy.engine.entry(p.entry.id)
	if err != nil {
		return false
	}
	held, err := g.View().Check(p.name, actor, tuple.Object{Resource: p.resource.name, ID: doc})
	return err == nil && held
}

// IsRegistered tells whether a document has an owner, by the index in every mode of the engine.
func (r *ResourceHandle) IsRegistered(d DocRef) bool {
	p := r.policy
	if p.entry.graph.Load() != p.graph || d.graph != p.graph || d.number == 0 {
		_, g, err := p.engine.entry(p.entry.id)
		if err != nil {
			return false
		}
		owner, _, err := g.View().Owner(tuple.Object{Resource: r.name, ID: d.id})
		return err == nil && owner != ""
	}
	owner, _ := p.graph.View().OwnerNumber(r.number, d.number)
	return owner != 0
}
