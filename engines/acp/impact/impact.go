// Package impact tells, before a change is made, who gains and who loses which permission by it.
//
// OfGrants looks at relationships that would be added and removed, OfPolicy at an edited policy. Both
// return an Impact, whose Changes are complete and exact: for every actor, object and permission, and
// only where the answer differs. Relations are not listed: those that change are what is asked about,
// and what follows from them shows in permissions.
//
// Only what the change can reach is examined: from each relationship along the usersets, arrows and
// expressions that lead on from it; of a policy, the permissions whose expression differs and those
// that depend on them. A relationship of one actor can change answers about this actor only, and one of a
// userset or object about those behind it, so nobody else is asked about. Each is asked about at all nodes
// at once, in time in proportion to their number, however deep they lie in each other. Only for many
// actors, or an edited policy, who has a node is listed node by node. Examined counts what was looked at. Besides, the state after the change is a
// copy of the relationships under the policy, made once (acp.Snapshot.With).
package impact

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"assay/acp"
	"assay/acp/explain"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// Change is a permission that somebody gains or loses.
type Change struct {
	Object     tuple.Object
	Permission string
	Gained     bool // or else lost
	Everyone   bool // not one actor, but all, also those that no relationship names
	Actor      string
	Except     []string // of Everyone: for whom nothing changes, or the reverse in a Change of their own; sorted
}

// String tells the change in words.
func (c Change) String() string {
	who, verb := c.Actor, "loses"
	if c.Everyone {
		who = "everyone"
	}
	if c.Gained {
		verb = "gains"
	}
	text := who + " " + verb + " " + explain.Node{Object: c.Object, Name: c.Permission}.String()
	if len(c.Except) > 0 {
		text += ", except " + strings.Join(c.Except, ", ")
	}
	return text
}

// Examined counts what was looked at.
type Examined struct {
	Relationships int // followed to what depends on the change, once before it and once after it
	Nodes         int // pairs of an object and a permission that could be affected
	Answers       int // compared at nodes: one of each actor in question, one of all others if they are
}

// Impact is a change that was looked into but not made.
type Impact struct {
	before, after *acp.Snapshot
	affected      map[node]actors
	answered      bool // those of affected were asked for
	examined      Examined
}

// node is a relation or permission at an object.
type node struct {
	object tuple.Object
	name   string
}

// actors is for whom a node can change: everyone, or those of a set.
type actors struct {
	everyone bool
	some     map[string]answers
}

// answers are whether an actor has a node.
type answers struct{ before, after bool }

// OfGrants looks into the removal and then the addition of relationships. The error is that of
// relationships that have no place in the policy: acp.ErrBadInput or acp.ErrNotFound.
func OfGrants(s *acp.Snapshot, add, remove []tuple.Relationship) (*Impact, error) {
	after, err := s.With(nil, remove, add)
	if err != nil {
		return nil, err
	}
	i := &Impact{before: s, after: after, affected: map[node]actors{}}
	i.reach(slices.Concat(remove, add))
	return i, nil
}

// OfPolicy looks into the replacement of the policy. The error is that of relationships that have no
// place in the new one.
func OfPolicy(s *acp.Snapshot, edited *policy.Policy) (*Impact, error) {
	after, err := s.With(edited, nil, nil)
	if err != nil {
		return nil, err
	}
	i := &Impact{before: s, after: after, affected: map[node]actors{}}
	names := dependents(s.Policy(), edited)
	for _, n := range names {
		for r := range s.Relationships(acp.Filter{Resource: n.resource}) {
			i.examined.Relationships++
			i.affected[node{r.Object, n.name}] = actors{everyone: true}
		}
	}
	return i, nil
}

// Changes yields the changes, sorted by object, permission and actor, everyone first. Those of nodes
// that can change for everyone it computes as they are asked for: who wants only some stops.
func (i *Impact) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		i.examined.Nodes, i.examined.Answers = 0, 0
		nodes := i.nodes()
		i.answer(nodes)
		for _, n := range nodes {
			for _, c := range i.compare(n) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Examined tells what was looked at so far; the nodes and answers are those of the last Changes.
func (i *Impact) Examined() Examined { return i.examined }

// nodes returns the affected permissions, sorted.
func (i *Impact) nodes() []node {
	var nodes []node
	for n := range i.affected {
		if isPermission(i.before.Policy(), n) || isPermission(i.after.Policy(), n) {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.object.Resource, b.object.Resource), cmp.Compare(a.object.ID, b.object.ID), cmp.Compare(a.name, b.name))
	})
	return nodes
}

// answer asks for those for whom not everything can change: actor by actor, for what one node shares
// with another is evaluated once then.
func (i *Impact) answer(nodes []node) {
	if i.answered {
		return
	}
	i.answered = true
	asked := map[string][]acp.Question{}
	for _, n := range nodes {
		for actor := range i.affected[n].some {
			asked[actor] = append(asked[actor], acp.Question{Permission: n.name, Actor: actor, Object: n.object})
		}
	}
	for actor, questions := range asked {
		// Errors there are none: the nodes are of the policy, which is the same before and after.
		before, _ := i.before.CheckMany(questions)
		after, _ := i.after.CheckMany(questions)
		for k, q := range questions {
			i.affected[node{q.Object, q.Permission}].some[actor] = answers{before[k], after[k]}
		}
	}
}

func isPermission(p *policy.Policy, n node) bool {
	r := p.Resource(n.object.Resource)
	return r != nil && r.Permission(n.name) != nil
}

// compare returns how the answers at a node change.
func (i *Impact) compare(n node) []Change {
	i.examined.Nodes++
	before, after := i.holders(n)
	asked := map[string]bool{}
	for _, h := range []holding{before, after} {
		for actor := range h.differs {
			asked[actor] = true
		}
	}
	i.examined.Answers += len(asked)
	var changes []Change
	whole := Change{Object: n.object, Permission: n.name, Everyone: true, Gained: after.everyone}
	if i.affected[n].everyone {
		i.examined.Answers++
	}
	differs := before.everyone != after.everyone
	for _, actor := range slices.Sorted(maps.Keys(asked)) {
		was, is := before.has(actor), after.has(actor)
		if differs && (was == is || is != after.everyone) {
			whole.Except = append(whole.Except, actor)
		}
		if was != is && (!differs || is != after.everyone) {
			changes = append(changes, Change{Object: n.object, Permission: n.name, Gained: is, Actor: actor})
		}
	}
	if differs {
		changes = slices.Insert(changes, 0, whole)
	}
	return changes
}

// holding is who has a node: everyone or nobody, but the other way for those that differ.
type holding struct {
	everyone bool
	differs  map[string]bool
}

func (h holding) has(actor string) bool { return h.everyone != h.differs[actor] }

func (i *Impact) holders(n node) (before, after holding) {
	who := i.affected[n]
	if who.everyone {
		return list(i.before, n), list(i.after, n)
	}
	before, after = holding{differs: map[string]bool{}}, holding{differs: map[string]bool{}}
	for actor, a := range who.some {
		before.differs[actor], after.differs[actor] = a.before, a.after
	}
	return before, after
}

func list(s *acp.Snapshot, n node) holding {
	h := holding{differs: map[string]bool{}}
	list, err := s.ListActors(n.object, n.name, "", 0)
	if err != nil {
		return h // what the policy lacks nobody has
	}
	h.everyone = list.Everyone
	for _, actor := range list.Actors {
		h.differs[actor] = !list.Everyone
	}
	for _, actor := range list.Except {
		h.differs[actor] = true
	}
	return h
}
