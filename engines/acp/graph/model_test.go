package graph_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"assay/acp/graph"
	"assay/acp/model"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// wantChecks is how many random checks the tests make; the full gate sets ACP_TEST_CHECKS.
func wantChecks(t *testing.T) int {
	text := os.Getenv("ACP_TEST_CHECKS")
	if text == "" {
		return 50_000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	objects = 4
	actors  = 3
)

// TestModel sets and deletes random relationships under random policies, and compares all checks and
// lists with plain set semantics.
func TestModel(t *testing.T) {
	want := wantChecks(t)
	checks, allowed := 0, 0
	for seed := uint64(0); checks < want; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randomPolicy(rng)
		g, m := graph.New(p), model.New(p)
		var facts []tuple.Relationship
		for range 4 {
			for range 1 + rng.IntN(80) {
				r := randomRelationship(rng, p, objects, actors)
				if len(facts) > 0 && rng.IntN(3) == 0 {
					r = facts[rng.IntN(len(facts))]
					apply(t, g, r, true)
					m.Unset(r)
					continue
				}
				apply(t, g, r, false)
				m.Set(r)
				facts = append(facts, r)
			}
			n, yes := compare(t, p, g.View(), m)
			checks, allowed = checks+n, allowed+yes
			if t.Failed() {
				t.Fatalf("seed %d, after %v", seed, m.Relationships())
			}
		}
	}
	if allowed < checks/20 || allowed > checks*19/20 {
		t.Errorf("%d of %d checks say yes: the test data shows little", allowed, checks)
	}
}

func apply(t *testing.T, g *graph.Graph, r tuple.Relationship, remove bool) {
	t.Helper()
	f, err := g.Fact(r)
	if err != nil {
		t.Fatal(err)
	}
	c := graph.Change{Add: []graph.Fact{f}}
	if remove {
		c = graph.Change{Delete: c.Add}
	}
	g.Apply(&c)
}

// compare compares every check and list of a view with the model.
func compare(t *testing.T, p *policy.Policy, v graph.View, m *model.Model) (checks, allowed int) {
	t.Helper()
	for _, resource := range p.Resources {
		var names []string
		for _, r := range resource.Relations {
			names = append(names, r.Name)
		}
		for _, q := range resource.Permissions {
			names = append(names, q.Name)
		}
		for _, name := range names {
			for o := range objects + 1 {
				object := tuple.Object{Resource: resource.Name, ID: objectName(o)}
				for a := -1; a <= actors; a++ {
					actor := ""
					if a >= 0 {
						actor = actorName(a)
					}
					got, err := v.Check(name, actor, object)
					want := m.Check(name, actor, object)
					if err != nil || got != want {
						t.Errorf("%s#%s@%q is %t (%v), want %t", object, name, actor, got, err, want)
					}
					checks++
					if want {
						allowed++
					}
				}
				compareActors(t, v, m, object, name)
			}
			for a := -1; a <= actors; a++ {
				actor := ""
				if a >= 0 {
					actor = actorName(a)
				}
				ids := listObjects(t, v, resource.Name, name, actor, a+1)
				slices.Sort(ids)
				if want := m.ListObjects(resource.Name, name, actor); !slices.Equal(ids, want) {
					t.Errorf("%s#%s of %q: listed %v, want %v", resource.Name, name, actor, ids, want)
				}
			}
		}
	}
	return checks, allowed
}

// listObjects reads a list in pages of a limit; 0 is one page.
func listObjects(t *testing.T, v graph.View, resource, name, actor string, limit int) (all []string) {
	t.Helper()
	l := graph.Lister{View: v}
	for cursor := ""; ; {
		ids, next, err := l.ListObjects(resource, name, actor, cursor, limit)
		if err != nil {
			t.Fatal(err)
		}
		if limit > 0 && len(ids) > limit || next != "" && len(ids) != limit {
			t.Errorf("a page of %d has %d objects and goes on at %q", limit, len(ids), next)
		}
		all = append(all, ids...)
		if cursor = next; cursor == "" {
			return all
		}
	}
}

func compareActors(t *testing.T, v graph.View, m *model.Model, object tuple.Object, name string) {
	t.Helper()
	got := graph.Actors{}
	l := graph.Lister{View: v}
	for cursor := ""; ; {
		page, err := l.ListActors(object, name, cursor, 1)
		if err != nil {
			t.Fatal(err)
		}
		got.Everyone = page.Everyone
		got.Actors = append(got.Actors, page.Actors...)
		got.Except = append(got.Except, page.Except...)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if sets, err := l.ListBySets(object, name); err != nil || sets.Everyone != got.Everyone || !slices.Equal(sets.Actors, got.Actors) || !slices.Equal(sets.Except, got.Except) {
		t.Errorf("%s#%s: listed %+v, by sets %+v, %v", object, name, got, sets, err)
	}
	wanted, everyone := m.ListActors(object, name)
	if got.Everyone != everyone || everyone && len(got.Except)+len(wanted) > actors {
		t.Errorf("%s#%s: listed %+v, want %v, everyone: %t", object, name, got, wanted, everyone)
	}
	for a := range actors {
		has := slices.Contains(got.Actors, actorName(a)) || got.Everyone && !slices.Contains(got.Except, actorName(a))
		if has != m.Check(name, actorName(a), object) {
			t.Errorf("%s#%s: listed %+v, want %v, everyone: %t", object, name, got, wanted, everyone)
		}
	}
}

// TestListsOfManyActors: of random policies and facts, with actors in several blocks of a set, a list has
// those whom a check allows, everyone whom it allows without a name, and nobody else.
func TestListsOfManyActors(t *testing.T) {
	listed, refused := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		p := randomPolicy(rng)
		g := graph.New(p)
		actors := 1 + rng.IntN(1200)
		for range rng.IntN(4 * actors) {
			apply(t, g, randomRelationship(rng, p, 1+rng.IntN(12), actors), false)
		}
		v := g.View()
		for _, resource := range p.Resources {
			for _, permission := range resource.Permissions {
				object := tuple.Object{Resource: resource.Name, ID: objectName(rng.IntN(8))}
				l := graph.Lister{View: v}
				for sets, list := range map[bool]func() (graph.Actors, error){
					true:  func() (graph.Actors, error) { return l.ListBySets(object, permission.Name) },
					false: func() (graph.Actors, error) { return l.ListActors(object, permission.Name, "", 0) },
				} {
					got, err := list()
					if err != nil {
						t.Fatal(err)
					}
					if everyone, _ := v.Check(permission.Name, "", object); everyone != got.Everyone {
						t.Errorf("seed %d, %s#%s, by sets: %t: everyone: %t", seed, object, permission.Name, sets, got.Everyone)
					}
					named := map[string]bool{}
					for _, actor := range got.Actors {
						named[actor] = true
					}
					for _, actor := range got.Except {
						named[actor] = false
					}
					for a := range actors {
						held, there := named[actorName(a)]
						if !there {
							held = got.Everyone
						}
						if want, _ := v.Check(permission.Name, actorName(a), object); held != want {
							t.Errorf("seed %d, %s#%s, by sets: %t: %s is listed: %t", seed, object, permission.Name, sets, actorName(a), held)
						}
						if held {
							listed++
						} else {
							refused++
						}
					}
				}
			}
		}
	}
	if listed < refused/20 || refused < listed/20 {
		t.Errorf("%d listed, %d not: the test data shows little", listed, refused)
	}
}
