// Package spicedb turns SpiceDB's schemas, relationships and validation files into policies and
// relationships.
package spicedb

import (
	"fmt"
	"strings"

	"assay/acp/convert"
	"assay/acp/policy"
)

// Parse reads a schema. Errors name line and column.
func Parse(text string) (convert.Schema, error) {
	if len(text) > policy.MaxText {
		return convert.Schema{}, fmt.Errorf("the schema has %d bytes: expected at most %d", len(text), policy.MaxText)
	}
	p := &parser{text: text}
	p.advance()
	for p.err == nil && p.token != "" {
		p.declaration()
	}
	if p.err != nil {
		return convert.Schema{}, p.err
	}
	return p.schema, check(p.schema)
}

// parser reads by recursive descent with one token of foresight.
type parser struct {
	text   string
	at     int // behind the token
	token  string
	err    error
	terms  int
	schema convert.Schema
}

func (p *parser) advance() {
	p.token = ""
	rest := p.text[p.at:]
	for {
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		switch {
		case strings.HasPrefix(trimmed, "//"):
			_, trimmed, _ = strings.Cut(trimmed, "\n")
		case strings.HasPrefix(trimmed, "/*"):
			_, after, closed := strings.Cut(trimmed[2:], "*/")
			if !closed {
				p.at = len(p.text) - len(trimmed)
				p.fail("a comment without an end")
				return
			}
			trimmed = after
		}
		if len(trimmed) == len(rest) {
			break
		}
		rest = trimmed
	}
	p.at = len(p.text) - len(rest)
	n := tokenLength(rest)
	if n == 0 && rest != "" {
		p.fail("unexpected character")
		return
	}
	p.token = rest[:n]
	p.at += n
}

// tokenLength measures the token at the begin of a text. A name has parts, with slashes between.
func tokenLength(text string) int {
	n := 0
	for n < len(text) && (letter(text[n]) || n > 0 && text[n] >= '0' && text[n] <= '9' ||
		n > 0 && text[n] == '/' && n+1 < len(text) && letter(text[n+1])) {
		n++
	}
	switch {
	case n > 0 || text == "":
		return n
	case strings.HasPrefix(text, "..."):
		return 3
	case strings.HasPrefix(text, "->"):
		return 2
	case strings.IndexByte("{}()#:*|=+&,.;-", text[0]) >= 0:
		return 1
	}
	return 0
}

func letter(b byte) bool { return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		before := p.text[:p.at-len(p.token)]
		p.err = fmt.Errorf("%d:%d: %w", 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n'),
			fmt.Errorf(format, args...))
	}
	p.token = ""
}

func (p *parser) unsupported(feature, where string) {
	if p.err == nil {
		p.err = &convert.Unsupported{Feature: feature, Where: where}
	}
	p.token = ""
}

func (p *parser) next(token string) bool {
	if p.token != token || p.err != nil {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(token string) {
	if !p.next(token) {
		p.fail("expected %q, found %q", token, p.token)
	}
}

var keywords = map[string]bool{"definition": true, "relation": true, "permission": true, "caveat": true, "nil": true, "with": true}

func (p *parser) name(what string) string {
	name := p.token
	if name == "" || !letter(name[0]) || keywords[name] {
		p.fail("expected %s, found %q", what, name)
		return ""
	}
	p.advance()
	return name
}

func (p *parser) declaration() {
	switch {
	case p.next("use"):
		if flag := p.name("a flag"); flag != "expiration" {
			p.unsupported("use "+flag, "use "+flag)
		}
	case p.next("caveat"):
		p.unsupported(convert.Conditions, "caveat "+p.token)
	case p.next("import"):
		p.unsupported(convert.Modules, "import")
	case p.next("partial"):
		p.unsupported(convert.Modules, "partial "+p.token)
	case p.next("definition"):
		t := convert.Type{Name: p.name("a name")}
		p.expect("{")
		for p.err == nil && !p.next("}") {
			t.Relations = append(t.Relations, p.member())
		}
		p.schema.Types = append(p.schema.Types, t)
	default:
		p.fail("expected definition, found %q", p.token)
	}
}

func (p *parser) member() convert.Relation {
	var r convert.Relation
	switch {
	case p.next("relation"):
		r.Name = p.name("a name")
		p.expect(":")
		r.Subjects = append(r.Subjects, p.subject())
		for p.next("|") {
			r.Subjects = append(r.Subjects, p.subject())
		}
	case p.next("permission"):
		r.Name = p.name("a name")
		p.expect("=")
		r.Expr = p.chain(0, 0)
	default:
		p.fail("expected relation or permission, found %q", p.token)
	}
	p.next(";")
	return r
}

func (p *parser) subject() convert.Subject {
	s := convert.Subject{Type: p.name("a type")}
	switch {
	case p.next("#"):
		if !p.next("...") {
			s.Relation = p.name("a relation")
		}
	case p.next(":"):
		p.expect("*")
		s.Wildcard = true
	}
	if p.next("with") {
		if p.token == "expiration" {
			p.unsupported(convert.Expiration, s.Type+" with expiration")
		}
		p.unsupported(convert.Conditions, s.Type+" with "+p.token)
	}
	return s
}

// maxDepth bounds the parentheses of an expression.
const maxDepth = 128

// signs of the operations, those that bind less tightly first.
var signs = []struct {
	op   convert.Op
	text string
}{{convert.Difference, "-"}, {convert.Intersection, "&"}, {convert.Union, "+"}}

// chain reads operands between the operators of one level of signs. + binds most tightly.
func (p *parser) chain(level, depth int) convert.Expr {
	if level == len(signs) {
		return p.operand(depth)
	}
	first := p.chain(level+1, depth)
	sign := signs[level]
	if p.token != sign.text {
		return first
	}
	rest := p.text[p.at:]
	if end := strings.IndexAny(rest, "(){}"); end >= 0 {
		rest = rest[:end]
	}
	operands := append(make([]convert.Expr, 0, 2+strings.Count(rest, sign.text)), first)
	for p.next(sign.text) {
		operands = append(operands, p.chain(level+1, depth))
	}
	return convert.Expr{Op: sign.op, Operands: operands}
}

func (p *parser) operand(depth int) convert.Expr {
	if p.terms++; p.terms > 10*policy.MaxTerms {
		p.fail("more than %d terms", 10*policy.MaxTerms)
	}
	switch {
	case p.next("("):
		if depth == maxDepth {
			p.fail("parentheses are nested more than %d deep", maxDepth)
			return convert.Expr{}
		}
		inner := p.chain(0, depth+1)
		p.expect(")")
		return inner
	case p.next("nil"):
		return convert.Expr{Op: convert.Nobody}
	case p.token == "self":
		p.unsupported(convert.Self, "self")
	}
	name := p.name("a relation, a permission, nil or (")
	arrow := convert.Expr{Op: convert.Arrow, Via: name}
	switch {
	case p.next("->"):
		arrow.Name = p.name("a name behind ->")
	case p.next("."):
		switch function := p.name("any or all"); function {
		case "any":
		case "all":
			p.unsupported(convert.AllArrow, name+".all")
		default:
			p.fail("expected any or all, found %q", function)
		}
		p.expect("(")
		arrow.Name = p.name("a name")
		p.expect(")")
	default:
		return convert.Expr{Op: convert.Name, Name: name}
	}
	if p.token == "->" || p.token == "." {
		p.fail("arrows cannot be chained")
	}
	return arrow
}

// check finds names that are unknown, or there twice.
func check(s convert.Schema) error {
	types := map[string]map[string]*convert.Relation{}
	names := 0
	for _, t := range s.Types {
		if types[t.Name] != nil {
			return fmt.Errorf("definition %s is there twice", t.Name)
		}
		types[t.Name] = map[string]*convert.Relation{}
		for i := range t.Relations {
			r := &t.Relations[i]
			if types[t.Name][r.Name] != nil {
				return fmt.Errorf("definition %s: %s is there twice", t.Name, r.Name)
			}
			types[t.Name][r.Name] = r
		}
		if names += 1 + len(t.Relations); names > policy.MaxNames {
			return fmt.Errorf("more than %d definitions, relations and permissions", policy.MaxNames)
		}
	}
	for _, t := range s.Types {
		for _, r := range t.Relations {
			for _, subject := range r.Subjects {
				if known := types[subject.Type]; known == nil || subject.Relation != "" && known[subject.Relation] == nil {
					return fmt.Errorf("definition %s: relation %s: unknown type %s#%s", t.Name, r.Name, subject.Type, subject.Relation)
				}
			}
			if err := checkExpr(t.Name, types[t.Name], r.Name, r.Expr); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkExpr(in string, known map[string]*convert.Relation, permission string, e convert.Expr) error {
	where := fmt.Sprintf("definition %s: permission %s", in, permission)
	switch e.Op {
	case convert.Name:
		if known[e.Name] == nil {
			return fmt.Errorf("%s: unknown relation or permission %s", where, e.Name)
		}
	case convert.Arrow:
		via := known[e.Via]
		if via == nil || len(via.Subjects) == 0 {
			return fmt.Errorf("%s: %s->%s: %s is no relation", where, e.Via, e.Name, e.Via)
		}
		for _, s := range via.Subjects {
			if s.Wildcard {
				return fmt.Errorf("%s: %s->%s: %s has a wildcard", where, e.Via, e.Name, e.Via)
			}
		}
	}
	for _, operand := range e.Operands {
		if err := checkExpr(in, known, permission, operand); err != nil {
			return err
		}
	}
	return nil
}
