package graph

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/acp/tuple"
)

// cycles returns facts around cycles of n nodes, and how many they are. n actors own node 0, or a node each;
// every tenth of them is banned half of the nodes away.
func cycles(t *testing.T, shape string, n int, spread bool) (g *Graph, facts int) {
	t.Helper()
	g = emptyGraph(t, cyclic)
	fact := func(format string, args ...any) {
		g.Apply(&Change{Add: []Fact{newFact(t, g, format, args...)}})
		facts++
	}
	shapes[shape](n, fact)
	for i := range n {
		at := 0
		if spread {
			at = i
		}
		fact("node:%d#owner@did:key:a%d", at, i)
		if i%10 == 0 {
			fact("node:%d#banned@did:key:a%d", (at+n/2)%n, i)
		}
	}
	return g, facts
}

// A list of actors evaluates in proportion to the facts, however many actors there are, whatever cycles there
// are and whatever operators stand on them; and it has those whom a check allows.
func TestListsOfActorsAreLinear(t *testing.T) {
	for shape := range shapes {
		for _, n := range []int{100, 600} {
			for _, spread := range []bool{false, true} {
				g, facts := cycles(t, shape, n, spread)
				object := tuple.Object{Resource: "node", ID: fmt.Sprint(n - 1)}
				for _, permission := range strings.Fields("union both less lesser mixed other through hidden member banned") {
					w := walk{View: g.View()}
					slot, number := g.resources[0][permission], g.Object(0, object.ID)
					c, err := w.from(origin{down: true, slot: slot, number: number})
					if err != nil {
						t.Fatal(err)
					}
					if w.visits > 8*uint64(facts) || w.steps > 160*facts {
						t.Errorf("%s of %d, spread: %t, %s: %d visits and %d steps for %d facts", shape, n, spread, permission, w.visits, w.steps, facts)
					}
					for i := 0; i < len(c.found); i += 1 + n/20 {
						want, _ := w.check(slot, number, c.found[i])
						if got := c.held == nil || c.held[i]; got != want {
							t.Errorf("%s of %d, spread: %t, %s: actor %d is listed: %t", shape, n, spread, permission, c.found[i], got)
						}
					}
				}
			}
		}
	}
}

// A list ends with an error when it takes more steps than it may, or makes more parts of sets.
func TestListOfTooMuchWork(t *testing.T) {
	g, facts := cycles(t, "at random", 2000, true)
	c := &candidates{origin: origin{down: true, slot: g.resources[0]["hidden"], number: g.Object(0, "0")}}
	for _, limit := range []budget{{0, 1 << 30}, {100, 1 << 30}, {2 * facts, 1 << 30}, {1 << 30, 0}, {1 << 30, facts}} {
		w := walk{View: g.View()}
		c.found, _ = w.down(c.slot, c.number)
		c.held = make([]bool, len(c.found))
		if err := w.evaluate(c, limit); !errors.Is(err, ErrWork) || w.steps > limit.steps+4*facts {
			t.Errorf("with a budget of %+v: %v after %d steps", limit, err, w.steps)
		}
	}
}

// Operations on sets are those of sets.
func TestSets(t *testing.T) {
	for _, count := range []int{1, 2, 256, 257, 3000} {
		rng := rand.New(rand.NewPCG(uint64(count), 3))
		s := newSets(count, budget{1 << 30, 1 << 30})
		made, want := []set{0, s.all()}, []map[uint32]bool{{}, {}}
		for i := range count {
			want[1][uint32(i)] = true
		}
		for range 200 {
			var numbers []uint32
			has := map[uint32]bool{}
			if op := operator(rng.IntN(4)); op <= difference {
				a, b := rng.IntN(len(made)), rng.IntN(len(made))
				made = append(made, s.apply(op, made[a], made[b]))
				for i := range uint32(count) {
					x, y := want[a][i], want[b][i]
					has[i] = map[operator]bool{union: x || y, intersection: x && y, difference: x && !y}[op]
				}
			} else {
				for range rng.IntN(2 * count) {
					number := uint32(rng.IntN(count))
					numbers, has[number] = append(numbers, number), true
				}
				made = append(made, s.of(numbers))
			}
			want = append(want, has)
		}
		for i := range made {
			for number := range uint32(count) {
				if got := s.has(made[i], number); got != want[i][number] {
					t.Fatalf("set %d below %d: has %d: %t", i, count, number, got)
				}
			}
		}
	}
}

// What an operation costs is what differs.
func TestSetsShare(t *testing.T) {
	const count = 1 << 20
	s := newSets(count, budget{1 << 30, 1 << 30})
	var even []uint32
	for i := uint32(0); i < count; i += 2 {
		even = append(even, i)
	}
	a := s.of(even)
	one := s.of([]uint32{12_345})
	b := s.apply(union, a, one)
	s.steps = 0
	for name, got := range map[string]bool{
		"union with a part":         s.apply(union, b, a) == b && s.apply(union, a, b) == b,
		"intersection with a part":  s.apply(intersection, b, a) == a,
		"with all":                  s.apply(intersection, s.all(), b) == b && s.apply(union, b, s.all()) == s.all(),
		"without what is not there": s.apply(difference, a, one) == a,
		"what was added":            s.has(s.apply(difference, b, a), 12_345),
	} {
		if !got {
			t.Errorf("%s: another set", name)
		}
	}
	if s.steps > 8*2*20 {
		t.Errorf("%d steps", s.steps)
	}
}
