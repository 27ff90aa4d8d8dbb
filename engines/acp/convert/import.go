package convert

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"assay/acp/policy"
)

// Import is a policy made of a schema, with what is needed to put facts and questions in its terms.
//
// Every subject is an actor whose id is its whole text, such as user:ann. An object that an arrow
// follows is set as an object too, and the holders of a relation as a userset too. What is set on a
// relation that is also computed is set on a relation of its own, x_direct for x, and a permission has
// the name. Names that a policy cannot have are changed; so is owner, which a policy means otherwise.
//
// A wildcard is for the objects of one type, while * here is for every actor. So a relation with a
// wildcard answers for askers of its type; Question tells of the others. Where askers of several types
// can have a relation, and all of one type at once, it is split: x becomes a permission x_for_user for
// each type with a wildcard, and x_for_others. What is set on it is set on x_direct, x_all_user takes
// the wildcard, and x_through_user the usersets.
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
