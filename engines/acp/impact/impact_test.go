package impact_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/acp"
	"assay/acp/explain/explaintest"
	"assay/acp/impact"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// empty returns a snapshot without relationships.
func empty(t testing.TB) *acp.Snapshot {
	t.Helper()
	e, err := acp.Open(acp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	id, err := e.AddPolicy("did:key:admin", "name: empty\nresources:\n  doc:\n    relations:\n      owner: {types: [actor]}\n")
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func with(t testing.TB, s *acp.Snapshot, p *policy.Policy, remove, add []tuple.Relationship) *acp.Snapshot {
	t.Helper()
	after, err := s.With(p, remove, add)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// same compares an impact with every check before and after: of all actors that relationships name,
// of one that none names, and of nobody. There are more actors in a crowd.
func same(t *testing.T, i *impact.Impact, before, after *acp.Snapshot, crowd ...string) (changes int) {
	t.Helper()
	told := map[string]bool{} // what changes for whom, and whether it is a gain
	everyone := map[string]impact.Change{}
	var order []string
	for c := range i.Changes() {
		node := c.Object.String() + "#" + c.Permission
		order = append(order, fmt.Sprint(c.Object, c.Permission, !c.Everyone, c.Actor))
		if c.Everyone {
			everyone[node] = c
		} else {
			told[node+"@"+c.Actor] = c.Gained
		}
		changes++
	}
	if !slices.IsSorted(order) {
		t.Errorf("not sorted: %q", order)
	}
	compare := func(name, actor string, object tuple.Object) {
		if after.Policy().Resource(object.Resource).Permission(name) == nil {
			return
		}
		was, err := before.Check(name, actor, object)
		if err != nil {
			t.Fatal(err)
		}
		is, err := after.Check(name, actor, object)
		if err != nil {
			t.Fatal(err)
		}
		node := object.String() + "#" + name
		gained, changed := told[node+"@"+actor]
		delete(told, node+"@"+actor)
		if c, all := everyone[node]; all && !changed && !slices.Contains(c.Except, actor) {
			gained, changed = c.Gained, true
		}
		if changed != (was != is) || changed && gained != is {
			t.Errorf("%s of %q: was %t, is %t, told %t (gained %t)", node, actor, was, is, changed, gained)
		}
	}
	explaintest.Questions(after.Policy(), func(name, actor string, object tuple.Object) {
		compare(name, actor, object)
		if actor == "" { // once for each name and object
			for _, actor := range crowd {
				compare(name, actor, object)
			}
		}
	})
	for what := range told {
		t.Errorf("told twice, or of an actor that there is not: %s", what)
	}
	return changes
}

func TestGrants(t *testing.T) {
	changes := 0
	start := empty(t)
	for seed := uint64(0); seed < 100; seed++ {
		rng := rand.New(rand.NewPCG(seed, 4))
		p := explaintest.Policy(rng, []string{"++&", "+&-", "-"}[seed%3])
		facts := explaintest.Relationships(rng, p, 10+rng.IntN(50))
		before := with(t, start, p, nil, facts)
		add := explaintest.Relationships(rng, p, rng.IntN(3))
		remove := slices.Clone(facts[:rng.IntN(3)])
		i, err := impact.OfGrants(before, add, remove)
		if err != nil {
			t.Fatal(err)
		}
		changes += same(t, i, before, with(t, before, nil, remove, add))
		if t.Failed() {
			t.Fatalf("seed %d: + %v - %v", seed, add, remove)
		}
	}
	if changes < 100 {
		t.Errorf("only %d changes: the test data shows little", changes)
	}
}

func TestPolicies(t *testing.T) {
	changes := 0
	start := empty(t)
	for seed := uint64(0); seed < 90; seed++ {
		rng := rand.New(rand.NewPCG(seed, 5))
		p, edited := explaintest.Edit(rng, []string{"++&", "+&-", "-"}[seed%3])
		before := with(t, start, p, nil, explaintest.Relationships(rng, p, 10+rng.IntN(50)))
		i, err := impact.OfPolicy(before, edited)
		if err != nil {
			t.Fatal(err)
		}
		changes += same(t, i, before, with(t, before, edited, nil, nil))
		if t.Failed() {
			t.Fatalf("seed %d: %v", seed, policy.Diff(p, edited))
		}
	}
	if changes < 100 {
		t.Errorf("only %d changes: the test data shows little", changes)
	}
}

// TestCrowds has, besides random relationships, 300 actors in one relation and some of them in another,
// and changes that they are behind: of usersets and objects, or of everyone.
func TestCrowds(t *testing.T) {
	changes := map[string]int{}
	start := empty(t)
	for seed := uint64(0); seed < 30; seed++ {
		rng := rand.New(rand.NewPCG(seed, 6))
		p, edited := explaintest.Edit(rng, []string{"++&", "+&-", "-"}[seed%3])
		facts := explaintest.Relationships(rng, p, 10+rng.IntN(30))
		var crowd []string
		first, second := explaintest.Relationships(rng, p, 1)[0], explaintest.Relationships(rng, p, 1)[0]
		for k := range 300 {
			member := tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: fmt.Sprintf("did:key:c%d", k)}}
			crowd = append(crowd, member.Object.ID)
			facts = append(facts, tuple.Relationship{Object: first.Object, Relation: first.Relation, Subject: member})
			if k%7 == 0 {
				facts = append(facts, tuple.Relationship{Object: second.Object, Relation: second.Relation, Subject: member})
			}
		}
		before := with(t, start, p, nil, facts)
		var shared, public []tuple.Relationship
		for _, r := range explaintest.Relationships(rng, p, 12) {
			switch r.Subject.Kind {
			case tuple.Userset, tuple.Entity:
				shared = append(shared, r)
			default:
				r.Subject = tuple.Subject{Kind: tuple.All}
				public = append(public, r)
			}
		}
		public = public[:min(len(public), 2)]
		for form, look := range map[string]func() (*impact.Impact, *acp.Snapshot, error){
			"shared": func() (*impact.Impact, *acp.Snapshot, error) {
				i, err := impact.OfGrants(before, shared, facts[:3])
				return i, with(t, before, nil, facts[:3], shared), err
			},
			"public": func() (*impact.Impact, *acp.Snapshot, error) {
				i, err := impact.OfGrants(before, public, nil)
				return i, with(t, before, nil, nil, public), err
			},
			"policy": func() (*impact.Impact, *acp.Snapshot, error) {
				i, err := impact.OfPolicy(before, edited)
				return i, with(t, before, edited, nil, nil), err
			},
		} {
			i, after, err := look()
			if err != nil {
				t.Fatal(err)
			}
			changes[form] += same(t, i, before, after, crowd...)
			if t.Failed() {
				t.Fatalf("seed %d, %s: + %v, + %v, - %v, %v", seed, form, shared, public, facts[:3], policy.Diff(p, edited))
			}
		}
	}
	for _, form := range []string{"shared", "public", "policy"} {
		if changes[form] < 100 {
			t.Errorf("%s: only %d changes: the test data shows little", form, changes[form])
		}
	}
}

const documents = `
name: documents
resources:
  doc:
    relations:
      owner: {types: [actor]}
      reader: {types: [actor, group->member]}
    permissions:
      read: {expr: owner + reader}
      write: {expr: owner}
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor]}
`

func parse(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func relationship(t testing.TB, text string) tuple.Relationship {
	t.Helper()
	r, err := tuple.ParseRelationship(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shared returns documents, each with an owner and shared with one group of its own.
func shared(t testing.TB, count int) *acp.Snapshot {
	t.Helper()
	var facts []tuple.Relationship
	for i := range count {
		facts = append(facts,
			relationship(t, fmt.Sprintf("doc:%d#owner@did:key:o%d", i, i%100)),
			relationship(t, fmt.Sprintf("doc:%d#reader@group:%d#member", i, i)))
	}
	return with(t, empty(t), parse(t, documents), nil, facts)
}

// TestExaminesOnlyWhatCanChange grants one document, and one group, among ten thousand.
func TestExaminesOnlyWhatCanChange(t *testing.T) {
	s := shared(t, 10_000)
	for text, want := range map[string]impact.Examined{
		"doc:17#reader@did:key:bob":   {Nodes: 1, Answers: 1},
		"group:17#member@did:key:bob": {Relationships: 2, Nodes: 1, Answers: 1},
		// read, write and who manages the two relations
		"doc:17#owner@did:key:bob": {Nodes: 4, Answers: 4},
	} {
		i, err := impact.OfGrants(s, []tuple.Relationship{relationship(t, text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range i.Changes() {
		}
		if got := i.Examined(); got != want {
			t.Errorf("%s: examined %+v, want %+v", text, got, want)
		}
	}
	edited := parse(t, strings.Replace(documents, "write: {expr: owner}", "write: {expr: owner + reader}", 1))
	i, err := impact.OfPolicy(s, edited)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := i.Examined(), (impact.Examined{Relationships: 20_000}); got != want {
		t.Errorf("before the changes are asked for: examined %+v, want %+v", got, want)
	}
	for range i.Changes() {
	}
	if got := i.Examined(); got.Nodes != 10_000 {
		t.Errorf("examined %+v, want write of 10000 documents and not read", got)
	}
}

func TestRefusesWhatHasNoPlace(t *testing.T) {
	s := shared(t, 1)
	if _, err := impact.OfGrants(s, []tuple.Relationship{relationship(t, "doc:1#writer@bob")}, nil); err == nil {
		t.Error("a relation that the policy lacks was accepted")
	}
	if _, err := impact.OfPolicy(s, parse(t, strings.Replace(documents, "actor, group->member", "actor", 1))); err == nil {
		t.Error("a policy was accepted in which a relationship has no place")
	}
}

// Changes at the outermost of objects that lie deep in each other, for one actor and by a relationship
// that several take part in. With work in proportion to the square of the depth this takes many seconds.
func TestDeepNesting(t *testing.T) {
	const depth = 10_000
	p := parse(t, `
name: nested
resources:
  folder:
    relations:
      owner: {types: [actor]}
      parent: {types: [folder]}
      banned: {types: [actor]}
    permissions:
      read: {expr: (owner + parent->read) - banned}
`)
	facts := []tuple.Relationship{relationship(t, "folder:top#owner@did:key:ann"), relationship(t, "folder:2#banned@did:key:ann")}
	for i := range depth {
		facts = append(facts, relationship(t, fmt.Sprintf("folder:%d#parent@folder:%d", i, i-1)))
	}
	s := with(t, empty(t), p, nil, facts)
	for text, want := range map[string]int{
		"folder:0#owner@did:key:bob":   depth + 3, // and who manages each relation
		"folder:0#parent@folder:top":   2,         // ann is banned from the others
		"folder:0#parent@folder:other": 0,
	} {
		i, err := impact.OfGrants(s, []tuple.Relationship{relationship(t, text)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for range i.Changes() {
			got++
		}
		if got != want {
			t.Errorf("%s: %d changes, expected %d", text, got, want)
		}
	}
}

// Changes to objects that lie in each other: what lies twice as deep may cost little more than twice as
// much, in what was examined and in the memory that was taken, without which nothing is walked over.
func TestWorkByDepth(t *testing.T) {
	const nested = `
name: nested
resources:
  folder:
    relations:
      owner: {types: [actor]}
      parent: {types: [folder]}
      reader: {types: [actor, group->member]}
      banned: {types: [actor]}
    permissions:
      read: {expr: (owner + reader + parent->read) - banned}
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor, group->member]}
`
	p := parse(t, nested)
	edited := parse(t, strings.Replace(nested, "owner + reader", "owner + banned + reader", 1))
	start := empty(t)
	// Folders lie in each other, and one owner is within. Nested groups have a member each, and the
	// outermost reads another folder.
	folders := func(depth int) *acp.Snapshot {
		facts := []tuple.Relationship{relationship(t, "folder:0#owner@did:key:ann"), relationship(t, "folder:other#owner@did:key:eve")}
		for k := range depth {
			facts = append(facts,
				relationship(t, fmt.Sprintf("folder:%d#parent@folder:%d", k+1, k)),
				relationship(t, fmt.Sprintf("group:%d#member@did:key:m%d", k, k)),
				relationship(t, fmt.Sprintf("group:%d#member@group:%d#member", k+1, k)))
		}
		for k := range 300 {
			facts = append(facts, relationship(t, fmt.Sprintf("group:many#member@did:key:n%d", k)))
		}
		return with(t, start, p, nil, append(facts, relationship(t, fmt.Sprintf("folder:other#reader@group:%d#member", depth))))
	}
	grant := func(text string, add bool) func(s *acp.Snapshot, depth int) (*impact.Impact, error) {
		return func(s *acp.Snapshot, depth int) (*impact.Impact, error) {
			changed := []tuple.Relationship{relationship(t, strings.ReplaceAll(text, "DEPTH", fmt.Sprint(depth)))}
			if add {
				return impact.OfGrants(s, changed, nil)
			}
			return impact.OfGrants(s, nil, changed)
		}
	}
	for form, look := range map[string]func(s *acp.Snapshot, depth int) (*impact.Impact, error){
		"policy":            func(s *acp.Snapshot, _ int) (*impact.Impact, error) { return impact.OfPolicy(s, edited) },
		"everyone":          grant("folder:0#reader@*", true),
		"everyone banned":   grant("folder:0#banned@*", true),
		"many actors":       grant("folder:0#reader@group:many#member", true),
		"many nested":       grant("folder:alone#reader@group:DEPTH#member", true),
		"many nested less":  grant("folder:other#reader@group:DEPTH#member", false),
		"many, nothing new": grant("folder:other#reader@group:many#member", true),
		"all parents": func(s *acp.Snapshot, depth int) (*impact.Impact, error) {
			return impact.OfGrants(s, nil, slices.Collect(s.Relationships(acp.Filter{Relation: "parent"})))
		},
	} {
		work := func(depth int) (examined impact.Examined, bytes uint64) {
			s := folders(depth)
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			i, err := look(s, depth)
			if err != nil {
				t.Fatal(err)
			}
			for range i.Changes() {
			}
			runtime.ReadMemStats(&end)
			return i.Examined(), end.TotalAlloc - start.TotalAlloc
		}
		less, lessBytes := work(500)
		more, moreBytes := work(1000)
		if 2*moreBytes > 5*lessBytes || 2*more.Relationships > 5*less.Relationships ||
			2*more.Steps > 5*less.Steps || 2*more.Answers > 5*less.Answers {
			t.Errorf("%s: examined %+v in %d bytes, twice as deep %+v in %d", form, less, lessBytes, more, moreBytes)
		}
	}
}
