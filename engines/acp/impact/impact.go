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
// userset or object about those behind it, so nobody else is asked about. Where a relationship of everyone
// leads, or an edited expression, all are asked about whom a relationship beneath names, and one who
// stands for all others. Each is asked about at all nodes at once, in time in proportion to their number,
// however deep they lie in each other. Examined counts what was looked at. Besides, the state after the
// change is a copy of the relationships under the policy, made once (acp.Snapshot.With).
//
// The answers are as many as the pairs of an actor and a node above it. Where each of many nested objects
// has an actor of its own, who has all objects around it, that is the square of the depth.
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
	Relationships int // followed to what depends on the change and to whom it is about, before it and after it
	Steps         int // from what names an actor to what asks for it, and so on, for each actor in question
	Nodes         int // pairs of an object and a permission that could be affected
	Answers       int // compared at nodes: one of each actor in question, one of all others if they are
}

// Impact is a change that was looked into but not made.
type Impact struct {
	before, after *acp.Snapshot
	affected      map[node]bool       // permissions that can change, and whether for everyone
	some          map[string][][]node // those that can for an actor, some of them repeatedly
	changes       map[node][]Change   // nil until they are asked for
	examined      Examined
}

// node is a relation or permission at an object.
type node struct {
	object tuple.Object
	name   string
}

// OfGrants looks into the removal and then the addition of relationships. The error is that of
// relationships that have no place in the policy: acp.ErrBadInput or acp.ErrNotFound.
func OfGrants(s *acp.Snapshot, add, remove []tuple.Relationship) (*Impact, error) {
	after, err := s.With(nil, remove, add)
	if err != nil {
		return nil, err
	}
	i := newImpact(s, after)
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
	i := newImpact(s, after)
	for _, n := range dependents(s.Policy(), edited) {
		for r := range s.Relationships(acp.Filter{Resource: n.resource}) {
			i.examined.Relationships++
			if at := (node{r.Object, n.name}); i.isPermission(at) {
				i.affected[at] = true
			}
		}
	}
	return i, nil
}

func newImpact(before, after *acp.Snapshot) *Impact {
	return &Impact{before: before, after: after, affected: map[node]bool{}, some: map[string][][]node{}}
}

// Changes yields the changes, sorted by object, permission and actor, everyone first. All are computed
// when they are first asked for, which one goroutine may do, and kept.
func (i *Impact) Changes() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		if i.changes == nil {
			i.compare()
		}
		for _, n := range slices.SortedFunc(maps.Keys(i.changes), compareNodes) {
			for _, c := range i.changes[n] {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Examined tells what was looked at so far; nodes and answers are those of Changes.
func (i *Impact) Examined() Examined { return i.examined }

func compareNodes(a, b node) int {
	return cmp.Or(cmp.Compare(a.object.Resource, b.object.Resource), cmp.Compare(a.object.ID, b.object.ID), cmp.Compare(a.name, b.name))
}

// isPermission tells whether a node is one, before or after the change.
func (i *Impact) isPermission(n node) bool { return has(i.before, n) || has(i.after, n) }

func has(s *acp.Snapshot, n node) bool {
	r := s.Policy().Resource(n.object.Resource)
	return r != nil && r.Permission(n.name) != nil
}

// answers are whether somebody has a node, before and after.
type answers struct{ was, is bool }

// compare finds the changes: those of everyone, and then those of actors who differ from everyone, actor
// by actor, for what one node shares with another is evaluated once then.
func (i *Impact) compare() {
	i.changes = map[node][]Change{}
	i.examined.Nodes = len(i.affected)
	var common []node
	for n, forAll := range i.affected {
		if forAll {
			common = append(common, n)
		}
	}
	slices.SortFunc(common, compareNodes)
	everyone := map[node]answers{}
	for k, a := range i.answer("", common) {
		n := common[k]
		everyone[n] = a
		if a.was != a.is {
			i.changes[n] = []Change{{Object: n.object, Permission: n.name, Gained: a.is, Everyone: true}}
		}
	}
	named := i.beneath(common)
	actors := slices.AppendSeq(slices.Collect(maps.Keys(i.some)), maps.Keys(named.holders))
	slices.Sort(actors)
	for _, actor := range slices.Compact(actors) {
		if actor == "" {
			continue // was asked for
		}
		nodes := slices.Concat(i.some[actor]...)
		for _, top := range named.above(actor) {
			nodes = append(nodes, common[top])
		}
		slices.SortFunc(nodes, compareNodes)
		nodes = slices.Compact(nodes)
		for k, a := range i.answer(actor, nodes) {
			n := nodes[k]
			others := everyone[n]
			differs := others.was != others.is
			if differs && (a.was == a.is || a.is != others.is) {
				whole := &i.changes[n][0]
				whole.Except = append(whole.Except, actor)
			}
			if a.was != a.is && (!differs || a.is != others.is) {
				i.changes[n] = append(i.changes[n], Change{Object: n.object, Permission: n.name, Gained: a.is, Actor: actor})
			}
		}
	}
}

// answer asks for an actor at nodes.
func (i *Impact) answer(actor string, nodes []node) []answers {
	i.examined.Answers += len(nodes)
	all := make([]answers, len(nodes))
	for k, held := range held(i.before, actor, nodes) {
		all[k].was = held
	}
	for k, held := range held(i.after, actor, nodes) {
		all[k].is = held
	}
	return all
}

// held tells whether an actor has nodes. What the policy lacks nobody has.
func held(s *acp.Snapshot, actor string, nodes []node) []bool {
	var questions []acp.Question
	var places []int
	for k, n := range nodes {
		if has(s, n) {
			questions = append(questions, acp.Question{Permission: n.name, Actor: actor, Object: n.object})
			places = append(places, k)
		}
	}
	answers, _ := s.CheckMany(questions) // the policy has them all
	all := make([]bool, len(nodes))
	for k, held := range answers {
		all[places[k]] = held
	}
	return all
}
