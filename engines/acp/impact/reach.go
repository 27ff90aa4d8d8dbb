package impact

import (
	"fmt"
	"maps"
	"slices"

	"assay/acp"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// name is a relation or permission of a resource.
type name struct{ resource, name string }

// rules has, of one or two policies, which permissions name what.
type rules struct {
	names  map[name][]string      // the permissions that name it, of the same resource
	arrows map[name][]policy.Expr // by the resource and the relation: the arrows along it,
	holder map[name][]string      // and the permissions that these stand in
}

func rulesOf(policies ...*policy.Policy) rules {
	u := rules{map[name][]string{}, map[name][]policy.Expr{}, map[name][]string{}}
	for _, p := range policies {
		for _, r := range p.Resources {
			for _, permission := range r.Permissions {
				u.add(r.Name, permission.Name, permission.Expr)
			}
		}
	}
	return u
}

func (u rules) add(resource, permission string, e policy.Expr) {
	switch e.Op {
	case policy.Name:
		n := name{resource, e.Name}
		u.names[n] = append(u.names[n], permission)
	case policy.Arrow:
		via := name{resource, e.Via}
		u.arrows[via] = append(u.arrows[via], e)
		u.holder[via] = append(u.holder[via], permission)
	}
	for _, operand := range e.Operands {
		u.add(resource, permission, operand)
	}
}

// reach notes all permissions to which the relationships lead, before or after the change, and for whom.
func (i *Impact) reach(changed []tuple.Relationship) {
	u := rulesOf(i.before.Policy())
	own := map[string][]tuple.Relationship{}   // by the actor; "" is everyone
	passing := map[node][]tuple.Relationship{} // of usersets and objects, by the node whose actors they are about
	for _, r := range changed {
		switch r.Subject.Kind {
		case tuple.Actor:
			own[r.Subject.Object.ID] = append(own[r.Subject.Object.ID], r)
		case tuple.All:
			own[""] = append(own[""], r)
		case tuple.Userset:
			n := node{r.Subject.Object, r.Subject.Relation}
			passing[n] = append(passing[n], r)
		case tuple.Entity:
			for _, arrow := range u.arrows[name{r.Object.Resource, r.Relation}] {
				n := node{r.Subject.Object, arrow.Name}
				passing[n] = append(passing[n], r)
			}
		}
	}
	for actor, relationships := range own {
		i.affect(i.walk(u, relationships), actor)
	}
	behind := i.beneath(slices.Collect(maps.Keys(passing)))
	alike := map[string][]string{} // actors by what they are beneath, for one walk for all of them
	for actor := range behind.holders {
		tops := fmt.Sprint(behind.above(actor))
		alike[tops] = append(alike[tops], actor)
	}
	for _, actors := range alike {
		var relationships []tuple.Relationship
		for _, top := range behind.above(actors[0]) {
			relationships = append(relationships, passing[behind.nodes[top]]...)
		}
		i.affect(i.walk(u, relationships), actors...)
	}
}

// affect notes the permissions among nodes that can change for actors; "" is everyone.
func (i *Impact) affect(nodes map[node]bool, actors ...string) {
	everyone := slices.Contains(actors, "")
	var permissions []node
	for n := range nodes {
		if i.isPermission(n) {
			permissions = append(permissions, n)
			i.affected[n] = i.affected[n] || everyone
		}
	}
	for _, actor := range actors {
		i.some[actor] = append(i.some[actor], permissions)
	}
}

func (i *Impact) walk(u rules, relationships []tuple.Relationship) map[node]bool {
	found := map[node]bool{}
	var work []node
	add := func(n node) {
		if !found[n] {
			found[n] = true
			work = append(work, n)
		}
	}
	along := func(r tuple.Relationship, target string) {
		via := name{r.Object.Resource, r.Relation}
		for k, arrow := range u.arrows[via] {
			if target == "" || arrow.Name == target {
				add(node{r.Object, u.holder[via][k]})
			}
		}
	}
	for _, r := range relationships {
		if r.Subject.Kind == tuple.Entity {
			along(r, "")
		} else {
			add(node{r.Object, r.Relation})
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, permission := range u.names[name{n.object.Resource, n.name}] {
			add(node{n.object, permission})
		}
		userset := tuple.Subject{Kind: tuple.Userset, Object: n.object, Relation: n.name}
		for r := range i.of(userset) {
			add(node{r.Object, r.Relation})
		}
		for r := range i.of(tuple.Subject{Kind: tuple.Entity, Object: n.object}) {
			along(r, n.name)
		}
	}
	return found
}

// of yields the relationships of a subject before and after; most twice.
func (i *Impact) of(subject tuple.Subject) func(func(tuple.Relationship) bool) {
	return func(yield func(tuple.Relationship) bool) {
		for _, s := range []*acp.Snapshot{i.before, i.after} {
			for r := range s.Relationships(acp.Filter{Subject: &subject}) {
				i.examined.Relationships++
				if !yield(r) {
					return
				}
			}
		}
	}
}

// dependents returns the permissions that an edit changes, and what depends on them.
func dependents(before, after *policy.Policy) []name {
	var found []name
	seen := map[name]bool{}
	add := func(n name) {
		if !seen[n] {
			seen[n] = true
			found = append(found, n)
		}
	}
	was, is := expressions(before), expressions(after)
	for n, e := range was {
		if now, stays := is[n]; !stays || now != e {
			add(n)
		}
	}
	for n := range is {
		if _, there := was[n]; !there {
			add(n)
		}
	}
	u := rulesOf(before, after)
	for next := 0; next < len(found); next++ {
		n := found[next]
		for _, permission := range u.names[n] {
			add(name{n.resource, permission})
		}
		for via, arrows := range u.arrows {
			for k, arrow := range arrows {
				if arrow.Name == n.name {
					add(name{via.resource, u.holder[via][k]})
				}
			}
		}
		for _, p := range []*policy.Policy{before, after} {
			for _, r := range p.Resources {
				for _, relation := range r.Relations {
					for _, t := range relation.Types {
						if t == (policy.Type{Resource: n.resource, Relation: n.name}) {
							add(name{r.Name, relation.Name})
						}
					}
				}
			}
		}
	}
	return found
}

// expressions returns all permissions, those to manage relations among them.
func expressions(p *policy.Policy) map[name]string {
	all := map[name]string{}
	for _, r := range p.Resources {
		for _, permission := range r.Permissions {
			all[name{r.Name, permission.Name}] = permission.Expr.String()
		}
	}
	return all
}
