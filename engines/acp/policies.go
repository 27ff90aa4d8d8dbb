package acp

import (
	"errors"
	"fmt"

	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// firstCounter is what the counter of policy ids starts at.
const firstCounter = policy.FirstNumber

// AddPolicy reads a policy, keeps it, and returns its id, which is the one that the published engine
// gives it. The same text added twice is two policies. ErrBadInput holds policy.Problems with all
// that is wrong with the text; ErrUnauthenticated: no creator.
func (e *Engine) AddPolicy(creator, text string) (id string, err error) {
	if creator == "" {
		return "", fail(ErrUnauthenticated, "a policy needs a creator")
	}
	p, problems := e.parse(text)
	if err := e.begin(); err != nil {
		return "", err
	}
	r := policyRecord{kind: recordAddPolicy, creator: creator, text: text}
	if problems != nil {
		var list policy.Problems
		if !errors.As(problems, &list) || !list.Counts() {
			e.mu.Unlock()
			return "", problems
		}
		r = policyRecord{kind: recordRefusedPolicy}
	} else {
		id = policy.ID(p, e.counter)
	}
	if err := e.append(r.encode(e.record[:0])); err != nil {
		e.mu.Unlock()
		return "", err
	}
	e.counter++
	if problems == nil {
		e.addPolicy(id, creator, text, graph.New(p))
	}
	if err := e.end(); err != nil {
		return "", err
	}
	return id, problems
}

// ImportPolicy is AddPolicy and Load in one atomic change: when the text or a relationship is refused,
// or the change cannot be logged, nothing happens.
func (e *Engine) ImportPolicy(creator, text string, relationships, archived []tuple.Relationship) (id string, err error) {
	if creator == "" {
		return "", fail(ErrUnauthenticated, "a policy needs a creator")
	}
	p, err := e.parse(text)
	if err != nil {
		return "", err
	}
	if err := e.begin(); err != nil {
		return "", err
	}
	g := graph.New(p)
	e.change.Delete, e.change.Add = e.change.Delete[:0], e.change.Add[:0]
	if err = e.load(g, relationships, archived); err == nil {
		err = classify(g.Room(&e.change))
	}
	if err == nil {
		record := policyRecord{kind: recordImportPolicy, creator: creator, text: text}.encode(e.record[:0])
		err = e.append(graph.AppendChange(record, &e.change))
	}
	if err != nil {
		e.mu.Unlock()
		return "", err
	}
	id = policy.ID(p, e.counter)
	e.counter++
	g.Apply(&e.change)
	e.addPolicy(id, creator, text, g)
	if err := e.end(); err != nil {
		return "", err
	}
	return id, nil
}

// parse reads a policy's text; the error is an ErrBadInput with policy.Problems.
func (e *Engine) parse(text string) (*policy.Policy, error) {
	p, err := policy.Parse([]byte(text), policy.Options{Lenient: e.options.Lenient})
	if err != nil {
		return nil, fmt.Errorf("%w: policy: %w", ErrBadInput, err)
	}
	return p, nil
}

func (e *Engine) addPolicy(id, creator, text string, g *graph.Graph) {
	en := &entry{number: uint32(len(e.entries)), id: id, creator: creator, text: text}
	en.graph.Store(g)
	e.entries = append(e.entries, en)
	e.publish(id, en)
}

// EditPolicy puts another text in the place of a policy's; the id stays. Only the creator may.
// ErrConflict: a relationship or an archived document has no place in the new text, which the error
// names; nothing is dropped silently.
func (e *Engine) EditPolicy(requester, id, text string) error {
	p, err := e.parse(text)
	if err != nil {
		return err
	}
	if err := e.begin(); err != nil {
		return err
	}
	en, g, err := e.mine(requester, id)
	var edited *graph.Graph
	if err == nil {
		if edited, err = g.View().With(p, nil, nil); err != nil {
			err = fail(ErrConflict, "policy %s cannot be edited: %w", id, err)
		}
	}
	if err == nil {
		err = e.append(policyRecord{kind: recordEditPolicy, number: en.number, text: text}.encode(e.record[:0]))
	}
	if err != nil {
		e.mu.Unlock()
		return err
	}
	e.editPolicy(en, text, edited)
	return e.end()
}

// editPolicy replaces an entry, since those who list policies read entries without a lock.
func (e *Engine) editPolicy(en *entry, text string, g *graph.Graph) {
	next := &entry{number: en.number, id: en.id, creator: en.creator, text: text}
	next.graph.Store(g)
	e.entries[en.number] = next
	e.publish(en.id, next)
	en.graph.Store(nil)
}

// DeletePolicy deletes a policy with all relationships under it. Only the creator may.
func (e *Engine) DeletePolicy(requester, id string) error {
	if err := e.begin(); err != nil {
		return err
	}
	en, _, err := e.mine(requester, id)
	if err == nil {
		err = e.append(policyRecord{kind: recordDeletePolicy, number: en.number}.encode(e.record[:0]))
	}
	if err != nil {
		e.mu.Unlock()
		return err
	}
	e.deletePolicy(en)
	return e.end()
}

func (e *Engine) deletePolicy(en *entry) {
	e.entries[en.number] = nil
	e.publish(en.id, nil)
	en.graph.Store(nil)
}

// mine returns a policy that the requester created.
func (e *Engine) mine(requester, id string) (*entry, *graph.Graph, error) {
	en, g, err := e.entry(id)
	if err != nil {
		return nil, nil, err
	}
	switch requester {
	case en.creator:
		return en, g, nil
	case "":
		return nil, nil, fail(ErrUnauthenticated, "policy %s can only be changed by its creator", id)
	}
	return nil, nil, fail(ErrUnauthorized, "%s did not create policy %s", requester, id)
}

// ValidateResource tells whether documents of a resource can be kept under a policy: it has the
// permissions read and write, and both begin with owner. Errors: ErrNotFound, ErrBadInput.
func (e *Engine) ValidateResource(id, resource string) error {
	_, g, err := e.entry(id)
	if err != nil {
		return err
	}
	if resource == "" {
		return fail(ErrBadInput, "the resource is empty")
	}
	r := g.Policy().Resource(resource)
	if r == nil {
		return fail(ErrNotFound, "policy %s has no resource %q", id, resource)
	}
	if err := policy.CheckDPI(r); err != nil {
		return fail(ErrBadInput, "policy %s: %w", id, err)
	}
	return nil
}
