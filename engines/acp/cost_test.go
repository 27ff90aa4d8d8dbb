package acp

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"assay/acp/graph"
	"assay/acp/tuple"
)

// load returns a snapshot of facts under a policy, given as text.
func load(t *testing.T, policy string, facts ...string) *Snapshot {
	t.Helper()
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, policy))
	relationships := make([]tuple.Relationship, len(facts))
	for i, text := range facts {
		relationships[i] = must(tuple.ParseRelationship(text))
	}
	if err := e.Load(id, relationships, nil); err != nil {
		t.Fatal(err)
	}
	return must(e.Snapshot(id))
}

func cost(t *testing.T, s *Snapshot, permission, actor, object string, want bool) Cost {
	t.Helper()
	held, c, err := s.CheckCost(permission, actor, must(tuple.ParseObject(object)))
	if err != nil || held != want {
		t.Fatalf("%s#%s@%s is %t (%v), want %t", object, permission, actor, held, err, want)
	}
	return c
}

// TestRegisterAllocations: growing tables and chunks come to far less than one allocation a document.
func TestRegisterAllocations(t *testing.T) {
	const documents = 8192
	ids := make([]string, documents)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	n := testing.AllocsPerRun(1, func() {
		e := must(Open(Options{}))
		id := must(e.AddPolicy(alice, usersPolicy))
		for _, doc := range ids {
			must(e.RegisterDoc(alice, id, "users", doc))
		}
	})
	if n > documents/8 {
		t.Errorf("%v allocations for %d documents", n, documents)
	}
}

// TestRefusalDoesNotWalkReaders: a refusal looks up as much for 1 reader as for 10,000.
func TestRefusalDoesNotWalkReaders(t *testing.T) {
	var costs []Cost
	for _, readers := range []int{1, 10, 10_000} {
		facts := []string{"users:1#owner@" + alice, "users:2#owner@" + bob}
		for i := range readers {
			facts = append(facts, fmt.Sprintf("users:1#reader@did:key:z%d", i))
		}
		s := load(t, usersPolicy, facts...)
		costs = append(costs, cost(t, s, "read", bob, "users:1", false))
	}
	if want := (Cost{Probes: 2, Visits: 1}); costs[0] != want || costs[1] != want || costs[2] != want {
		t.Errorf("a refusal costs %+v, want always %+v", costs, want)
	}
}

// TestOthersDoNotWalkReaders: the subjects that lead on are found without a look at 10,000 readers.
func TestOthersDoNotWalkReaders(t *testing.T) {
	facts := []string{"doc:1#reader@*", "doc:1#reader@group:g#member"}
	for i := range 10_000 {
		facts = append(facts, fmt.Sprintf("doc:1#reader@did:key:z%d", i))
	}
	s := load(t, streamPolicy, facts...)
	doc := must(tuple.ParseObject("doc:1"))
	others, c, err := s.Others(doc, "reader")
	if err != nil || len(others) != 2 || c != (Cost{Probes: 2}) {
		t.Errorf("got %v at %+v, %v, want 2 subjects by 2 probes", others, c, err)
	}
	if others, c, err := s.Others(doc, "parent"); err != nil || others != nil || c != (Cost{}) {
		t.Errorf("of no facts got %v at %+v, %v", others, c, err)
	}
	if _, _, err := s.Others(doc, "fly"); !errors.Is(err, ErrNotFound) {
		t.Errorf("of an unknown relation: got %v", err)
	}
}

// TestHas: a relationship is there if it was set, and only as it was set.
func TestHas(t *testing.T) {
	s := load(t, streamPolicy, "doc:1#reader@"+bob, "doc:2#reader@*", "doc:2#parent@doc:1", "doc:1#reader@group:h#member")
	for text, want := range map[string]bool{
		"doc:1#reader@" + bob:         true,
		"doc:2#reader@*":              true,
		"doc:2#parent@doc:1":          true,
		"doc:1#reader@group:h#member": true,
		"doc:1#reader@" + alice:       false,
		"doc:2#reader@" + bob:         false,
		"doc:1#reader@*":              false,
		"doc:1#parent@doc:1":          false,
		"doc:1#reader@group:g#member": false,
		"doc:1#fly@" + bob:            false,
		"plane:1#reader@" + bob:       false,
	} {
		if got := s.Has(must(tuple.ParseRelationship(text))); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}

// TestChainIsLinear: a check through k usersets visits each once.
func TestChainIsLinear(t *testing.T) {
	for _, k := range []int{1, 64, 4096} {
		facts := []string{"group:g0#owner@" + alice, "group:lonely#member@" + carol}
		for i := range k {
			facts = append(facts, fmt.Sprintf("group:g%d#member@group:g%d#member", i, i+1))
		}
		facts = append(facts, fmt.Sprintf("group:g%d#member@%s", k, bob))
		s := load(t, streamPolicy, facts...)
		got := cost(t, s, "member", bob, "group:g0", true)
		if want := (Cost{Probes: 3*k + 1, Visits: k + 1}); got != want {
			t.Errorf("a chain of %d costs %+v, want %+v", k, got, want)
		}
		if got := cost(t, s, "member", carol, "group:g0", false); got.Visits != k+1 {
			t.Errorf("a refusal at a chain of %d costs %+v, want %d visits", k, got, k+1)
		}
	}
}

func TestAllocations(t *testing.T) {
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, streamPolicy))
	must(e.RegisterDoc(alice, id, "doc", "1"))
	must(e.RegisterDoc(alice, id, "group", "g"))
	must(e.AddRelationship(id, "doc", "1", "reader", alice, "group:g#member"))
	must(e.AddRelationship(id, "group", "g", "member", alice, bob))
	p := must(e.PolicyHandle(id))
	r := must(p.Resource("doc"))
	read := must(r.Permission("read"))
	doc, actor := r.Doc("1"), p.Actor(bob)
	for name, ask := range map[string]func() bool{
		"check through a group": func() bool { return must(e.CheckDocAccess(Read, bob, id, "doc", "1")) },
		"check of the owner":    func() bool { return must(e.CheckDocAccess(Write, alice, id, "doc", "1")) },
		"refusal":               func() bool { return !must(e.CheckDocAccess(Write, carol, id, "doc", "1")) },
		"is registered":         func() bool { return must(e.IsDocRegistered(id, "doc", "1")) },
		"check by handle":       func() bool { return read.Check(actor, doc) },
		"is registered, handle": func() bool { return r.IsRegistered(doc) },
	} {
		if !ask() {
			t.Errorf("%s: wrong answer", name)
		}
		if raceEnabled {
			continue // a pool forgets at random then
		}
		if n := testing.AllocsPerRun(1000, func() { ask() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestListsOfEveryActor: a list of n actors behind a minus, on a cycle of n groups, costs as the facts do.
func TestListsOfEveryActor(t *testing.T) {
	const policy = `
name: cycle
resources:
  group:
    permissions:
      read: {expr: owner + (next->read - banned)}
    relations:
      owner: {types: [actor]}
      banned: {types: [actor]}
      next: {types: [group]}
`
	for _, n := range []int{10, 1000} {
		var facts []string
		for i := range n {
			facts = append(facts, fmt.Sprintf("group:%d#owner@did:key:z%d", i, i), fmt.Sprintf("group:%d#next@group:%d", i, (i+1)%n))
		}
		facts = append(facts, "group:0#banned@did:key:z1")
		s := load(t, policy, facts...)
		list, err := s.ListActors(tuple.Object{Resource: "group", ID: "0"}, "read", "", 0)
		if err != nil || len(list.Actors) != n-1 || slices.Contains(list.Actors, "did:key:z1") {
			t.Errorf("listed %v, %v", list, err)
		}
		if s.lists.Visits() > uint64(8*len(facts)) {
			t.Errorf("%d visits for %d facts", s.lists.Visits(), len(facts))
		}
	}
	if err := classify(graph.ErrWork); !errors.Is(err, ErrLimit) {
		t.Errorf("too much work is %v", err)
	}
}
