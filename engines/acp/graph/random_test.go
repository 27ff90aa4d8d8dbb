package graph_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// randomPolicy returns a policy with usersets of relations and permissions, arrows, all operators, and
// cycles of all of them. It tries until the parser accepts: a minus on a cycle is refused.
func randomPolicy(rng *rand.Rand) *policy.Policy {
	for {
		if p, err := policy.Parse([]byte(randomText(rng)), policy.Options{Lenient: true}); err == nil {
			return p
		}
	}
}

const (
	resources   = 3
	relations   = 3 // of a resource, without owner
	permissions = 3
)

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("name: random\nresources:\n")
	minus := rng.IntN(2) == 0 // with less of it, more cycles are accepted
	for r := range resources {
		fmt.Fprintf(&b, "  r%d:\n    permissions:\n", r)
		for p := range permissions {
			fmt.Fprintf(&b, "      p%d:\n        expr: %s\n", p, randomExpr(rng, 3, minus))
		}
		b.WriteString("    relations:\n      owner:\n        types: [actor]\n")
		for a := range relations {
			types := []string{"actor"}
			for range rng.IntN(4) {
				switch to := rng.IntN(resources); rng.IntN(3) {
				case 0:
					types = append(types, fmt.Sprintf("r%d", to))
				case 1:
					types = append(types, fmt.Sprintf("r%d->a%d", to, rng.IntN(relations)))
				case 2:
					types = append(types, fmt.Sprintf("r%d->p%d", to, rng.IntN(permissions)))
				}
			}
			fmt.Fprintf(&b, "      a%d:\n        types: [%s]\n", a, strings.Join(types, ", "))
		}
	}
	return b.String()
}

func randomExpr(rng *rand.Rand, depth int, minus bool) string {
	operand := func() string {
		if depth > 0 && rng.IntN(3) == 0 {
			return "(" + randomExpr(rng, depth-1, minus) + ")"
		}
		switch rng.IntN(6) {
		case 0:
			return "owner"
		case 1, 2:
			return fmt.Sprintf("a%d", rng.IntN(relations))
		case 3:
			return fmt.Sprintf("a%d->a%d", rng.IntN(relations), rng.IntN(relations))
		case 4:
			return fmt.Sprintf("a%d->p%d", rng.IntN(relations), rng.IntN(permissions))
		}
		return fmt.Sprintf("p%d", rng.IntN(permissions))
	}
	operators := "++&"
	if minus {
		operators = "+&-"
	}
	text := operand()
	for range rng.IntN(3) {
		text += fmt.Sprintf(" %c %s", operators[rng.IntN(len(operators))], operand())
	}
	return text
}

func actorName(i int) string  { return fmt.Sprintf("did:key:z%d", i) }
func objectName(i int) string { return fmt.Sprintf("o%d", i) }

// randomRelationship returns a relationship that the policy's types take.
func randomRelationship(rng *rand.Rand, p *policy.Policy, objects, actors int) tuple.Relationship {
	resource := p.Resources[rng.IntN(len(p.Resources))]
	relation := resource.Relations[rng.IntN(len(resource.Relations))]
	r := tuple.Relationship{
		Object:   tuple.Object{Resource: resource.Name, ID: objectName(rng.IntN(objects))},
		Relation: relation.Name,
	}
	t := relation.Types[rng.IntN(len(relation.Types))]
	switch {
	case t.Resource != p.Actor:
		r.Subject = tuple.Subject{Kind: tuple.Entity, Object: tuple.Object{Resource: t.Resource, ID: objectName(rng.IntN(objects))}}
		if t.Relation != "" {
			r.Subject.Kind, r.Subject.Relation = tuple.Userset, t.Relation
		}
	case rng.IntN(6) == 0:
		r.Subject.Kind = tuple.All
	default:
		r.Subject = tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: actorName(rng.IntN(actors))}}
	}
	return r
}
