package openfga

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"assay/acp/convert"
	"assay/acp/policy"
)

// Model is an authorization model.
type Model struct {
	Types      []Type
	Conditions []string // names; what they say is not read
}

// Type is a type of objects.
type Type struct {
	Name      string
	Relations []Relation
	Line      int  // 0 in JSON
	Extends   bool // in a module: adds relations to a type of another module
}

// Relation is held by whom its rewrite says. Direct in a rewrite stands for the types.
type Relation struct {
	Name    string
	Types   []Restriction
	Rewrite convert.Expr
	Line    int
}

// Restriction is a kind of subjects that can be set.
type Restriction struct {
	convert.Subject
	Condition string
}

func (r Restriction) String() string {
	text := r.Type
	switch {
	case r.Wildcard:
		text += ":*"
	case r.Relation != "":
		text += "#" + r.Relation
	}
	if r.Condition != "" {
		text += " with " + r.Condition
	}
	return text
}

// Import makes a policy of a model. It refuses the models that OpenFGA refuses, and what is not
// supported.
func Import(m *Model, name string) (*convert.Import, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if len(m.Conditions) > 0 {
		return nil, &convert.Unsupported{Feature: convert.Conditions, Where: m.Conditions[0]}
	}
	schema := convert.Schema{Name: name}
	for _, t := range m.Types {
		made := convert.Type{Name: t.Name}
		for _, r := range t.Relations {
			relation := convert.Relation{Name: r.Name, Expr: r.Rewrite}
			for _, restriction := range r.Types {
				relation.Subjects = append(relation.Subjects, restriction.Subject)
			}
			made.Relations = append(made.Relations, relation)
		}
		schema.Types = append(schema.Types, made)
	}
	return convert.New(schema)
}

// Lengths of names, in characters.
const (
	maxTypeName     = 254
	maxRelationName = 50
)

// checker finds what is wrong with a model.
type checker struct {
	relations map[node]*Relation
	types     map[string]bool
	errs      []error
}

type node struct{ of, name string }

func (c *checker) fail(line int, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if line > 0 {
		err = fmt.Errorf("line %d: %w", line, err)
	}
	c.errs = append(c.errs, err)
}

func (m *Model) check() error {
	c := &checker{relations: map[node]*Relation{}, types: map[string]bool{}}
	seen := map[string]bool{}
	for _, condition := range m.Conditions {
		if seen[condition] {
			c.fail(0, "condition %s is defined twice", condition)
		}
		seen[condition] = true
	}
	for _, t := range m.Types {
		if c.types[t.Name] {
			c.fail(t.Line, "type %s is defined twice", t.Name)
		}
		c.name(t.Line, "type", t.Name, maxTypeName)
		c.types[t.Name] = true
		for _, r := range t.Relations {
			if c.relations[node{t.Name, r.Name}] != nil {
				c.fail(r.Line, "relation %s of %s is defined twice", r.Name, t.Name)
			}
			c.name(r.Line, "relation", r.Name, maxRelationName)
			c.relations[node{t.Name, r.Name}] = &r
		}
	}
	for _, t := range m.Types {
		for _, r := range t.Relations {
			c.restrictions(r, seen)
			c.rewrite(t, r, r.Rewrite)
		}
	}
	if names := len(c.types) + len(c.relations); names > policy.MaxNames {
		c.fail(0, "the model has %d types and relations: expected at most %d", names, policy.MaxNames)
	}
	if len(c.errs) == 0 {
		c.entryPoints(m)
	}
	return errors.Join(c.errs...)
}

func (c *checker) name(line int, what, name string, limit int) {
	if name == "self" || name == "this" {
		c.fail(line, "a %s cannot be named self or this", what)
	}
	if name == "" || utf8.RuneCountInString(name) > limit {
		c.fail(line, "%s %q: expected a name of at most %d characters", what, name, limit)
	}
}

func (c *checker) restrictions(r Relation, conditions map[string]bool) {
	for i, restriction := range r.Types {
		switch {
		case slices.Contains(r.Types[:i], restriction):
			c.fail(r.Line, "%s: %s stands there twice", r.Name, restriction)
		case !c.types[restriction.Type]:
			c.fail(r.Line, "%s: there is no type %s", r.Name, restriction.Type)
		case restriction.Relation != "" && c.relations[node{restriction.Type, restriction.Relation}] == nil:
			c.fail(r.Line, "%s: type %s has no relation %s", r.Name, restriction.Type, restriction.Relation)
		}
		if restriction.Condition != "" && !conditions[restriction.Condition] {
			c.fail(r.Line, "%s: there is no condition %s", r.Name, restriction.Condition)
		}
	}
}

func (c *checker) rewrite(t Type, r Relation, e convert.Expr) {
	switch e.Op {
	case convert.Direct:
		if len(r.Types) == 0 {
			c.fail(r.Line, "%s: expected the types that can be set", r.Name)
		}
	case convert.Name:
		if c.relations[node{t.Name, e.Name}] == nil {
			c.fail(r.Line, "%s: type %s has no relation %s", r.Name, t.Name, e.Name)
		}
	case convert.Arrow:
		c.from(t, r, e)
	}
	for i, operand := range e.Operands {
		if slices.ContainsFunc(e.Operands[:i], func(other convert.Expr) bool {
			return len(operand.Operands)+len(other.Operands) == 0 &&
				operand.Op == other.Op && operand.Name == other.Name && operand.Via == other.Via
		}) {
			c.fail(r.Line, "%s: an operand stands there twice", r.Name)
		}
		c.rewrite(t, r, operand)
	}
}

// from checks that the relation behind from can only be set, on objects of which one at least has
// what is asked of them.
func (c *checker) from(t Type, r Relation, e convert.Expr) {
	via := c.relations[node{t.Name, e.Via}]
	if via == nil {
		c.fail(r.Line, "%s: type %s has no relation %s", r.Name, t.Name, e.Via)
		return
	}
	if via.Rewrite.Op != convert.Direct {
		c.fail(r.Line, "%s: %s can be computed: expected a relation that is only set behind from", r.Name, e.Via)
	}
	found := false
	for _, restriction := range via.Types {
		if restriction.Relation != "" || restriction.Wildcard {
			c.fail(r.Line, "%s: %s can be set to %s: expected only objects behind from", r.Name, e.Via, restriction)
		}
		found = found || c.relations[node{restriction.Type, e.Name}] != nil
	}
	if !found {
		c.fail(r.Line, "%s: no type that %s can be set to has a relation %s", r.Name, e.Via, e.Name)
	}
}

// entryPoints finds relations that nobody can have, since they rest on nothing but each other.
func (c *checker) entryPoints(m *Model) {
	possible := map[node]bool{}
	for grown := true; grown; {
		grown = false
		for n, r := range c.relations {
			if !possible[n] && c.possible(possible, n, r, r.Rewrite) {
				possible[n] = true
				grown = true
			}
		}
	}
	for _, t := range m.Types {
		for _, r := range t.Relations {
			if !possible[node{t.Name, r.Name}] {
				c.fail(r.Line, "%s: nobody can have it, for it rests on nothing but itself", r.Name)
			}
		}
	}
}

func (c *checker) possible(known map[node]bool, n node, r *Relation, e convert.Expr) bool {
	operand := func(e convert.Expr) bool { return c.possible(known, n, r, e) }
	switch e.Op {
	case convert.Direct:
		return slices.ContainsFunc(r.Types, func(t Restriction) bool {
			return t.Relation == "" || known[node{t.Type, t.Relation}]
		})
	case convert.Name:
		return known[node{n.of, e.Name}]
	case convert.Arrow:
		return slices.ContainsFunc(c.relations[node{n.of, e.Via}].Types, func(t Restriction) bool {
			return known[node{t.Type, e.Name}]
		})
	case convert.Union:
		return slices.ContainsFunc(e.Operands, operand)
	case convert.Intersection:
		return !slices.ContainsFunc(e.Operands, func(e convert.Expr) bool { return !operand(e) })
	}
	return operand(e.Operands[0])
}
