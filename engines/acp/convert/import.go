package convert

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Import is a policy made of a schema, with what is needed to put facts and questions in its terms.
//
// Every subject is an actor whose id is its whole text, such as user:ann. An object that an arrow
// follows is set as an object too, and the holders of a relation as a userset too. What is set on a
// relation that is also computed is set on a relation of its own, and a permission has the name.
//
// A wildcard is for the objects of one type, while * here is for every actor. So a policy with
// wildcards answers for askers of their type; Question tells of the others.
type Import struct {
	Policy *policy.Policy

	schema    Schema
	relations map[key]*relation
	resources map[string]string // names here, by type
	names     map[string]string // names here, by relation
	slots     map[string]string // relations for what is set where the name is that of a permission
}

type key struct{ resource, relation string }

type relation struct {
	Relation
	arrow bool            // an arrow goes over it
	plain map[string]bool // the types whose objects can hold it,
	wild  map[string]bool // and those of which all can, at once
}

func (r *relation) computed() bool { return r.Expr.Op != Direct }

// New makes a policy of a schema in which all names are known.
func New(schema Schema) (*Import, error) {
	im := &Import{
		schema:    schema,
		relations: map[key]*relation{},
		resources: map[string]string{},
		names:     map[string]string{},
		slots:     map[string]string{},
	}
	for _, t := range schema.Types {
		for _, r := range t.Relations {
			im.relations[key{t.Name, r.Name}] = &relation{Relation: r, plain: map[string]bool{}, wild: map[string]bool{}}
		}
	}
	for _, t := range schema.Types {
		for _, r := range t.Relations {
			r.Expr.each(func(e Expr) {
				if via := im.relations[key{t.Name, e.Via}]; e.Op == Arrow && via != nil {
					via.arrow = true
				}
			})
		}
	}
	im.choose()
	if err := im.holders(); err != nil {
		return nil, err
	}
	text := policy.Format(im.policy())
	p, err := policy.Parse([]byte(text), policy.Options{Lenient: true})
	var problems policy.Problems
	if errors.As(err, &problems) && slices.ContainsFunc(problems, func(p policy.Problem) bool {
		return strings.HasSuffix(p.Message, policy.DependsOnItself)
	}) {
		return nil, &Unsupported{NegatedCycle, problems.Error()}
	}
	if err != nil {
		return nil, err
	}
	im.Policy = p
	return im, nil
}

func (e Expr) each(visit func(Expr)) {
	visit(e)
	for _, operand := range e.Operands {
		operand.each(visit)
	}
}

// choose gives every type and relation a name that a policy may have. A relation has one name in all
// types, for an arrow leads to several.
func (im *Import) choose() {
	resources := map[string]bool{policy.DefaultActor: true}
	names := map[string]bool{policy.Owner: true, "_this": true}
	for _, t := range im.schema.Types {
		im.resources[t.Name] = unique(t.Name, resources)
		for _, r := range t.Relations {
			if im.names[r.Name] == "" {
				im.names[r.Name] = unique(r.Name, names)
			}
		}
	}
	for _, t := range im.schema.Types {
		for _, r := range t.Relations {
			if im.slots[r.Name] == "" {
				im.slots[r.Name] = unique(im.names[r.Name]+"_direct", names)
			}
		}
	}
}

func unique(name string, taken map[string]bool) string {
	base := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
	if strings.HasPrefix(base, policy.ManagementPrefix) {
		base = "x" + base
	}
	chosen := base
	for n := 2; taken[chosen]; n++ {
		chosen = base + "_" + strconv.Itoa(n)
	}
	taken[chosen] = true
	return chosen
}

// holders finds which types of subjects can hold each relation.
func (im *Import) holders() error {
	for grown := true; grown; {
		grown = false
		for k, r := range im.relations {
			add := func(from *relation) {
				if from != nil {
					grown = merge(r.plain, from.plain) || grown
					grown = merge(r.wild, from.wild) || grown
				}
			}
			r.Expr.each(func(e Expr) {
				switch e.Op {
				case Direct:
					for _, s := range r.Subjects {
						switch {
						case s.Wildcard:
							grown = merge(r.wild, map[string]bool{s.Type: true}) || grown
						case s.Relation == "":
							grown = merge(r.plain, map[string]bool{s.Type: true}) || grown
						default:
							add(im.relations[key{s.Type, s.Relation}])
						}
					}
				case Name:
					add(im.relations[key{k.resource, e.Name}])
				case Arrow:
					for _, s := range im.relations[key{k.resource, e.Via}].Subjects {
						add(im.relations[key{s.Type, e.Name}])
					}
				}
			})
		}
	}
	for _, t := range im.schema.Types {
		for _, r := range t.Relations {
			held := im.relations[key{t.Name, r.Name}]
			if len(held.wild) > 0 && (len(held.wild) > 1 || merge(maps.Clone(held.wild), held.plain)) {
				return &Unsupported{MixedWildcards, t.Name + "#" + r.Name}
			}
		}
	}
	return nil
}

// merge adds one set to another and tells whether that grew.
func merge(into, from map[string]bool) bool {
	before := len(into)
	for k := range from {
		into[k] = true
	}
	return len(into) > before
}

func (im *Import) policy() *policy.Policy {
	p := &policy.Policy{Name: im.schema.Name, Actor: policy.DefaultActor}
	for _, t := range im.schema.Types {
		resource := &policy.Resource{
			Name:      im.resources[t.Name],
			Relations: []*policy.Relation{{Name: policy.Owner, Types: []policy.Type{{Resource: p.Actor}}}},
		}
		for _, r := range t.Relations {
			r := im.relations[key{t.Name, r.Name}]
			if !r.computed() || len(r.Subjects) > 0 {
				resource.Relations = append(resource.Relations, &policy.Relation{Name: im.slot(r), Types: im.types(r)})
			}
			if r.computed() {
				resource.Permissions = append(resource.Permissions,
					&policy.Permission{Name: im.names[r.Name], Text: im.expr(t.Name, r, r.Expr).String()})
			}
		}
		p.Resources = append(p.Resources, resource)
	}
	return p
}

// slot is the relation here that subjects of a relation are set on.
func (im *Import) slot(r *relation) string {
	if r.computed() {
		return im.slots[r.Name]
	}
	return im.names[r.Name]
}

func (im *Import) types(r *relation) []policy.Type {
	if len(r.Subjects) == 0 {
		return nil
	}
	types := []policy.Type{{Resource: policy.DefaultActor}}
	for _, s := range r.Subjects {
		if s.Relation != "" {
			types = append(types, policy.Type{Resource: im.resources[s.Type], Relation: im.names[s.Relation]})
		}
		if object := (policy.Type{Resource: im.resources[s.Type]}); r.arrow && !s.Wildcard && !slices.Contains(types, object) {
			types = append(types, object)
		}
	}
	return types
}

func (im *Import) expr(resource string, r *relation, e Expr) policy.Expr {
	switch e.Op {
	case Direct:
		return policy.Expr{Op: policy.Name, Name: im.slot(r)}
	case Name:
		return policy.Expr{Op: policy.Name, Name: im.names[e.Name]}
	case Arrow:
		via := im.relations[key{resource, e.Via}]
		return policy.Expr{Op: policy.Arrow, Via: im.slot(via), Name: im.names[e.Name]}
	case Nobody:
		return policy.Expr{Op: policy.None}
	}
	ops := map[Op]policy.Op{Union: policy.Union, Intersection: policy.Intersection, Difference: policy.Difference}
	made := policy.Expr{Op: ops[e.Op]}
	for _, operand := range e.Operands {
		made.Operands = append(made.Operands, im.expr(resource, r, operand))
	}
	return made
}

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
	of := tuple.Relationship{Object: im.object(f.Object), Relation: im.slot(r)}
	with := func(s tuple.Subject) tuple.Relationship {
		of.Subject = s
		return of
	}
	if want.Wildcard {
		return []tuple.Relationship{with(tuple.Subject{Kind: tuple.All})}, nil
	}
	made := []tuple.Relationship{with(actor(f.Subject))}
	if f.Subject.Relation != "" {
		made = append(made, with(tuple.Subject{Kind: tuple.Userset, Object: im.object(f.Subject), Relation: im.names[f.Subject.Relation]}))
	}
	if r.arrow && slices.Contains(im.types(r), policy.Type{Resource: im.resources[f.Subject.Type]}) {
		made = append(made, with(tuple.Subject{Kind: tuple.Entity, Object: im.object(f.Subject)}))
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
	q := Question{Object: im.object(f.Object), Name: im.names[f.Relation], Actor: f.Subject.String()}
	if f.Subject.Relation == "" {
		q.Never = len(r.wild) > 0 && !r.wild[f.Subject.Type]
		if f.Subject.ID == "*" {
			q.Actor = ""
		}
		return q, nil
	}
	held := im.relations[key{f.Subject.Type, f.Subject.Relation}]
	switch {
	case held == nil:
		return Question{}, fmt.Errorf("%s: type %q has no relation %q", f, f.Subject.Type, f.Subject.Relation)
	case len(r.wild) > 0:
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
	case len(r.wild) > 0 && !r.wild[of.Type]:
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
