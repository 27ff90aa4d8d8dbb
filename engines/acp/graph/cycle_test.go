package graph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/acp/policy"
)

// cyclic has a permission for each operator around what facts can close to cycles: usersets, arrows and
// permissions that name each other.
const cyclic = `
name: cyclic
resources:
  node:
    permissions:
      union: {expr: owner + next->union}
      both: {expr: (owner + next->both) & (owner + to->both)}
      less: {expr: (owner + next->less + to->less) - banned}
      lesser: {expr: (owner + next->lesser) - (to->banned - owner)}
      mixed: {expr: owner + (next->mixed & to->mixed) + other}
      other: {expr: to->mixed + member}
      through: {expr: (member & next->through) + owner + to->through}
      hidden: {expr: member - less}
    relations:
      owner: {types: [actor]}
      banned: {types: [actor, node->banned]}
      member: {types: [actor, node->member, node->mixed, node->through]}
      next: {types: [node]}
      to: {types: [node]}
`

// shapes are facts around cycles, of n nodes; all have a holder at node 0 only.
var shapes = map[string]func(n int, fact func(format string, args ...any)){
	"ring": func(n int, fact func(string, ...any)) {
		for i := range n {
			fact("node:%d#next@node:%d", i, (i+1)%n)
			fact("node:%d#to@node:%d", i, (i+1)%n)
			fact("node:%d#member@node:%d#member", i, (i+1)%n)
			fact("node:%d#banned@node:%d#banned", i, (i+1)%n)
		}
	},
	"both ways": func(n int, fact func(string, ...any)) {
		for i := range n {
			fact("node:%d#next@node:%d", i, (i+1)%n)
			fact("node:%d#to@node:%d", (i+1)%n, i)
			fact("node:%d#member@node:%d#member", i, (i+1)%n)
			fact("node:%d#member@node:%d#mixed", (i+1)%n, i)
			fact("node:%d#banned@node:%d#banned", (i+1)%n, i)
		}
	},
	"back to the begin": func(n int, fact func(string, ...any)) {
		for i := 1; i < n; i++ {
			fact("node:%d#next@node:%d", i, i-1)
			fact("node:%d#to@node:%d", i, n-1)
			fact("node:%d#next@node:%d", i, n-1)
			fact("node:%d#member@node:%d#member", i, n-1)
			fact("node:%d#member@node:%d#through", i, i-1)
			fact("node:%d#banned@node:%d#banned", i, n-1)
		}
	},
	"through a hub": func(n int, fact func(string, ...any)) {
		for i := 1; i < n; i++ {
			fact("node:%d#next@node:0", i)
			fact("node:0#to@node:%d", i)
			fact("node:%d#to@node:%d", i, i/2)
			fact("node:0#member@node:%d#member", i)
			fact("node:%d#member@node:0#through", i)
			fact("node:%d#banned@node:0#banned", i)
		}
	},
	"at random": func(n int, fact func(string, ...any)) {
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		for i := range n {
			for _, relation := range []string{"next", "to", "member", "banned"} {
				held := map[string]string{"member": []string{"#member", "#mixed", "#through"}[rng.IntN(3)], "banned": "#banned"}[relation]
				for range 2 {
					fact("node:%d#%s@node:%d%s", i, relation, rng.IntN(n), held)
				}
			}
		}
	},
}

// The work of a check is in proportion to the facts, and so is that of all questions of one actor and of a
// list of objects, whatever cycles there are and whatever operators stand on them. A list in pages walks once,
// but each page begins its checks anew.
func TestCyclesAreLinear(t *testing.T) {
	p, err := policy.Parse([]byte(cyclic), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for shape, build := range shapes {
		for _, n := range []int{100, 2000} {
			g, facts := New(p), 0
			fact := func(format string, args ...any) {
				g.Apply(&Change{Add: []Fact{newFact(t, g, format, args...)}})
				facts++
			}
			build(n, fact)
			fact("node:0#owner@did:key:a")
			fact("node:%d#banned@did:key:a", n/2)
			for _, actor := range []string{"did:key:a", "did:key:b"} {
				for _, permission := range strings.Fields("union both less lesser mixed other through hidden member banned") {
					v := g.View()
					slot, number := g.resources[0][permission], g.Actor(actor)
					if _, cost := v.check(slot, g.Object(0, fmt.Sprint(n-1)), number); cost.Visits > 4*facts || cost.Probes > 8*facts {
						t.Errorf("%s of %d, %s of %s: %+v for %d facts", shape, n, permission, actor, cost, facts)
					}
					a, held := v.asker(number), 0
					for i := range n {
						if a.check(slot, g.Object(0, fmt.Sprint(i))) {
							held++
						}
					}
					a.end()
					if a.cost.Visits > 4*facts || a.cost.Probes > 8*facts {
						t.Errorf("%s of %d, %s of %s, all questions: %+v for %d facts", shape, n, permission, actor, a.cost, facts)
					}
					for _, pages := range []int{1, 5} {
						l := Lister{View: v}
						listed := listObjects(t, &l, permission, actor, n/pages)
						if listed != held || l.Examined() > uint64(4*facts) || l.Visits() > uint64(4*facts*pages) {
							t.Errorf("%s of %d, %s of %s, %d pages: %d of %d listed, %d examined and %d visits for %d facts",
								shape, n, permission, actor, pages, listed, held, l.Examined(), l.Visits(), facts)
						}
					}
				}
			}
		}
	}
}

// listObjects counts the nodes that a list has, in pages of at most limit.
func listObjects(t *testing.T, l *Lister, permission, actor string, limit int) (listed int) {
	t.Helper()
	for cursor, more := "", true; more; more = cursor != "" {
		ids, next, err := l.ListObjects("node", permission, actor, cursor, limit)
		if err != nil {
			t.Fatal(err)
		}
		listed, cursor = listed+len(ids), next
	}
	return listed
}

// Questions of one actor get the answers that they get one by one.
func TestSharedAnswersAreTheSame(t *testing.T) {
	p, err := policy.Parse([]byte(cyclic), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		g, n := New(p), 2+rng.IntN(8)
		for range rng.IntN(6 * n) {
			subjects := map[string]string{
				"owner": "did:key:a", "next": fmt.Sprintf("node:%d", rng.IntN(n)), "to": fmt.Sprintf("node:%d", rng.IntN(n)),
				"banned": []string{"did:key:a", fmt.Sprintf("node:%d#banned", rng.IntN(n))}[rng.IntN(2)],
				"member": []string{"did:key:a", fmt.Sprintf("node:%d#%s", rng.IntN(n), []string{"member", "mixed", "through"}[rng.IntN(3)])}[rng.IntN(2)],
			}
			relation := []string{"owner", "next", "to", "banned", "member", "next", "to", "member"}[rng.IntN(8)]
			g.Apply(&Change{Add: []Fact{newFact(t, g, "node:%d#%s@%s", rng.IntN(n), relation, subjects[relation])}})
		}
		v := g.View()
		a := v.asker(g.Actor("did:key:a"))
		for range 200 {
			slot, object := uint32(1+rng.IntN(len(g.slots)-2)), g.Object(0, fmt.Sprint(rng.IntN(n)))
			want, _ := v.check(slot, object, g.Actor("did:key:a"))
			if got := a.check(slot, object); got != want {
				t.Fatalf("seed %d: %s of %d is %t, alone %t", seed, g.slots[slot].name, object, got, want)
			}
		}
		a.end()
	}
}
