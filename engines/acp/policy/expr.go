package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Limits of one expression.
const (
	MaxTerms = 10_000 // names and arrows
	MaxDepth = 256    // of parentheses, and of operations in operations
)

// this stands for what is set on the permission itself.
const this = "_this"

// syntaxError is what is wrong with an expression, and at which byte of it.
type syntaxError struct {
	at      int
	message string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("at byte %d: %s", e.at, e.message) }

// ParseExpr reads an expression. All operators have one precedence and take their operands from left
// to right: a + b & c is (a + b) & c. Arrows cannot be chained.
func ParseExpr(text string) (Expr, error) {
	expr, err := newParser(text).whole()
	if err != nil {
		return Expr{}, fmt.Errorf("expression %q: %w", text, err)
	}
	return expr, nil
}

// token is one of + & - ( ), "->", a name, or "" at the end.
type token struct {
	text string
	at   int
}

func (t token) name() bool { return t.text != "" && !strings.ContainsAny(t.text[:1], "+&-()") }

func (t token) String() string {
	if t.text == "" {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer cuts an expression into tokens.
type lexer struct {
	text  string
	at    int
	steps int // characters looked at
	err   *syntaxError
}

func (l *lexer) next() token {
	start := -1
	for i, r := range l.text[l.at:] {
		l.steps++
		i += l.at
		switch {
		case start >= 0 && identifierRune(r):
			continue
		case start >= 0:
			l.at = i
			return token{l.text[start:i], start}
		case unicode.IsSpace(r):
			continue
		case identifierRune(r):
			start = i
		case r == '-' && strings.HasPrefix(l.text[i:], "->"):
			l.at = i + 2
			return token{"->", i}
		case strings.ContainsRune("+&-()", r):
			l.at = i + 1
			return token{l.text[i:l.at], i}
		default:
			l.err = &syntaxError{i, fmt.Sprintf("unexpected character %q: expected a name, +, &, -, ->, ( or )", r)}
			l.at = len(l.text)
			return token{"", i}
		}
	}
	l.at = len(l.text)
	if start >= 0 {
		return token{l.text[start:], start}
	}
	return token{"", len(l.text)}
}

func identifierRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isIdentifier(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool { return !identifierRune(r) }) < 0
}

// parser reads an expression by recursive descent with one token of foresight, in time and memory
// linear in the text.
type parser struct {
	lexer
	token token
	terms int
	stack []Expr // operands of the operations that are not finished
}

func newParser(text string) *parser {
	// There is at most one operand more than there are operators.
	operators := strings.Count(text, "+") + strings.Count(text, "&") + strings.Count(text, "-")
	p := &parser{lexer: lexer{text: text}, stack: make([]Expr, 0, min(operators+1, MaxTerms))}
	p.token = p.next()
	return p
}

func (p *parser) whole() (Expr, *syntaxError) {
	expr, _, err := p.chain(0)
	if err == nil && p.token.text != "" {
		err = p.unexpected("+, &, - or the end")
	}
	if p.err != nil { // the text could not be cut into tokens: that comes first
		err = p.err
	}
	return expr, err
}

func (p *parser) advance() { p.token = p.next() }

func (p *parser) unexpected(want string) *syntaxError {
	return &syntaxError{p.token.at, fmt.Sprintf("expected %s, found %s", want, p.token)}
}

var operators = map[string]Op{"+": Union, "&": Intersection, "-": Difference}

// chain reads operands between operators. depth counts the parentheses around it; the height of the
// expression is returned.
func (p *parser) chain(depth int) (Expr, int, *syntaxError) {
	base := len(p.stack)
	first, height, err := p.operand(depth)
	if err != nil {
		return Expr{}, 0, err
	}
	p.stack = append(p.stack, first)
	op := None
	for {
		next, more := operators[p.token.text]
		if op != None && (!more || next != op) { // the operands so far are one operation
			operands := p.stack[base:]
			if depth == 0 && !more { // the stack is of no further use, so most expressions are not copied
				return Expr{Op: op, Operands: operands}, height + 1, nil
			}
			p.stack = append(p.stack[:base], Expr{Op: op, Operands: slices.Clone(operands)})
			height++
		}
		if !more {
			whole := p.stack[base]
			p.stack = p.stack[:base]
			return whole, height, nil
		}
		op = next
		at := p.token.at
		p.advance()
		operand, h, err := p.operand(depth)
		if err != nil {
			return Expr{}, 0, err
		}
		if height = max(height, h); height >= MaxDepth {
			return Expr{}, 0, &syntaxError{at, fmt.Sprintf("operations are nested more than %d deep", MaxDepth)}
		}
		p.stack = append(p.stack, operand)
	}
}

// operand reads a name, an arrow, or an expression in parentheses.
func (p *parser) operand(depth int) (Expr, int, *syntaxError) {
	p.steps++
	start := p.token
	switch {
	case start.text == "(":
		if depth == MaxDepth {
			return Expr{}, 0, &syntaxError{start.at, fmt.Sprintf("parentheses are nested more than %d deep", MaxDepth)}
		}
		p.advance()
		inner, height, err := p.chain(depth + 1)
		if err == nil && p.token.text != ")" {
			err = p.unexpected(`")" for the "(" at byte ` + fmt.Sprint(start.at))
		}
		if err != nil {
			return Expr{}, 0, err
		}
		p.advance()
		return inner, height, nil
	case !start.name():
		return Expr{}, 0, p.unexpected(`a name or "("`)
	}
	if p.terms++; p.terms > MaxTerms {
		return Expr{}, 0, &syntaxError{start.at, fmt.Sprintf("more than %d terms", MaxTerms)}
	}
	p.advance()
	if p.token.text != "->" {
		if start.text == this {
			return Expr{Op: None}, 0, nil
		}
		return Expr{Op: Name, Name: start.text}, 0, nil
	}
	p.advance()
	if !p.token.name() {
		return Expr{}, 0, p.unexpected(`a name behind "->"`)
	}
	target := p.token.text
	p.advance()
	return Expr{Op: Arrow, Via: start.text, Name: target}, 0, nil
}

// terms calls yield for each term of a well-formed expression, in the order of the text.
func terms(text string, yield func(via, name string, at int)) {
	l := lexer{text: text}
	for t := l.next(); t.text != ""; {
		if !t.name() {
			t = l.next()
			continue
		}
		first := t
		if t = l.next(); t.text != "->" {
			yield("", first.text, first.at)
			continue
		}
		yield(first.text, l.next().text, first.at)
		t = l.next()
	}
}

// String writes the expression with the fewest parentheses.
func (e Expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e Expr) write(b *strings.Builder) {
	switch e.Op {
	case Name:
		b.WriteString(e.Name)
	case Arrow:
		b.WriteString(e.Via + "->" + e.Name)
	case None:
		b.WriteString(this)
	default:
		sign := map[Op]string{Union: " + ", Intersection: " & ", Difference: " - "}[e.Op]
		for i, operand := range e.Operands {
			if i > 0 {
				b.WriteString(sign)
			}
			if i > 0 && len(operand.Operands) > 0 {
				b.WriteByte('(')
				operand.write(b)
				b.WriteByte(')')
			} else {
				operand.write(b)
			}
		}
	}
}
