package convert

import (
	"fmt"
	"slices"

	"assay/acp/tuple"
)

// Relationships puts a fact into the terms of the policy. One that the schema does not allow is an
// error.
func (im *Import) Relationships(f Fact) ([]tuple.Relationship, error) {
	r := im.relations[key{f.Object.Type, f.Relation}]
	if r == nil {
		return nil, fmt.Errorf("%s: type %q has no relation %q", f, f.Object.Type, f.Relation)
	}
	want := Subject{f.Subject.Type, f.Subject.Relation, f.Subject.ID == "*"}
	if f.Object.Relation != "" || f.Object.ID == "*" || !slices.Contains(r.Subjects, want) {
		return nil, fmt.Errorf("%s: the relation does not take such subjects", f)
	}
	split := im.split[f.Relation]
	var made []tuple.Relationship
	set := func(on string, s tuple.Subject) {
		made = append(made, tuple.Relationship{Object: im.object(f.Object), Relation: on, Subject: s})
	}
	switch {
	case want.Wildcard && split:
		set(im.derived(f.Relation, "all", f.Subject.Type), tuple.Subject{Kind: tuple.All})
	case want.Wildcard:
		set(im.slot(r), tuple.Subject{Kind: tuple.All})
	default:
		set(im.slot(r), actor(f.Subject))
	}
	if f.Subject.Relation != "" {
		classes := im.classes
		if !split {
			classes = []string{im.only(r)}
		}
		for _, class := range classes {
			on := im.slot(r)
			if split {
				on = im.derived(f.Relation, "through", class)
			}
			set(on, tuple.Subject{Kind: tuple.Userset, Object: im.object(f.Subject), Relation: im.name(f.Subject.Relation, class)})
		}
	}
	if r.arrow && !want.Wildcard {
		set(im.slot(r), tuple.Subject{Kind: tuple.Entity, Object: im.object(f.Subject)})
	}
	return made, nil
}

func (im *Import) object(r Ref) tuple.Object {
	return tuple.Object{Resource: im.resources[r.Type], ID: r.ID}
}

func actor(r Ref) tuple.Subject {
	return tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: r.String()}}
}

// Question is a check in the terms of the policy.
type Question struct {
	Object tuple.Object
	Name   string // a relation or a permission
	Actor  string // empty for a wildcard: it has what everybody has
	// Never says that the asker is of a type that cannot have it: the answer is no, whatever Actor has.
	Never bool
	// Given has to be set before the question is asked: the holders of a relation hold it.
	Given []tuple.Relationship
}

// Question puts a check into the terms of the policy. Unknown names are errors.
func (im *Import) Question(f Fact) (Question, error) {
	r := im.relations[key{f.Object.Type, f.Relation}]
	if r == nil {
		return Question{}, fmt.Errorf("%s: type %q has no relation %q", f, f.Object.Type, f.Relation)
	}
	if _, known := im.resources[f.Subject.Type]; !known {
		return Question{}, fmt.Errorf("%s: no type %q", f, f.Subject.Type)
	}
	q := Question{Object: im.object(f.Object), Name: im.name(f.Relation, im.class(f.Subject.Type)), Actor: f.Subject.String()}
	mixed := im.split[f.Relation]
	if f.Subject.Relation == "" {
		q.Never = !mixed && len(r.wild) > 0 && !r.wild[f.Subject.Type]
		if f.Subject.ID == "*" {
			q.Actor = ""
		}
		return q, nil
	}
	q.Name = im.name(f.Relation, others)
	held := im.relations[key{f.Subject.Type, f.Subject.Relation}]
	switch {
	case held == nil:
		return Question{}, fmt.Errorf("%s: type %q has no relation %q", f, f.Subject.Type, f.Subject.Relation)
	case len(r.wild) > 0 && !mixed:
		return Question{}, &Unsupported{UsersetOfWildcard, f.String()}
	case held.computed() || len(held.Subjects) == 0:
		return Question{}, &Unsupported{UsersetOfComputed, f.String()}
	}
	q.Given = []tuple.Relationship{{Object: im.object(f.Subject), Relation: im.slot(held), Subject: actor(f.Subject)}}
	return q, nil
}

// ListObjects puts the question which objects of a type an asker has a relation on; the Object of the
// result has no id.
func (im *Import) ListObjects(resource, relation string, asker Ref) (Question, error) {
	return im.Question(Fact{Ref{Type: resource}, relation, asker})
}

// ListActors puts the question which objects of a type, or usersets, have a relation on an object; the
// Actor of the result means nothing.
func (im *Import) ListActors(object Ref, relation string, of Subject) (Question, error) {
	if of.Relation != "" {
		if im.relations[key{of.Type, of.Relation}] == nil {
			return Question{}, fmt.Errorf("type %q has no relation %q", of.Type, of.Relation)
		}
		return Question{}, &Unsupported{ListOfUsersets, of.Type + "#" + of.Relation}
	}
	return im.Question(Fact{object, relation, Ref{Type: of.Type, ID: "*"}})
}

// Actors picks those of the actors that have a relation, as the policy tells, that are objects of a
// type. all tells whether everybody has it; the result begins with type:* then, where the type has a
// wildcard there. Unknown names are errors.
func (im *Import) Actors(object, relation string, of Subject, actors []string, all bool) ([]string, error) {
	r := im.relations[key{object, relation}]
	_, known := im.resources[of.Type]
	switch {
	case r == nil:
		return nil, fmt.Errorf("type %q has no relation %q", object, relation)
	case !known:
		return nil, fmt.Errorf("there is no type %q", of.Type)
	case of.Relation != "" && im.relations[key{of.Type, of.Relation}] == nil:
		return nil, fmt.Errorf("type %q has no relation %q", of.Type, of.Relation)
	case of.Relation != "":
		return nil, &Unsupported{ListOfUsersets, of.Type + "#" + of.Relation}
	case !im.split[relation] && len(r.wild) > 0 && !r.wild[of.Type]:
		return nil, nil
	}
	var found []string
	if all {
		found = append(found, of.Type+":*")
	}
	for _, a := range actors {
		if ref, err := ParseRef(a); err == nil && ref.Type == of.Type && ref.Relation == "" {
			found = append(found, a)
		}
	}
	return found, nil
}
