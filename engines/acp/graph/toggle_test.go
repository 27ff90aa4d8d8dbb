package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/acp/tuple"
)

const toggled = `
name: toggled
resources:
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor]}
  doc:
    permissions:
      read: {expr: owner + reader + parent->read}
    relations:
      owner: {types: [actor]}
      reader: {types: [actor, group->member]}
      parent: {types: [doc]}
`

func toggledGraph(t *testing.T) (g *Graph, fact func(format string, args ...any) Fact) {
	t.Helper()
	g = emptyGraph(t, toggled)
	return g, func(format string, args ...any) Fact {
		t.Helper()
		return newFact(t, g, format, args...)
	}
}

// What was set and deleted often costs a refusal no more than what is left and a few. The state keeps
// deleted records as long as it has as many others, so many others are there first.
func TestTogglesCostARefusalLittle(t *testing.T) {
	const toggles, each = 100_000, 25_000
	g, fact := toggledGraph(t)
	var c Change
	for i := range toggles {
		c.Add = append(c.Add, fact("doc:x%d#owner@did:key:a", i))
	}
	c.Add = append(c.Add, fact("group:g#member@did:key:c"))
	g.Apply(&c)
	state := g.state.Load()
	for doc, subject := range []string{"reader@did:key:b", "reader@group:g#member", "reader@*", "parent@doc:x7"} {
		g.Apply(&Change{Add: []Fact{fact("doc:%d#owner@did:key:a", doc), fact("doc:%d#reader@did:key:other", doc), fact("doc:%d#%s", doc, subject)}})
		f := []Fact{fact("doc:%d#%s", doc, subject)}
		for range each {
			g.Apply(&Change{Delete: f})
			g.Apply(&Change{Add: f})
		}
		g.Apply(&Change{Delete: f})
		for _, actor := range []string{"did:key:b", "did:key:nobody"} {
			held, cost := g.View().check(g.resources[1]["read"], g.Object(1, fmt.Sprint(doc)), g.Actor(actor))
			if held || cost.Probes > 70 {
				t.Errorf("%s, toggled %d times: %s reads %t, %+v", subject, each, actor, held, cost)
			}
		}
	}
	if g.state.Load() != state {
		t.Error("there was a vacuum: the test shows nothing")
	}
}

// So it is for who owned a document, which is asked at every grant.
func TestTogglesOfAnOwnerCostLittle(t *testing.T) {
	g, fact := toggledGraph(t)
	owned, mark := fact("doc:1#owner@did:key:a"), fact("doc:1#owner@did:key:a")
	mark.Slot = g.ArchivedSlot(mark)
	var c Change
	for i := range 10_000 {
		c.Add = append(c.Add, fact("doc:x%d#owner@did:key:a", i))
	}
	g.Apply(&c)
	for range 1000 {
		g.Apply(&Change{Add: []Fact{owned}})
		owned, mark = fact("doc:1#owner@did:key:a"), fact("doc:1#owner@did:key:a")
		mark.Slot = g.ArchivedSlot(mark)
		g.Apply(&Change{Delete: []Fact{owned}, Add: []Fact{mark}})
		g.Apply(&Change{Delete: []Fact{mark}})
	}
	s := g.state.Load()
	for _, slot := range []uint32{g.owners[1], g.archived[1]} {
		steps := 0
		for place := s.nodes.at(s.node(g.Object(1, "1"), slot)).actors.Load(); place != 0; steps++ {
			_, place = s.step(place, s.revision.Load())
		}
		if steps > 70 {
			t.Errorf("slot %d: %d steps", slot, steps)
		}
	}
}

// So it is for lists: each fact leads to them from its subject, and to their members from its object.
func TestTogglesCostAListLittle(t *testing.T) {
	const toggles = 1000
	g, fact := toggledGraph(t)
	var c Change
	for i := range 10_000 {
		c.Add = append(c.Add, fact("doc:x%d#owner@did:key:a", i))
	}
	c.Add = append(c.Add, fact("group:g#member@did:key:b"), fact("doc:child#parent@doc:1"))
	g.Apply(&c)
	state := g.state.Load()
	for _, text := range []string{"doc:1#reader@did:key:b", "doc:1#reader@group:g#member", "doc:1#reader@*", "doc:child#parent@doc:1", "group:g#member@did:key:b"} {
		f := []Fact{fact("%s", text)}
		for range toggles {
			g.Apply(&Change{Delete: f})
			g.Apply(&Change{Add: f})
		}
		l := Lister{View: g.View()}
		if ids, _, err := l.ListObjects("doc", "read", "did:key:b", "", 0); err != nil || len(ids) != 2 {
			t.Errorf("%s, toggled: listed %v, %v", text, ids, err)
		}
		if a, err := l.ListActors(tuple.Object{Resource: "doc", ID: "child"}, "read", "", 0); err != nil || len(a.Actors) != 1 {
			t.Errorf("%s, toggled: listed %v, %v", text, a, err)
		}
		const chains = 2 * 6 // that the lists walk over, each with deleted records up to deadSlack
		if l.Examined() > chains*(deadSlack+2) {
			t.Errorf("%s, toggled %d times: %d examined", text, toggles, l.Examined())
		}
	}
	seen := 0
	who := tuple.Subject{Kind: tuple.All}
	for range g.View().Relationships(Filter{Subject: &who}) {
		seen++
	}
	if seen != 1 {
		t.Errorf("%d relationships of everyone are seen, expected 1", seen)
	}
	if g.state.Load() != state {
		t.Error("there was a vacuum: the test shows nothing")
	}
}

// Every view goes on seeing what there was at its revision, whatever bypasses there are.
func TestViewsDoNotChange(t *testing.T) {
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 9))
		g, fact := toggledGraph(t)
		var c Change
		for i := range 8_000 {
			c.Add = append(c.Add, fact("doc:x%d#owner@did:key:a", i))
		}
		g.Apply(&c)
		set := map[string]bool{}
		type past struct {
			view View
			set  map[string]bool
		}
		var pasts []past
		text := func(i int) string {
			switch {
			case i < 40:
				return fmt.Sprintf("doc:1#reader@group:g%d#member", i)
			case i < 70:
				return fmt.Sprintf("doc:r%d#reader@group:all#member", i)
			case i < 90:
				return fmt.Sprintf("doc:r%d#parent@doc:all", i)
			case i < 95:
				return fmt.Sprintf("doc:1#parent@doc:p%d", i)
			}
			return fmt.Sprintf("doc:1#owner@did:key:o%d", i)
		}
		for step := range 4000 {
			for range 1 + rng.IntN(3) {
				var change Change
				i := rng.IntN(100)
				if step%1000 < 250 {
					i = []int{0, 1, 40, 41, 70, 71}[rng.IntN(6)] // a few that are toggled often
				}
				name := text(i)
				f := fact("%s", name)
				if set[name] {
					change.Delete = append(change.Delete, f)
				} else {
					change.Add = append(change.Add, f)
				}
				set[name] = !set[name]
				g.Apply(&change)
			}
			if step%100 == 0 {
				now := map[string]bool{}
				for name, there := range set {
					if there {
						now[name] = true
					}
				}
				pasts = append(pasts, past{g.View(), now})
			}
		}
		bypasses := 0
		for i := uint32(1); i < g.state.Load().records.length; i++ {
			if g.state.Load().records.at(i).isBypass() {
				bypasses++
			}
		}
		if bypasses < 5 {
			t.Errorf("%d bypasses: the test shows little", bypasses)
		}
		id := "1"
		filters := []Filter{ // each relationship is found by one, along the chains of its object or its subject
			{Resource: "doc", ID: &id},
			{Subject: &tuple.Subject{Kind: tuple.Userset, Object: tuple.Object{Resource: "group", ID: "all"}, Relation: "member"}},
			{Subject: &tuple.Subject{Kind: tuple.Entity, Object: tuple.Object{Resource: "doc", ID: "all"}}},
		}
		for _, p := range pasts {
			found := map[string]bool{}
			for _, f := range filters {
				for r := range p.view.Relationships(f) {
					if name := r.String(); found[name] || !p.set[name] {
						t.Fatalf("revision %d: %s is seen", p.view.revision, name)
					} else {
						found[name] = true
					}
				}
			}
			if len(found) != len(p.set) {
				t.Fatalf("revision %d: %d relationships are seen, expected %d", p.view.revision, len(found), len(p.set))
			}
			for i := range 100 {
				if name := text(i); p.view.Has(fact("%s", name)) != p.set[name] {
					t.Fatalf("revision %d: %s is there: %t", p.view.revision, name, !p.set[name])
				}
			}
		}
	}
}
