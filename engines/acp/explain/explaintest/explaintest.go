// Package explaintest makes random policies and relationships for tests of what decisions rest on.
package explaintest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// How much there is of everything.
const (
	Objects   = 4 // of a resource
	Actors    = 3
	resources = 3
	names     = 3 // relations besides the owner, and permissions, of a resource
)

// Policy returns a policy with usersets, arrows, cycles and the operators given, such as "+&-".
func Policy(rng *rand.Rand, operators string) *policy.Policy {
	for {
		if p := newDraft(rng, operators).parse(); p != nil {
			return p
		}
	}
}

// Edit returns a policy, and the same with some other expressions.
func Edit(rng *rand.Rand, operators string) (before, after *policy.Policy) {
	for {
		d := newDraft(rng, operators)
		before = d.parse()
		for range 1 + rng.IntN(3) {
			d.expressions[rng.IntN(resources)][rng.IntN(names)] = expression(rng, 2, operators)
		}
		if after = d.parse(); before != nil && after != nil {
			return before, after
		}
	}
}

// draft is a policy that may have a minus on a cycle, and is then refused.
type draft struct {
	expressions, types [resources][names]string
}

func newDraft(rng *rand.Rand, operators string) *draft {
	d := &draft{}
	for r := range resources {
		for n := range names {
			d.expressions[r][n] = expression(rng, 2, operators)
			types := []string{"actor"}
			for range rng.IntN(4) {
				switch to := rng.IntN(resources); rng.IntN(3) {
				case 0:
					types = append(types, fmt.Sprintf("r%d", to))
				case 1:
					types = append(types, fmt.Sprintf("r%d->a%d", to, rng.IntN(names)))
				case 2:
					types = append(types, fmt.Sprintf("r%d->p%d", to, rng.IntN(names)))
				}
			}
			d.types[r][n] = strings.Join(types, ", ")
		}
	}
	return d
}

func (d *draft) parse() *policy.Policy {
	var b strings.Builder
	b.WriteString("name: random\nresources:\n")
	for r := range resources {
		fmt.Fprintf(&b, "  r%d:\n    permissions:\n", r)
		for n, e := range d.expressions[r] {
			fmt.Fprintf(&b, "      p%d: {expr: %s}\n", n, e)
		}
		b.WriteString("    relations:\n      owner: {types: [actor]}\n")
		for n, types := range d.types[r] {
			fmt.Fprintf(&b, "      a%d: {types: [%s]}\n", n, types)
		}
	}
	p, err := policy.Parse([]byte(b.String()), policy.Options{Lenient: true})
	if err != nil {
		return nil
	}
	return p
}

func expression(rng *rand.Rand, depth int, operators string) string {
	operand := func() string {
		if depth > 0 && rng.IntN(3) == 0 {
			return "(" + expression(rng, depth-1, operators) + ")"
		}
		switch rng.IntN(6) {
		case 0:
			return "owner"
		case 1, 2:
			return fmt.Sprintf("a%d", rng.IntN(names))
		case 3:
			return fmt.Sprintf("a%d->a%d", rng.IntN(names), rng.IntN(names))
		case 4:
			return fmt.Sprintf("a%d->p%d", rng.IntN(names), rng.IntN(names))
		}
		return fmt.Sprintf("p%d", rng.IntN(names))
	}
	text := operand()
	for range rng.IntN(3) {
		text += fmt.Sprintf(" %c %s", operators[rng.IntN(len(operators))], operand())
	}
	return text
}

// Actor returns the i-th actor; the one before the first is nobody in particular.
func Actor(i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("did:key:z%d", i)
}

// Object returns the i-th object of a resource.
func Object(resource string, i int) tuple.Object {
	return tuple.Object{Resource: resource, ID: fmt.Sprintf("o%d", i)}
}

// Relationships returns relationships that the policy's types take.
func Relationships(rng *rand.Rand, p *policy.Policy, count int) []tuple.Relationship {
	var all []tuple.Relationship
	for range count {
		resource := p.Resources[rng.IntN(len(p.Resources))]
		relation := resource.Relations[rng.IntN(len(resource.Relations))]
		r := tuple.Relationship{Object: Object(resource.Name, rng.IntN(Objects)), Relation: relation.Name}
		t := relation.Types[rng.IntN(len(relation.Types))]
		switch {
		case t.Resource != p.Actor:
			r.Subject = tuple.Subject{Kind: tuple.Entity, Object: Object(t.Resource, rng.IntN(Objects)), Relation: t.Relation}
			if t.Relation != "" {
				r.Subject.Kind = tuple.Userset
			}
		case rng.IntN(8) == 0:
			r.Subject.Kind = tuple.All
		default:
			r.Subject.Object.ID = Actor(rng.IntN(Actors))
		}
		all = append(all, r)
	}
	return all
}

// Questions calls yield for every name at every object and every actor, nobody in particular among them.
func Questions(p *policy.Policy, yield func(name, actor string, object tuple.Object)) {
	for _, resource := range p.Resources {
		var names []string
		for _, r := range resource.Relations {
			names = append(names, r.Name)
		}
		for _, q := range resource.Permissions {
			names = append(names, q.Name)
		}
		for _, name := range names {
			for o := range Objects {
				for a := -1; a <= Actors; a++ { // the last is mentioned nowhere
					yield(name, Actor(a), Object(resource.Name, o))
				}
			}
		}
	}
}
