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
// A wildcard is for the objects of one type, while * here is for every actor. So a relation with a
// wildcard answers for askers of its type; Question tells of the others. Where askers of several types
// can have a relation, and all of one type at once, it is split: it becomes a permission for each type
// with a wildcard, and one for the others.
type Import struct {
	Policy *policy.Policy

	schema    Schema
	relations map[key]*relation
	split     map[string]bool   // names of relations
	classes   []string          // the types that have a wildcard, and others
	taken     map[string]bool   // names of relations and permissions here
	resources map[string]string // names here, by type
	names     map[string]string // names here, by what they stand for
}

// others is the class of the askers whose type has no wildcard.
const others = ""

type key struct{ of, name string }

type relation struct {
	Relation
	arrow bool            // an arrow goes over it
	plain map[string]bool // the types whose objects can hold it,
	wild  map[string]bool // and those of which all can, at once
	uses  map[*relation]bool
}

func (r *relation) computed() bool { return r.Expr.Op != Direct }

// New makes a policy of a schema in which all names are known.
func New(schema Schema) (*Import, error) {
	im := &Import{
		schema:    schema,
		relations: map[key]*relation{},
		split:     map[string]bool{},
		taken:     map[string]bool{policy.Owner: true, "_this": true},
		resources: map[string]string{},
		names:     map[string]string{},
	}
	for _, t := range schema.Types {
		for _, r := range t.Relations {
			im.relations[key{t.Name, r.Name}] = &relation{Relation: r, plain: map[string]bool{}, wild: map[string]bool{}, uses: map[*relation]bool{}}
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
	im.holders()
	im.choose()
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
	for _, t := range im.schema.Types {
		im.resources[t.Name] = unique(t.Name, resources)
		for _, r := range t.Relations {
			im.named(r.Name, r.Name)
		}
	}
}

// named returns the name that stands for something here, which is like another where that is free.
func (im *Import) named(what, like string) string {
	if im.names[what] == "" {
		im.names[what] = unique(like, im.taken)
	}
	return im.names[what]
}

// derived returns a name for a part of a relation. A space keeps it apart from all relations.
func (im *Import) derived(relation, part, class string) string {
	if class == others && part != "direct" {
		class = "others"
	}
	return im.named(relation+" "+part+" "+class, strings.TrimSuffix(im.names[relation]+"_"+part+"_"+class, "_"))
}

// name is what holds a relation for askers of a class.
func (im *Import) name(relation, class string) string {
	if !im.split[relation] {
		return im.names[relation]
	}
	return im.derived(relation, "for", class)
}

// class is that of askers of a type.
func (im *Import) class(of string) string {
	if slices.Contains(im.classes, of) {
		return of
	}
	return others
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

// holders finds which types of subjects can hold each relation, and which relations are split.
func (im *Import) holders() {
	for grown := true; grown; {
		grown = false
		for k, r := range im.relations {
			add := func(from *relation) {
				if from != nil {
					r.uses[from] = true
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
					add(im.relations[key{k.of, e.Name}])
				case Arrow:
					for _, s := range im.relations[key{k.of, e.Via}].Subjects {
						add(im.relations[key{s.Type, e.Name}])
					}
				}
			})
		}
	}
	wild := map[string]bool{others: true}
	for k, r := range im.relations {
		merge(wild, r.wild)
		if len(r.wild) > 1 || len(r.wild) == 1 && merge(maps.Clone(r.wild), r.plain) {
			im.split[k.name] = true
		}
	}
	for grown := true; grown; { // what a split relation takes from has to tell the askers apart too
		grown = false
		for k, r := range im.relations {
			for from := range r.uses {
				if im.split[k.name] && len(from.wild) > 0 && !im.split[from.Name] {
					im.split[from.Name], grown = true, true
				}
			}
		}
	}
	im.classes = slices.Sorted(maps.Keys(wild))
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
			im.add(resource, t.Name, im.relations[key{t.Name, r.Name}])
		}
		p.Resources = append(p.Resources, resource)
	}
	return p
}

// add makes the relations and permissions of one relation.
func (im *Import) add(resource *policy.Resource, of string, r *relation) {
	if !im.own(r) || len(r.Subjects) > 0 {
		resource.Relations = append(resource.Relations, &policy.Relation{Name: im.slot(r), Types: im.types(r)})
	}
	classes := im.classes
	if !im.split[r.Name] {
		classes = []string{im.only(r)}
	}
	for _, class := range classes {
		if im.split[r.Name] && r.takesAll(class) {
			resource.Relations = append(resource.Relations,
				&policy.Relation{Name: im.derived(r.Name, "all", class), Types: []policy.Type{{Resource: policy.DefaultActor}}})
		}
		if through := im.usersets(r, class); im.split[r.Name] && len(through) > 0 {
			resource.Relations = append(resource.Relations, &policy.Relation{Name: im.derived(r.Name, "through", class), Types: through})
		}
		if im.own(r) {
			resource.Permissions = append(resource.Permissions,
				&policy.Permission{Name: im.name(r.Name, class), Text: im.expr(of, r, class, r.Expr).String()})
		}
	}
}

// own tells whether what is set on a relation has a relation of its own here.
func (im *Import) own(r *relation) bool { return r.computed() || im.split[r.Name] }

// slot is the relation here that subjects of a relation are set on.
func (im *Import) slot(r *relation) string {
	if im.own(r) {
		return im.derived(r.Name, "direct", others)
	}
	return im.names[r.Name]
}

// only is the class that a relation which is not split answers for.
func (im *Import) only(r *relation) string {
	for class := range r.wild {
		return class
	}
	return others
}

func (r *relation) takesAll(class string) bool {
	return slices.Contains(r.Subjects, Subject{Type: class, Wildcard: true})
}

// types are the subjects that the slot of a relation takes.
func (im *Import) types(r *relation) []policy.Type {
	if len(r.Subjects) == 0 {
		return nil
	}
	types := []policy.Type{{Resource: policy.DefaultActor}}
	if !im.split[r.Name] {
		types = append(types, im.usersets(r, im.only(r))...)
	}
	for _, s := range r.Subjects {
		if object := (policy.Type{Resource: im.resources[s.Type]}); r.arrow && !s.Wildcard && !slices.Contains(types, object) {
			types = append(types, object)
		}
	}
	return types
}

func (im *Import) usersets(r *relation, class string) []policy.Type {
	var types []policy.Type
	for _, s := range r.Subjects {
		if s.Relation != "" {
			types = append(types, policy.Type{Resource: im.resources[s.Type], Relation: im.name(s.Relation, class)})
		}
	}
	return types
}

func (im *Import) expr(of string, r *relation, class string, e Expr) policy.Expr {
	switch e.Op {
	case Direct:
		return im.direct(r, class)
	case Name:
		return policy.Expr{Op: policy.Name, Name: im.name(e.Name, class)}
	case Arrow:
		via := im.relations[key{of, e.Via}]
		return policy.Expr{Op: policy.Arrow, Via: im.slot(via), Name: im.name(e.Name, class)}
	case Nobody:
		return policy.Expr{Op: policy.None}
	}
	ops := map[Op]policy.Op{Union: policy.Union, Intersection: policy.Intersection, Difference: policy.Difference}
	made := policy.Expr{Op: ops[e.Op]}
	for _, operand := range e.Operands {
		made.Operands = append(made.Operands, im.expr(of, r, class, operand))
	}
	return made
}

// direct is who was set on a relation, for askers of a class.
func (im *Import) direct(r *relation, class string) policy.Expr {
	parts := []policy.Expr{{Op: policy.Name, Name: im.slot(r)}}
	if im.split[r.Name] && r.takesAll(class) {
		parts = append(parts, policy.Expr{Op: policy.Name, Name: im.derived(r.Name, "all", class)})
	}
	if im.split[r.Name] && len(im.usersets(r, class)) > 0 {
		parts = append(parts, policy.Expr{Op: policy.Name, Name: im.derived(r.Name, "through", class)})
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return policy.Expr{Op: policy.Union, Operands: parts}
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
