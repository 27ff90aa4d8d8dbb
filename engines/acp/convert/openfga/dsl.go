// Package openfga turns OpenFGA's models, tuples and store files into policies and relationships.
package openfga

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/acp/convert"
	"assay/acp/policy"
)

// A model is read as it is written: by lines, each one statement. A line goes on while a bracket is
// open. A # at the begin of a line or behind a space begins a comment.

// statement is one line, or several that an open bracket joins.
type statement struct {
	line int
	text string
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_./-]*$`)

// Parse reads a model in the DSL, schema 1.1 or 1.2. Errors name the line.
func Parse(text string) (*Model, error) {
	return parse(text, &dsl{model: &Model{}})
}

// parseModule reads one file of a modular model.
func parseModule(text string) (*Model, error) {
	return parse(text, &dsl{model: &Model{}, modular: true})
}

func parse(text string, p *dsl) (*Model, error) {
	if len(text) > policy.MaxText {
		return nil, fmt.Errorf("the model has %d bytes: expected at most %d", len(text), policy.MaxText)
	}
	for _, s := range statements(text) {
		if err := p.statement(s); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	if !p.schema {
		return nil, fmt.Errorf("line 1: expected %s", p.header())
	}
	if p.skipping {
		return nil, fmt.Errorf("condition %s has no end", p.model.Conditions[len(p.model.Conditions)-1])
	}
	return p.model, nil
}

// statements gives the lines that are not empty, without comments; a definition goes on up to its
// last bracket.
func statements(text string) []statement {
	var all []statement
	var parts []string // of the last one
	open := 0
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].text = strings.Join(parts, " ")
		}
		parts = parts[:0]
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(withoutComment(line))
		if line == "" {
			continue
		}
		if open <= 0 {
			end()
			all = append(all, statement{line: i + 1})
		}
		parts = append(parts, line)
		if strings.HasPrefix(parts[0], "define") {
			open += strings.Count(line, "[") + strings.Count(line, "(") - strings.Count(line, "]") - strings.Count(line, ")")
		}
	}
	end()
	return all
}

func withoutComment(line string) string {
	for i, r := range line {
		if r == '#' && (i == 0 || strings.IndexByte(space, line[i-1]) >= 0) {
			return line[:i]
		}
	}
	return line
}

// dsl reads statement by statement.
type dsl struct {
	model     *Model
	begun     bool // model was seen
	schema    bool
	relations bool // of the last type
	skipping  bool // the body of a condition
	modular   bool // the text is a module, not a whole model
}

func (p *dsl) header() string {
	if p.modular {
		return "module and its name"
	}
	return "model and schema 1.1 or 1.2"
}

func (p *dsl) statement(s statement) error {
	if p.skipping {
		p.skipping = !strings.HasSuffix(s.text, "}")
		return nil
	}
	word, rest := cutWord(s.text)
	switch {
	case !p.begun:
		p.schema = p.modular && word == "module" && identifier.MatchString(rest)
		if p.begun = p.schema || !p.modular && s.text == "model"; !p.begun {
			return fmt.Errorf("expected %s, found %q", p.header(), s.text)
		}
		return nil
	case !p.schema:
		if word != "schema" || rest != "1.1" && rest != "1.2" {
			return fmt.Errorf("expected schema 1.1 or schema 1.2, found %q", s.text)
		}
		p.schema = true
		return nil
	}
	extends := false
	if p.modular && word == "extend" {
		extends = true
		word, rest = cutWord(rest)
	}
	if extends && word != "type" {
		return fmt.Errorf("expected type behind extend, found %q", word)
	}
	switch word {
	case "type":
		if !identifier.MatchString(rest) {
			return fmt.Errorf("%q is no name of a type", rest)
		}
		p.model.Types = append(p.model.Types, Type{Name: rest, Line: s.line, Extends: extends})
		p.relations = false
		return nil
	case "relations":
		if rest != "" || len(p.model.Types) == 0 || p.relations {
			return fmt.Errorf("relations: expected once behind a type, alone on its line")
		}
		p.relations = true
		return nil
	case "define":
		if !p.relations {
			return fmt.Errorf("define: expected behind relations")
		}
		r, err := define(rest, s.line)
		if err != nil {
			return err
		}
		last := &p.model.Types[len(p.model.Types)-1]
		last.Relations = append(last.Relations, r)
		return nil
	case "condition":
		if p.relations && len(p.model.Types[len(p.model.Types)-1].Relations) == 0 {
			return fmt.Errorf("relations: expected define")
		}
		name, _, _ := strings.Cut(rest, "(")
		p.model.Conditions = append(p.model.Conditions, strings.TrimSpace(name))
		p.skipping = !strings.HasSuffix(s.text, "}")
		return nil
	}
	return fmt.Errorf("expected type, relations, define or condition, found %q", s.text)
}

// space is what separates words in a line.
const space = " \t\r\v\f"

// cutWord cuts the first word off.
func cutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, space)
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.Trim(text[end:], space)
}

func define(text string, line int) (Relation, error) {
	name, rewrite, found := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if !found || !identifier.MatchString(name) {
		return Relation{}, fmt.Errorf("define: expected a name and a colon, found %q", text)
	}
	r := Relation{Name: name, Line: line}
	e := &expression{rest: rewrite, relation: &r}
	var err error
	if r.Rewrite, err = e.chain(true, 0); err == nil && e.peek() != "" {
		err = fmt.Errorf("expected the end, found %q", e.peek())
	}
	return r, err
}

// maxDepth bounds the parentheses of a rewrite.
const maxDepth = 128

// expression reads a rewrite. Operators cannot be mixed without parentheses, and the list of types
// that can be set stands first.
type expression struct {
	rest     string
	relation *Relation
	terms    int
}

// peek returns the next token: a bracket with what is inside, a parenthesis, or a word. At the end it
// is empty.
func (e *expression) peek() string {
	e.rest = strings.TrimLeft(e.rest, space)
	end := strings.IndexAny(e.rest, space+"()[")
	switch {
	case e.rest == "":
		return ""
	case e.rest[0] == '[':
		if end = strings.IndexByte(e.rest, ']') + 1; end == 0 {
			end = len(e.rest)
		}
	case end == 0:
		end = 1
	case end < 0:
		end = len(e.rest)
	}
	return e.rest[:end]
}

func (e *expression) take() string {
	t := e.peek()
	e.rest = e.rest[len(t):]
	return t
}

func (e *expression) operator() (convert.Op, bool, error) {
	switch e.peek() {
	case "or":
		e.take()
		return convert.Union, true, nil
	case "and":
		e.take()
		return convert.Intersection, true, nil
	case "but":
		e.take()
		if next := e.take(); next != "not" {
			return 0, false, fmt.Errorf("expected not behind but, found %q", next)
		}
		return convert.Difference, true, nil
	}
	return 0, false, nil
}

// operators counts those that follow before a parenthesis.
func (e *expression) operators(op convert.Op) int {
	rest := e.rest
	if end := strings.IndexAny(rest, "()"); end >= 0 {
		rest = rest[:end]
	}
	switch op {
	case convert.Union:
		return strings.Count(rest, " or ")
	case convert.Intersection:
		return strings.Count(rest, " and ")
	}
	return 0
}

func (e *expression) chain(first bool, depth int) (convert.Expr, error) {
	operand, err := e.operand(first, depth)
	if err != nil {
		return operand, err
	}
	chain := convert.Expr{Operands: []convert.Expr{operand}}
	for {
		op, more, err := e.operator()
		switch {
		case err != nil:
			return chain, err
		case !more && len(chain.Operands) == 1:
			return operand, nil
		case !more:
			return chain, nil
		case len(chain.Operands) > 1 && (op != chain.Op || op == convert.Difference):
			return chain, fmt.Errorf("more than one kind of operator, or but not twice: expected parentheses")
		}
		if chain.Op = op; len(chain.Operands) == 1 {
			chain.Operands = slices.Grow(chain.Operands, 1+e.operators(op))
		}
		next, err := e.operand(false, depth)
		if err != nil {
			return chain, err
		}
		chain.Operands = append(chain.Operands, next)
	}
}

func (e *expression) operand(first bool, depth int) (convert.Expr, error) {
	t := e.take()
	if e.terms++; e.terms > policy.MaxTerms {
		return convert.Expr{}, fmt.Errorf("more than %d terms", policy.MaxTerms)
	}
	switch {
	case t == "(":
		if depth == maxDepth {
			return convert.Expr{}, fmt.Errorf("parentheses are nested more than %d deep", maxDepth)
		}
		inner, err := e.chain(first, depth+1)
		if closing := e.take(); err == nil && closing != ")" {
			err = fmt.Errorf(`expected ")", found %q`, closing)
		}
		return inner, err
	case strings.HasPrefix(t, "[") && !first:
		return convert.Expr{}, fmt.Errorf("%s: types that can be set stand first", t)
	case strings.HasPrefix(t, "["):
		return convert.Expr{Op: convert.Direct}, e.types(t)
	case !identifier.MatchString(t) || t == "or" || t == "and" || t == "but" || t == "not" || t == "from":
		return convert.Expr{}, fmt.Errorf("expected a relation, found %q", t)
	case e.peek() != "from":
		return convert.Expr{Op: convert.Name, Name: t}, nil
	}
	e.take()
	via := e.take()
	if !identifier.MatchString(via) {
		return convert.Expr{}, fmt.Errorf("expected a relation behind from, found %q", via)
	}
	return convert.Expr{Op: convert.Arrow, Name: t, Via: via}, nil
}

// types reads [user, user:*, group#member, user with condition].
func (e *expression) types(list string) error {
	inner, closed := strings.CutSuffix(strings.TrimPrefix(list, "["), "]")
	if !closed {
		return fmt.Errorf("%s: expected ]", list)
	}
	if n := 1 + strings.Count(inner, ","); n > policy.MaxTerms {
		return fmt.Errorf("%d types that can be set: expected at most %d", n, policy.MaxTerms)
	}
	e.relation.Types = slices.Grow(e.relation.Types, 1+strings.Count(inner, ","))
	for item := range strings.SplitSeq(inner, ",") {
		words := strings.Fields(item)
		restriction := Restriction{}
		switch {
		case len(words) == 3 && words[1] == "with" && identifier.MatchString(words[2]):
			restriction.Condition = words[2]
		case len(words) == 3 && words[1] == "with" && strings.HasPrefix(words[2], "$"):
			return &convert.Unsupported{Feature: convert.Conditions, Where: item}
		case len(words) != 1:
			return fmt.Errorf("%s: %q is no type of subjects", list, item)
		}
		s := convert.Subject{Type: words[0]}
		if name, wild := strings.CutSuffix(words[0], ":*"); wild {
			s = convert.Subject{Type: name, Wildcard: true}
		} else if name, relation, found := strings.Cut(words[0], "#"); found {
			s = convert.Subject{Type: name, Relation: relation}
		}
		if !identifier.MatchString(s.Type) || s.Relation != "" && !identifier.MatchString(s.Relation) ||
			strings.HasSuffix(words[0], "#") {
			return fmt.Errorf("%s: %q is no type of subjects", list, item)
		}
		restriction.Subject = s
		e.relation.Types = append(e.relation.Types, restriction)
	}
	return nil
}
