package graph

import (
	"fmt"
	"testing"

	"assay/acp/policy"
	"assay/acp/tuple"
)

// emptyGraph returns a graph without facts of a policy.
func emptyGraph(t *testing.T, text string) *Graph {
	t.Helper()
	p, err := policy.Parse([]byte(text), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return New(p)
}

// newFact returns a fact that a relationship in words tells.
func newFact(t *testing.T, g *Graph, format string, args ...any) Fact {
	t.Helper()
	r, err := tuple.ParseRelationship(fmt.Sprintf(format, args...))
	if err != nil {
		t.Fatal(err)
	}
	f, err := g.Fact(r)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
