package spicedb

import (
	"context"
	"fmt"
	"strings"

	v1 "github.com/authzed/authzed-go/proto/authzed/api/v1"

	"assay/acp/bench/docbench"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// graph holds any policy.
type graph struct{ store }

// load writes the policy as a schema, and the relationships.
func load(text string, relationships []tuple.Relationship) (docbench.Graph, error) {
	p, err := policy.Parse([]byte(text), policy.Options{Lenient: true})
	if err != nil {
		return nil, err
	}
	s, err := openSchema(schema(p, forAll(relationships)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docbench.ErrPolicyRefused, err)
	}
	updates := make([]*v1.RelationshipUpdate, len(relationships))
	for i, r := range relationships {
		updates[i] = &v1.RelationshipUpdate{
			Operation: v1.RelationshipUpdate_OPERATION_CREATE,
			Relationship: &v1.Relationship{
				Resource: &v1.ObjectReference{ObjectType: r.Object.Resource, ObjectId: r.Object.ID},
				Relation: named(r.Relation),
				Subject:  subjectOf(p, r.Subject),
			},
		}
	}
	return graph{s}, s.update(updates)
}

// held is a relation of a resource.
type held struct{ resource, relation string }

// forAll tells which relations all actors have to an object. Only these may be set on all in the
// schema, which takes no userset of others that are.
func forAll(relationships []tuple.Relationship) map[held]bool {
	found := map[held]bool{}
	for _, r := range relationships {
		if r.Subject.Kind == tuple.All {
			found[held{r.Object.Resource, r.Relation}] = true
		}
	}
	return found
}

// schema translates a policy. Every operation stands in parentheses: the two languages have the same
// signs, and another precedence.
func schema(p *policy.Policy, forAll map[held]bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "definition %s {}\n", p.Actor)
	for _, resource := range p.Resources {
		fmt.Fprintf(&text, "definition %s {\n", resource.Name)
		for _, relation := range resource.Relations {
			types := types(p, relation.Types, forAll[held{resource.Name, relation.Name}])
			fmt.Fprintf(&text, "\trelation %s: %s\n", named(relation.Name), strings.Join(types, " | "))
		}
		for _, permission := range resource.Permissions {
			if !permission.Management {
				fmt.Fprintf(&text, "\tpermission %s = %s\n", named(permission.Name), expression(permission.Expr))
			}
		}
		text.WriteString("}\n")
	}
	return text.String()
}

// named makes a name of a relation long enough: SpiceDB has none of two letters.
func named(relation string) string { return "of_" + relation }

func types(p *policy.Policy, of []policy.Type, forAll bool) []string {
	var all []string
	for _, t := range of {
		switch {
		case t.Relation != "":
			all = append(all, t.Resource+"#"+named(t.Relation))
		case t.Resource == p.Actor && forAll:
			all = append(all, p.Actor, p.Actor+":*")
		default:
			all = append(all, t.Resource)
		}
	}
	return all
}

var signs = map[policy.Op]string{policy.Union: " + ", policy.Intersection: " & ", policy.Difference: " - "}

func expression(e policy.Expr) string {
	switch e.Op {
	case policy.Name:
		return named(e.Name)
	case policy.Arrow:
		return named(e.Via) + "->" + named(e.Name)
	case policy.None:
		return "nil"
	default:
		operands := make([]string, len(e.Operands))
		for i, operand := range e.Operands {
			operands[i] = expression(operand)
		}
		return "(" + strings.Join(operands, signs[e.Op]) + ")"
	}
}

func subjectOf(p *policy.Policy, s tuple.Subject) *v1.SubjectReference {
	switch s.Kind {
	case tuple.Actor:
		return subject(s.Object.ID)
	case tuple.All:
		return &v1.SubjectReference{Object: &v1.ObjectReference{ObjectType: p.Actor, ObjectId: "*"}}
	}
	reference := &v1.SubjectReference{
		Object: &v1.ObjectReference{ObjectType: s.Object.Resource, ObjectId: s.Object.ID},
	}
	if s.Kind == tuple.Userset {
		reference.OptionalRelation = named(s.Relation)
	}
	return reference
}

func (g graph) Check(object tuple.Object, permission, actor string) (bool, error) {
	answer, err := g.CheckPermission(context.Background(), &v1.CheckPermissionRequest{
		Consistency: consistent,
		Resource:    &v1.ObjectReference{ObjectType: object.Resource, ObjectId: object.ID},
		Permission:  named(permission),
		Subject:     subject(actor),
	})
	if err != nil {
		return false, err
	}
	return answer.GetPermissionship() == v1.CheckPermissionResponse_PERMISSIONSHIP_HAS_PERMISSION, nil
}
