package explain

import (
	"fmt"
	"io"
	"strings"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// WriteText writes the certificate as a tree: the question, indented below it what decides it, and so
// on. What was shown before is not shown again.
func (c Certificate) WriteText(w io.Writer, p *policy.Policy) error {
	t := tree{policy: p, steps: map[Node]shown{}, seen: map[Node]bool{}}
	for _, s := range c.Steps {
		for _, p := range s.Proofs {
			t.steps[p.Node] = shown{s.Holds, p.Facts}
		}
	}
	who, verb := c.Actor, "has not"
	if who == "" {
		who = "somebody without identity"
	}
	if c.Allowed {
		verb = "has"
	}
	if _, err := fmt.Fprintf(w, "%s %s %s (revision %d)\n", who, verb, c.Question, c.Revision); err != nil {
		return err
	}
	return t.write(w, c.Question)
}

type shown struct {
	holds bool
	facts []tuple.Relationship
}

type tree struct {
	policy *policy.Policy
	steps  map[Node]shown
	seen   map[Node]bool
}

type line struct {
	depth int
	node  Node
	fact  *tuple.Relationship // by which the node is reached, or instead of a node
}

// deepest is where the indentation ends: a chain of thousands stays readable.
const deepest = 24

func (t *tree) write(w io.Writer, root Node) error {
	stack := []line{{node: root}}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		text := strings.Repeat("  ", min(l.depth, deepest)+1)
		if l.fact != nil {
			text += l.fact.String()
		}
		step, known := t.steps[l.node]
		if known {
			if l.fact != nil {
				text += ": "
			}
			text += l.node.String() + map[bool]string{true: " holds", false: " fails"}[step.holds]
			if t.seen[l.node] {
				text += ", see above"
				known = false
			} else if _, permission := definition(t.policy, l.node); permission != nil {
				text += ": " + permission.Expr.String()
			}
		}
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
		if known {
			t.seen[l.node] = true
			below := t.below(l.node, step)
			for i := len(below) - 1; i >= 0; i-- {
				below[i].depth = l.depth + 1
				stack = append(stack, below[i])
			}
		}
	}
	return nil
}

// below returns what a proof refers to: the names of its expression that were proved, and its facts.
func (t *tree) below(n Node, step shown) []line {
	var lines []line
	_, permission := definition(t.policy, n)
	if permission == nil {
		for i, f := range step.facts {
			l := line{fact: &step.facts[i]}
			if f.Subject.Kind == tuple.Userset {
				l.node = Node{f.Subject.Object, f.Subject.Relation}
			}
			lines = append(lines, l)
		}
		return lines
	}
	t.leaves(permission.Expr, func(leaf policy.Expr) {
		if leaf.Op == policy.Name {
			if to := (Node{n.Object, leaf.Name}); t.proved(to) {
				lines = append(lines, line{node: to})
			}
			return
		}
		for i, f := range step.facts {
			if to := (Node{f.Subject.Object, leaf.Name}); f.Relation == leaf.Via && t.proved(to) {
				lines = append(lines, line{fact: &step.facts[i], node: to})
			}
		}
	})
	return lines
}

func (t *tree) proved(n Node) bool { _, is := t.steps[n]; return is }

func (t *tree) leaves(e policy.Expr, visit func(policy.Expr)) {
	if e.Op == policy.Name || e.Op == policy.Arrow {
		visit(e)
	}
	for _, operand := range e.Operands {
		t.leaves(operand, visit)
	}
}
