package explain

import (
	"fmt"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// Verify checks that under the policy and the facts the certificate's answer is right and its proof
// complete. It believes nothing that the certificate says: every relationship is looked up, and of a
// node that fails all subjects that lead on. The time is linear in the certificate, times the
// length of the permissions' expressions. The error is an ErrRefused that names the step.
func Verify(p *policy.Policy, facts Facts, c Certificate) error {
	v := verifier{facts: facts, actor: c.Actor, names: definitions(p), proved: map[Node]answer{}}
	for i, step := range c.Steps {
		if err := v.step(step); err != nil {
			return fmt.Errorf("%w: step %d: %w", ErrRefused, i+1, err)
		}
	}
	want := no
	if c.Allowed {
		want = yes
	}
	if v.proved[c.Question] != want {
		return fmt.Errorf("%w: the steps do not prove the answer to %s", ErrRefused, c.Question)
	}
	return nil
}

// answer is what is known of a node or an expression.
type answer uint8

const (
	unknown answer = iota
	yes
	no
)

// name is a relation, with a nil expression, or a permission of a resource.
type name struct{ resource, name string }

func definitions(p *policy.Policy) map[name]*policy.Expr {
	defs := map[name]*policy.Expr{}
	for _, r := range p.Resources {
		for _, relation := range r.Relations {
			defs[name{r.Name, relation.Name}] = nil
		}
		for _, permission := range r.Permissions {
			defs[name{r.Name, permission.Name}] = &permission.Expr
		}
	}
	return defs
}

type verifier struct {
	facts   Facts
	actor   string
	names   map[name]*policy.Expr
	proved  map[Node]answer             // by the steps before
	assumed map[Node]bool               // the set of this step, if it is one of nodes that fail
	object  tuple.Object                // of the proof that is looked at
	named   map[tuple.Relationship]bool // by this proof, and looked up
}

func (v *verifier) step(s Step) error {
	want := no
	v.assumed = nil
	if s.Holds {
		want = yes
		if len(s.Proofs) != 1 {
			return fmt.Errorf("%d nodes instead of one", len(s.Proofs))
		}
	} else {
		v.assumed = make(map[Node]bool, len(s.Proofs))
	}
	for _, p := range s.Proofs {
		if v.proved[p.Node] != unknown || v.assumed[p.Node] {
			return fmt.Errorf("%s is proved twice", p.Node)
		}
		if !s.Holds {
			v.assumed[p.Node] = true
		}
	}
	for _, p := range s.Proofs {
		got, err := v.proof(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Node, err)
		}
		if got != want {
			return fmt.Errorf("%s is not proved", p.Node)
		}
	}
	for _, p := range s.Proofs {
		v.proved[p.Node] = want
	}
	return nil
}

func (v *verifier) proof(p Proof) (answer, error) {
	expr, defined := v.names[name{p.Object.Resource, p.Name}]
	if !defined {
		return unknown, ErrUnknown
	}
	v.object, v.named = p.Object, make(map[tuple.Relationship]bool, len(p.Facts))
	for _, f := range p.Facts {
		if f.Object != p.Object || v.named[f] || !v.facts.Has(f) {
			return unknown, fmt.Errorf("%s is not a relationship of this object, or named twice", f)
		}
		v.named[f] = true
	}
	if expr == nil {
		return v.relation(p.Name), nil
	}
	return v.eval(expr, true), nil
}

// ask looks a node up. What this step sets out to prove may be assumed only outside of exclusions:
// there it says that the nodes could hold only because of each other.
func (v *verifier) ask(n Node, assume bool) answer {
	if _, defined := v.names[name{n.Object.Resource, n.Name}]; !defined || assume && v.assumed[n] {
		return no
	}
	return v.proved[n]
}

func (v *verifier) relation(relation string) answer {
	everyone := tuple.Relationship{Object: v.object, Relation: relation, Subject: tuple.Subject{Kind: tuple.All}}
	actor := everyone
	actor.Subject = tuple.Subject{Object: tuple.Object{ID: v.actor}}
	switch {
	case v.named[everyone] || v.actor != "" && v.named[actor]:
		return yes
	case v.facts.Has(everyone) || v.actor != "" && v.facts.Has(actor):
		return unknown // it holds, but not by what is named
	}
	return v.follow(relation, tuple.Userset, "", true)
}

// follow asks the nodes that the subjects of one kind lead to: the usersets themselves, or the target
// at the objects. One that is named and holds is enough. If none holds, all must be named.
func (v *verifier) follow(relation string, kind tuple.Kind, target string, assume bool) answer {
	next := func(s tuple.Subject) Node {
		if kind == tuple.Userset {
			return Node{s.Object, s.Relation}
		}
		return Node{s.Object, target}
	}
	for f := range v.named {
		if f.Relation == relation && f.Subject.Kind == kind && v.ask(next(f.Subject), assume) == yes {
			return yes
		}
	}
	for s := range v.facts.Subjects(v.object, relation) {
		f := tuple.Relationship{Object: v.object, Relation: relation, Subject: s}
		if s.Kind == kind && (!v.named[f] || v.ask(next(s), assume) != no) {
			return unknown
		}
	}
	return no
}

func (v *verifier) eval(e *policy.Expr, assume bool) answer {
	switch e.Op {
	case policy.None:
		return no
	case policy.Name:
		return v.ask(Node{v.object, e.Name}, assume)
	case policy.Arrow:
		return v.follow(e.Via, tuple.Entity, e.Name, assume)
	}
	settles, otherwise := no, yes // one operand that settles it, or all others
	if e.Op == policy.Union {
		settles, otherwise = yes, no
	}
	for i := range e.Operands {
		a := v.eval(&e.Operands[i], assume && (e.Op != policy.Difference || i == 0))
		if e.Op == policy.Difference && i > 0 {
			a = [...]answer{unknown: unknown, yes: no, no: yes}[a]
		}
		if a == settles {
			return settles
		}
		if a == unknown {
			otherwise = unknown
		}
	}
	return otherwise
}
