package impact

import (
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

// reach marks all nodes to which the relationships lead, before or after the change, and for whom.
func (i *Impact) reach(changed []tuple.Relationship) {
	u := rulesOf(i.before.Policy())
	byActor := map[string][]tuple.Relationship{}
	var shared []tuple.Relationship // of more actors than one
	for _, r := range changed {
		if r.Subject.Kind == tuple.Actor {
			byActor[r.Subject.Object.ID] = append(byActor[r.Subject.Object.ID], r)
		} else {
			shared = append(shared, r)
		}
	}
	for actor, relationships := range byActor {
		i.affect(i.walk(u, relationships), false, []string{actor})
	}
	few, known := i.behind(u, shared)
	i.affect(i.walk(u, shared), !known, few)
}

// affect notes for whom nodes can change.
func (i *Impact) affect(nodes map[node]bool, everyone bool, some []string) {
	for n := range nodes {
		who := i.affected[n]
		who.everyone = who.everyone || everyone
		for _, actor := range some {
			if who.some == nil {
				who.some = map[string]answers{}
			}
			who.some[actor] = answers{}
		}
		i.affected[n] = who
	}
}

// maxBehind is up to how many actors are asked about one by one. It costs less than to list all that
// have a node, for each node anew, where nodes lie deep in each other.
const maxBehind = 256

// behind returns the actors that relationships of usersets and objects are about: who holds what such
// a relationship leads to. For nobody else it changes anything. known is false when they are too many.
func (i *Impact) behind(u rules, relationships []tuple.Relationship) (actors []string, known bool) {
	found := map[string]bool{}
	for _, r := range relationships {
		var names []string
		switch r.Subject.Kind {
		case tuple.Userset:
			names = []string{r.Subject.Relation}
		case tuple.Entity:
			for _, arrow := range u.arrows[name{r.Object.Resource, r.Relation}] {
				names = append(names, arrow.Name)
			}
		default:
			return nil, false
		}
		for _, s := range []*acp.Snapshot{i.before, i.after} {
			for _, held := range names {
				list, err := s.ListActors(r.Subject.Object, held, "", maxBehind)
				if err != nil {
					continue // the object's resource has no such name
				}
				if list.Everyone || list.Next != "" {
					return nil, false
				}
				for _, actor := range list.Actors {
					found[actor] = true
				}
			}
		}
		if len(found) > maxBehind {
			return nil, false
		}
	}
	return slices.Collect(maps.Keys(found)), true
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
