package model

import (
	"strings"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Outcome is what an operation on documents comes to.
type Outcome string

// The outcomes. Those but the first four are refusals.
const (
	Done         Outcome = "done"
	Nothing      Outcome = "nothing to do" // the relationship was there already, or was not there
	Registered   Outcome = "registered"
	Unarchived   Outcome = "unarchived"
	BadInput     Outcome = "bad input"
	NotFound     Outcome = "not found"
	Unauthorized Outcome = "unauthorized"
	Forbidden    Outcome = "forbidden"
	Conflict     Outcome = "conflict"
)

// record says who owns a document. It outlives archiving.
type record struct {
	owner    string
	archived bool
}

// Register makes an actor the owner of a document, or takes an own document out of the archive.
func (m *Model) Register(actor, resource, doc string) Outcome {
	o := tuple.Object{Resource: resource, ID: doc}
	record, known := m.records[o]
	switch {
	case !isDID(actor) || doc == "" || resource == "":
		return BadInput
	case m.policy.Resource(resource) == nil:
		return NotFound
	case !m.allowed(resource, policy.Owner, actorSubject(actor)):
		return BadInput
	case known && record.owner != actor:
		return Unauthorized
	case known && !record.archived:
		return Conflict
	}
	m.own(o, actor)
	if known {
		return Unarchived
	}
	return Registered
}

// IsRegistered tells whether a document has an owner. Archived ones have.
func (m *Model) IsRegistered(resource, doc string) (bool, Outcome) {
	if resource == "" || doc == "" {
		return false, BadInput
	}
	if m.policy.Resource(resource) == nil {
		return false, NotFound
	}
	_, known := m.records[tuple.Object{Resource: resource, ID: doc}]
	return known, Done
}

// CheckRead and CheckWrite tell what an actor may do with a document; who may write may read.
func (m *Model) CheckRead(actor, resource, doc string) (bool, Outcome) {
	can, outcome := m.checkDoc("read", actor, resource, doc)
	if can || outcome != Done {
		return can, outcome
	}
	return m.checkDoc("write", actor, resource, doc)
}

func (m *Model) CheckWrite(actor, resource, doc string) (bool, Outcome) {
	return m.checkDoc("write", actor, resource, doc)
}

func (m *Model) checkDoc(permission, actor, resource, doc string) (bool, Outcome) {
	if resource == "" || doc == "" {
		return false, BadInput
	}
	r := m.policy.Resource(resource)
	if r == nil || r.Permission(permission) == nil {
		return false, NotFound
	}
	o := tuple.Object{Resource: resource, ID: doc}
	_, registered := m.records[o]
	return registered && m.Check(permission, actor, o), Done
}

// AddRelationship lets a manager of a relation set a subject on it: a DID, *, or the text of an object
// or userset.
func (m *Model) AddRelationship(resource, doc, relation, requester, target string) Outcome {
	r, outcome := m.managed(resource, doc, relation, requester, target)
	switch {
	case outcome != Done:
		return outcome
	case m.relationships[r]:
		return Nothing
	}
	m.Set(r)
	return Done
}

// DeleteRelationship is the reverse of AddRelationship, with the same authority.
func (m *Model) DeleteRelationship(resource, doc, relation, requester, target string) Outcome {
	r, outcome := m.managed(resource, doc, relation, requester, target)
	switch {
	case outcome != Done:
		return outcome
	case !m.relationships[r]:
		return Nothing
	}
	m.Unset(r)
	return Done
}

// managed returns the relationship that a requester wants to change, and whether he may.
func (m *Model) managed(resource, doc, relation, requester, target string) (tuple.Relationship, Outcome) {
	o := tuple.Object{Resource: resource, ID: doc}
	subject, err := tuple.ParseSubject(target)
	r := tuple.Relationship{Object: o, Relation: relation, Subject: subject}
	known := m.policy.Resource(resource)
	record, registered := m.records[o]
	switch {
	case resource == "" || doc == "" || relation == "" || !isDID(requester) || err != nil:
		return r, BadInput
	case subject.Kind == tuple.Actor && !isDID(subject.Object.ID):
		return r, BadInput
	case known == nil || known.Relation(relation) == nil:
		return r, NotFound
	case relation == policy.Owner:
		return r, Forbidden
	case !m.allowed(resource, relation, subject):
		return r, BadInput
	case !registered:
		return r, NotFound
	case record.archived:
		return r, Forbidden
	case !m.Check(policy.ManagementPrefix+relation, requester, o):
		return r, Unauthorized
	}
	return r, Done
}

// Archive drops all relationships of a document and keeps the record of its owner.
func (m *Model) Archive(actor, resource, doc string) Outcome {
	o, record, outcome := m.owned(actor, resource, doc)
	switch {
	case outcome != Done:
		return outcome
	case record.archived:
		return Conflict
	}
	for r := range m.relationships {
		if r.Object == o {
			m.Unset(r)
		}
	}
	record.archived = true
	m.records[o] = record
	return Done
}

// Unarchive lets the owner of an archived document have it back, without its other relationships.
func (m *Model) Unarchive(actor, resource, doc string) Outcome {
	o, record, outcome := m.owned(actor, resource, doc)
	switch {
	case outcome != Done:
		return outcome
	case !record.archived:
		return Conflict
	}
	m.own(o, actor)
	return Done
}

// Transfer gives a document to another owner.
func (m *Model) Transfer(actor, resource, doc, to string) Outcome {
	if !isDID(to) {
		return BadInput
	}
	o, record, outcome := m.owned(actor, resource, doc)
	switch {
	case outcome != Done:
		return outcome
	case record.archived:
		return Forbidden
	}
	m.Unset(tuple.Relationship{Object: o, Relation: policy.Owner, Subject: actorSubject(actor)})
	m.own(o, to)
	return Done
}

// owned returns the record of a document if the actor is its owner.
func (m *Model) owned(actor, resource, doc string) (tuple.Object, record, Outcome) {
	o := tuple.Object{Resource: resource, ID: doc}
	record, registered := m.records[o]
	switch {
	case !isDID(actor) || resource == "" || doc == "":
		return o, record, BadInput
	case !registered:
		return o, record, NotFound
	case record.owner != actor:
		return o, record, Unauthorized
	}
	return o, record, Done
}

func (m *Model) own(o tuple.Object, actor string) {
	m.records[o] = record{owner: actor}
	m.Set(tuple.Relationship{Object: o, Relation: policy.Owner, Subject: actorSubject(actor)})
}

// Load sets relationships without asking for authority, all or none. An owner relationship registers
// its object.
func (m *Model) Load(relationships []tuple.Relationship) Outcome {
	owners := map[tuple.Object]string{}
	for _, r := range relationships {
		resource := m.policy.Resource(r.Object.Resource)
		switch {
		case r.Object.ID == "":
			return BadInput
		case resource == nil || resource.Relation(r.Relation) == nil:
			return NotFound
		case !m.allowed(r.Object.Resource, r.Relation, r.Subject):
			return BadInput
		}
		record, known := m.records[r.Object]
		if r.Relation != policy.Owner {
			if known && record.archived {
				return Forbidden
			}
			continue
		}
		if r.Subject.Kind != tuple.Actor {
			return BadInput
		}
		actor := r.Subject.Object.ID
		if known && record.owner != actor || owners[r.Object] != "" && owners[r.Object] != actor {
			return Conflict
		}
		owners[r.Object] = actor
	}
	for _, r := range relationships {
		m.Set(r)
	}
	for o, actor := range owners {
		m.own(o, actor)
	}
	return Done
}

// allowed tells whether the policy lets a relation have a subject.
func (m *Model) allowed(resource, relation string, s tuple.Subject) bool {
	for _, t := range m.policy.Resource(resource).Relation(relation).Types {
		switch s.Kind {
		case tuple.All:
			if t.Resource == m.policy.Actor {
				return true
			}
		case tuple.Actor:
			if t.Resource == m.policy.Actor && s.Object.ID != "" {
				return true
			}
		default:
			if t.Resource == s.Object.Resource && t.Relation == s.Relation && s.Object.ID != "" {
				return true
			}
		}
	}
	return false
}

func actorSubject(id string) tuple.Subject {
	return tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: id}}
}

// isDID tells whether an id is did:method:id with no part empty.
func isDID(id string) bool {
	parts := strings.SplitN(id, ":", 3)
	return len(parts) == 3 && parts[0] == "did" && parts[1] != "" && parts[2] != ""
}
