package graph

import (
	"fmt"
	"testing"
)

// nested returns folders that lie in each other, with an owner of the outermost.
func nested(t *testing.T, depth int) *Graph {
	t.Helper()
	g := emptyGraph(t, "name: nested\nresources:\n  folder:\n    permissions:\n      read: {expr: owner + parent->read}\n"+
		"    relations:\n      owner: {types: [actor]}\n      parent: {types: [folder]}\n")
	for i := range depth {
		text := fmt.Sprintf("folder:%d#parent@folder:%d", i, i-1)
		if i == 0 {
			text = "folder:0#owner@did:key:a"
		}
		g.Apply(&Change{Add: []Fact{newFact(t, g, "%s", text)}})
	}
	return g
}

// Questions of one actor evaluate each relation of an object once, all of them together.
func TestQuestionsOfOneActorShareWhatTheyFind(t *testing.T) {
	const depth = 10_000
	g := nested(t, depth)
	for _, actor := range []string{"did:key:a", "did:key:other", ""} {
		a := g.View().asker(g.Actor(actor))
		for i := range depth {
			number := (i*7919 + 13) % depth // in no order
			held := a.check(g.resources[0]["read"], g.Object(0, fmt.Sprint(number)))
			if held != (actor == "did:key:a") {
				t.Fatalf("read of folder %d of %q is %t", number, actor, held)
			}
		}
		a.end()
		if a.cost.Visits > 2*depth {
			t.Errorf("%q: %d visits for %d folders", actor, a.cost.Visits, depth)
		}
	}
}
