package graph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/acp/policy"
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

// docs is the number of the resource doc: they are numbered in the order of their names.
const docs = 0

// document is the number of a document that has facts.
func document(t *testing.T, g *Graph, id string) uint32 {
	t.Helper()
	number := g.Object(docs, id)
	if number == 0 {
		t.Fatalf("there is no document %s", id)
	}
	return number
}

// toggledGraph has so many documents that nothing else is said of. The state keeps deleted records as long as it
// has as many others, so many others are there first.
func toggledGraph(t *testing.T, others int) (g *Graph, fact func(format string, args ...any) Fact) {
	t.Helper()
	g = emptyGraph(t, toggled)
	fact = func(format string, args ...any) Fact {
		t.Helper()
		return newFact(t, g, format, args...)
	}
	var c Change
	for i := range others {
		c.Add = append(c.Add, fact("doc:x%d#owner@did:key:a", i))
	}
	g.Apply(&c)
	return g, fact
}

// What was set and deleted often costs a refusal no more than what is left and a few.
func TestTogglesCostARefusalLittle(t *testing.T) {
	const toggles, each = 100_000, 25_000
	g, fact := toggledGraph(t, toggles)
	g.Apply(&Change{Add: []Fact{fact("group:g#member@did:key:c")}})
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
			held, cost := g.View().check(g.resources[docs]["read"], document(t, g, fmt.Sprint(doc)), g.Actor(actor))
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
	g, fact := toggledGraph(t, 10_000)
	owned, mark := fact("doc:1#owner@did:key:a"), fact("doc:1#owner@did:key:a")
	mark.Slot = g.ArchivedSlot(mark)
	for range 1000 {
		g.Apply(&Change{Add: []Fact{owned}})
		owned, mark = fact("doc:1#owner@did:key:a"), fact("doc:1#owner@did:key:a")
		mark.Slot = g.ArchivedSlot(mark)
		g.Apply(&Change{Delete: []Fact{owned}, Add: []Fact{mark}})
		g.Apply(&Change{Delete: []Fact{mark}})
	}
	s := g.state.Load()
	for _, slot := range []uint32{g.owners[docs], g.archived[docs]} {
		if steps := s.steps(chain{actorsOf, s.node(document(t, g, "1"), slot)}); steps > 70 {
			t.Errorf("slot %d: %d steps", slot, steps)
		}
	}
}

// steps counts those of a walk along a chain at the present revision.
func (s *state) steps(c chain) (steps int) {
	step := s.step
	if c.ofSubject() {
		step = s.stepAs
	}
	for place := s.head(c).Load(); place != 0; steps++ {
		_, place = step(place, s.revision.Load())
	}
	return steps
}

// So it is for a write of a grant, which looks up who owns the document, whether he manages the relation and
// whether the grant is there; and a deletion may walk over its chains.
func TestTogglesOfAGrantCostAWriteLittle(t *testing.T) {
	const toggles = 1000
	g, fact := toggledGraph(t, 10_000)
	var c Change
	grants := []string{"doc:1#reader@did:key:b", "doc:1#reader@group:g#member", "doc:1#reader@*", "group:g#member@did:key:b"}
	for _, text := range append(grants, "doc:1#owner@did:key:a") {
		c.Add = append(c.Add, fact("%s", text))
	}
	g.Apply(&c)
	s := g.state.Load()
	hashes := s.index.count
	for _, text := range grants {
		f := []Fact{fact("%s", text)}
		for range toggles {
			g.Apply(&Change{Delete: f})
			g.Apply(&Change{Add: f})
		}
		v := g.View()
		r := s.records.at(v.find(&f[0]))
		if number, newer := s.find(r.node, r.subject, v.revision); number == 0 || newer > 0 {
			t.Errorf("%s: record %d is found behind %d newer ones", text, number, newer)
		}
		node, subject := r.chains()
		if s.steps(node) > 70 || s.steps(subject) > 70 {
			t.Errorf("%s: %d steps of its object, %d of its subject", text, s.steps(node), s.steps(subject))
		}
	}
	if s.index.count != hashes {
		t.Errorf("%d hashes of %d facts", s.index.count, hashes)
	}
	manage := g.resources[docs][policy.ManagementPrefix+"reader"]
	if held, cost := g.View().check(manage, document(t, g, "1"), g.Actor("did:key:a")); !held || cost.Probes > 4 {
		t.Errorf("the owner manages: %t, %+v", held, cost)
	}
	if owner, _ := g.View().OwnerNumber(docs, document(t, g, "1")); owner != g.Actor("did:key:a") {
		t.Errorf("actor %d owns", owner)
	}
	if g.state.Load() != s {
		t.Error("there was a vacuum: the test shows nothing")
	}
}

// So it is for lists: each fact leads to them from its subject, and to their members from its object.
func TestTogglesCostAListLittle(t *testing.T) {
	const toggles = 1000
	g, fact := toggledGraph(t, 10_000)
	g.Apply(&Change{Add: []Fact{fact("group:g#member@did:key:b"), fact("doc:child#parent@doc:1")}})
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
		g, fact := toggledGraph(t, 8_000)
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
