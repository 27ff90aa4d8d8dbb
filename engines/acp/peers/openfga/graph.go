package openfga

import (
	"context"
	"fmt"

	openfgav1 "github.com/openfga/api/proto/openfga/v1"

	"assay/acp/bench/docbench"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// graph holds any policy.
type graph struct{ store }

// load writes the policy as an authorization model, and the relationships as tuples.
func load(text string, relationships []tuple.Relationship) (docbench.Graph, error) {
	p, err := policy.Parse([]byte(text), policy.Options{Lenient: true})
	if err != nil {
		return nil, err
	}
	s, err := openModel(model(p))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", docbench.ErrPolicyRefused, err)
	}
	keys := make([]*openfgav1.TupleKey, len(relationships))
	for i, r := range relationships {
		keys[i] = &openfgav1.TupleKey{Object: r.Object.String(), Relation: r.Relation, User: subject(p, r.Subject)}
	}
	return graph{s}, s.writeAll(keys)
}

// model translates a policy: relations and permissions of a resource are the relations of a type.
func model(p *policy.Policy) []*openfgav1.TypeDefinition {
	types := []*openfgav1.TypeDefinition{{Type: p.Actor}}
	for _, resource := range p.Resources {
		relations := map[string]*openfgav1.Userset{}
		direct := map[string]*openfgav1.RelationMetadata{}
		for _, relation := range resource.Relations {
			relations[relation.Name] = this
			direct[relation.Name] = &openfgav1.RelationMetadata{DirectlyRelatedUserTypes: references(p, relation.Types)}
		}
		for _, permission := range resource.Permissions {
			if !permission.Management {
				relations[permission.Name] = userset(permission.Expr)
			}
		}
		types = append(types, &openfgav1.TypeDefinition{
			Type:      resource.Name,
			Relations: relations,
			Metadata:  &openfgav1.Metadata{Relations: direct},
		})
	}
	return types
}

var this = &openfgav1.Userset{Userset: &openfgav1.Userset_This{This: &openfgav1.DirectUserset{}}}

func references(p *policy.Policy, types []policy.Type) []*openfgav1.RelationReference {
	var all []*openfgav1.RelationReference
	for _, t := range types {
		one := &openfgav1.RelationReference{Type: t.Resource}
		if t.Relation != "" {
			one.RelationOrWildcard = &openfgav1.RelationReference_Relation{Relation: t.Relation}
		}
		all = append(all, one)
		if t == (policy.Type{Resource: p.Actor}) {
			everyone := &openfgav1.RelationReference_Wildcard{Wildcard: &openfgav1.Wildcard{}}
			all = append(all, &openfgav1.RelationReference{Type: p.Actor, RelationOrWildcard: everyone})
		}
	}
	return all
}

func userset(e policy.Expr) *openfgav1.Userset {
	switch e.Op {
	case policy.Name:
		return &openfgav1.Userset{Userset: &openfgav1.Userset_ComputedUserset{
			ComputedUserset: &openfgav1.ObjectRelation{Relation: e.Name},
		}}
	case policy.Arrow:
		return &openfgav1.Userset{Userset: &openfgav1.Userset_TupleToUserset{TupleToUserset: &openfgav1.TupleToUserset{
			Tupleset:        &openfgav1.ObjectRelation{Relation: e.Via},
			ComputedUserset: &openfgav1.ObjectRelation{Relation: e.Name},
		}}}
	case policy.Union:
		return &openfgav1.Userset{Userset: &openfgav1.Userset_Union{Union: children(e.Operands)}}
	case policy.Intersection:
		return &openfgav1.Userset{Userset: &openfgav1.Userset_Intersection{Intersection: children(e.Operands)}}
	case policy.Difference: // a - b - c is a without those of b or c
		subtracted := userset(e.Operands[1])
		if rest := e.Operands[1:]; len(rest) > 1 {
			subtracted = &openfgav1.Userset{Userset: &openfgav1.Userset_Union{Union: children(rest)}}
		}
		return &openfgav1.Userset{Userset: &openfgav1.Userset_Difference{
			Difference: &openfgav1.Difference{Base: userset(e.Operands[0]), Subtract: subtracted},
		}}
	default:
		panic(fmt.Sprintf("no translation of %s", e))
	}
}

func children(operands []policy.Expr) *openfgav1.Usersets {
	all := make([]*openfgav1.Userset, len(operands))
	for i, operand := range operands {
		all[i] = userset(operand)
	}
	return &openfgav1.Usersets{Child: all}
}

func subject(p *policy.Policy, s tuple.Subject) string {
	switch s.Kind {
	case tuple.All:
		return p.Actor + ":*"
	case tuple.Entity:
		return s.Object.String()
	case tuple.Userset:
		return s.Object.String() + "#" + s.Relation
	default:
		return user(s.Object.ID)
	}
}

func (s store) writeAll(keys []*openfgav1.TupleKey) error {
	for ; len(keys) > 0; keys = keys[min(mostTuples, len(keys)):] {
		_, err := s.server.Write(context.Background(), &openfgav1.WriteRequest{
			StoreId:              s.id,
			AuthorizationModelId: s.model,
			Writes:               &openfgav1.WriteRequestWrites{TupleKeys: keys[:min(mostTuples, len(keys))]},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (g graph) Check(object tuple.Object, permission, actor string) (bool, error) {
	answer, err := g.server.Check(context.Background(), &openfgav1.CheckRequest{
		StoreId:              g.id,
		AuthorizationModelId: g.model,
		TupleKey:             &openfgav1.CheckRequestTupleKey{Object: object.String(), Relation: permission, User: user(actor)},
	})
	if err != nil {
		return false, err
	}
	return answer.GetAllowed(), nil
}
