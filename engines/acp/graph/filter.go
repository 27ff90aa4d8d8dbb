package graph

import (
	"iter"

	"assay/acp/tuple"
)

// Filter selects relationships; what is zero selects all.
type Filter struct {
	Resource string         // of the object
	ID       *string        // of the object, with Resource
	Relation string         // with or without Resource
	Subject  *tuple.Subject // exact
}

// Relationships returns the relationships that a filter selects, the newest of a relation first. It
// walks over those of the object if one is given, else over those of the subject, else over those of
// the relation or resource.
func (v View) Relationships(f Filter) iter.Seq[tuple.Relationship] {
	return func(yield func(tuple.Relationship) bool) {
		for r := range v.records(f) {
			if !yield(v.relationship(r)) {
				return
			}
		}
	}
}

func (v View) records(f Filter) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		resource, known := v.g.byName[f.Resource]
		if f.Resource != "" && !known {
			return
		}
		who, named := v.filterSubject(f.Subject)
		if f.Subject != nil && !named {
			return
		}
		wanted := func(n *node) bool {
			s := &v.g.slots[n.slot]
			return s.relation != archived && (f.Relation == "" || s.name == f.Relation) && (f.Resource == "" || s.resource == resource)
		}
		emit := func(number uint32, step func(number uint32) (*record, uint32)) bool {
			for number != 0 {
				var r *record
				if r, number = step(number); r.sees(v.revision) && (f.Subject == nil || r.subject == who) && wanted(v.s.nodes.at(r.node)) && !yield(r) {
					return false
				}
			}
			return true
		}
		alongNode := func(number uint32) (*record, uint32) { return v.s.step(number, v.revision) }
		walk := func(n *node) bool {
			return !wanted(n) || emit(n.actors.Load(), alongNode) && emit(n.others.Load(), alongNode)
		}
		switch {
		case f.ID != nil:
			o := v.s.objects.find(v.g.names.find(resource, *f.ID))
			if o == nil || f.Resource == "" {
				return
			}
			for at := o.nodes.Load(); at != 0; at = v.s.nodes.at(at).next {
				if !walk(v.s.nodes.at(at)) {
					return
				}
			}
		case f.Subject != nil:
			emit(v.as(who), func(number uint32) (*record, uint32) { return v.s.stepAs(number, v.revision) })
		default:
			for slot := 1; slot < len(v.g.slots); slot++ {
				for at := v.s.bySlot[slot].Load(); at != 0; at = v.s.nodes.at(at).peer {
					if !walk(v.s.nodes.at(at)) {
						return
					}
				}
			}
		}
	}
}

// as returns the first record of a subject, or 0.
func (v View) as(who subject) uint32 {
	if who.kind() == tuple.Userset {
		return v.s.nodes.at(who.number()).as.Load()
	}
	if o := v.s.objects.find(who.number()); o != nil {
		return o.as.Load()
	}
	return 0
}

// filterSubject returns a subject's number; without facts there is none.
func (v View) filterSubject(s *tuple.Subject) (subject, bool) {
	if s == nil {
		return 0, false
	}
	switch s.Kind {
	case tuple.All:
		return everyone, true
	case tuple.Actor:
		number := v.g.names.find(v.g.actors, s.Object.ID)
		return makeSubject(s.Kind, number), number != 0
	}
	resource, known := v.g.byName[s.Object.Resource]
	if !known {
		return 0, false
	}
	number := v.g.names.find(resource, s.Object.ID)
	if s.Kind == tuple.Userset && number != 0 {
		number = v.s.node(number, v.g.resources[resource][s.Relation])
	}
	return makeSubject(s.Kind, number), number != 0
}

// Subjects returns who and what a relation is set to on an object, the newest first, actors before
// others.
func (v View) Subjects(object tuple.Object, relation string) ([]tuple.Subject, error) {
	if _, err := v.g.slotNumber(object.Resource, relation); err != nil {
		return nil, err
	}
	var subjects []tuple.Subject
	for r := range v.records(Filter{Resource: object.Resource, ID: &object.ID, Relation: relation}) {
		subjects = append(subjects, v.subject(r.subject))
	}
	return subjects, nil
}

// Others returns the subjects of a relation to an object that are not actors: *, objects and usersets,
// the newest first. It walks over no actors; the cost has what it walked over.
func (v View) Others(object tuple.Object, relation string) (subjects []tuple.Subject, cost Cost, err error) {
	slot, err := v.g.slotNumber(object.Resource, relation)
	if err != nil {
		return nil, Cost{}, err
	}
	n := v.s.node(v.g.names.find(v.g.slots[slot].resource, object.ID), slot)
	if n == 0 {
		return nil, Cost{}, nil
	}
	for number := v.s.nodes.at(n).others.Load(); number != 0; {
		var r *record
		r, number = v.s.step(number, v.revision)
		cost.Probes++
		if r.sees(v.revision) {
			subjects = append(subjects, v.subject(r.subject))
		}
	}
	return subjects, cost, nil
}

// HasRelationship is Has of a relationship in text. What has no place in the policy is not there.
func (v View) HasRelationship(r tuple.Relationship) bool {
	f, err := v.g.Fact(r)
	return err == nil && v.Has(f)
}
