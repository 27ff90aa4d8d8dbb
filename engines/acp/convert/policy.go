package convert

import (
	"slices"

	"assay/acp/policy"
)

// policy makes the policy that an import has the names of.
func (im *Import) policy() *policy.Policy {
	p := &policy.Policy{Name: im.schema.Name, Actor: policy.DefaultActor}
	for _, t := range im.schema.Types {
		resource := &policy.Resource{
			Name:      im.resources[t.Name],
			Relations: []*policy.Relation{{Name: policy.Owner, Types: []policy.Type{{Resource: p.Actor}}}},
		}
		for _, r := range t.Relations {
			im.add(resource, t.Name, im.relations[key{t.Name, r.Name}])
		}
		p.Resources = append(p.Resources, resource)
	}
	return p
}

// add makes the relations and permissions of one relation.
func (im *Import) add(resource *policy.Resource, of string, r *relation) {
	if !im.own(r) || len(r.Subjects) > 0 {
		resource.Relations = append(resource.Relations, &policy.Relation{Name: im.slot(r), Types: im.types(r)})
	}
	classes := im.classes
	if !im.split[r.Name] {
		classes = []string{im.only(r)}
	}
	for _, class := range classes {
		if im.split[r.Name] && r.takesAll(class) {
			resource.Relations = append(resource.Relations,
				&policy.Relation{Name: im.derived(r.Name, "all", class), Types: []policy.Type{{Resource: policy.DefaultActor}}})
		}
		if through := im.usersets(r, class); im.split[r.Name] && len(through) > 0 {
			resource.Relations = append(resource.Relations, &policy.Relation{Name: im.derived(r.Name, "through", class), Types: through})
		}
		if im.own(r) {
			resource.Permissions = append(resource.Permissions,
				&policy.Permission{Name: im.name(r.Name, class), Text: im.expr(of, r, class, r.Expr).String()})
		}
	}
}

// own tells whether what is set on a relation has a relation of its own here.
func (im *Import) own(r *relation) bool { return r.computed() || im.split[r.Name] }

// slot is the relation here that subjects of a relation are set on.
func (im *Import) slot(r *relation) string {
	if im.own(r) {
		return im.derived(r.Name, "direct", others)
	}
	return im.names[r.Name]
}

// only is the class that a relation which is not split answers for.
func (im *Import) only(r *relation) string {
	for class := range r.wild {
		return class
	}
	return others
}

func (r *relation) takesAll(class string) bool {
	return slices.Contains(r.Subjects, Subject{Type: class, Wildcard: true})
}

// types are the subjects that the slot of a relation takes.
func (im *Import) types(r *relation) []policy.Type {
	if len(r.Subjects) == 0 {
		return nil
	}
	types := []policy.Type{{Resource: policy.DefaultActor}}
	if !im.split[r.Name] {
		types = append(types, im.usersets(r, im.only(r))...)
	}
	for _, s := range r.Subjects {
		if object := (policy.Type{Resource: im.resources[s.Type]}); r.arrow && !s.Wildcard && !slices.Contains(types, object) {
			types = append(types, object)
		}
	}
	return types
}

func (im *Import) usersets(r *relation, class string) []policy.Type {
	var types []policy.Type
	for _, s := range r.Subjects {
		if s.Relation != "" {
			types = append(types, policy.Type{Resource: im.resources[s.Type], Relation: im.name(s.Relation, class)})
		}
	}
	return types
}

func (im *Import) expr(of string, r *relation, class string, e Expr) policy.Expr {
	switch e.Op {
	case Direct:
		return im.direct(r, class)
	case Name:
		return policy.Expr{Op: policy.Name, Name: im.name(e.Name, class)}
	case Arrow:
		via := im.relations[key{of, e.Via}]
		return policy.Expr{Op: policy.Arrow, Via: im.slot(via), Name: im.name(e.Name, class)}
	case Nobody:
		return policy.Expr{Op: policy.None}
	}
	ops := map[Op]policy.Op{Union: policy.Union, Intersection: policy.Intersection, Difference: policy.Difference}
	made := policy.Expr{Op: ops[e.Op]}
	for _, operand := range e.Operands {
		made.Operands = append(made.Operands, im.expr(of, r, class, operand))
	}
	return made
}

// direct is who was set on a relation, for askers of a class.
func (im *Import) direct(r *relation, class string) policy.Expr {
	parts := []policy.Expr{{Op: policy.Name, Name: im.slot(r)}}
	if im.split[r.Name] && r.takesAll(class) {
		parts = append(parts, policy.Expr{Op: policy.Name, Name: im.derived(r.Name, "all", class)})
	}
	if im.split[r.Name] && len(im.usersets(r, class)) > 0 {
		parts = append(parts, policy.Expr{Op: policy.Name, Name: im.derived(r.Name, "through", class)})
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return policy.Expr{Op: policy.Union, Operands: parts}
}
