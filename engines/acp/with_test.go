package acp_test

import (
	"testing"

	"assay/acp"
	"assay/acp/tuple"
)

// What came in one batch has one revision. Another graph made of it holds all of it.
func TestWithKeepsABatch(t *testing.T) {
	e, err := acp.Open(acp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const text = `
name: groups
resources:
  doc:
    permissions: {read: {expr: owner + reader}}
    relations: {owner: {types: [actor]}, reader: {types: [actor, group->member]}}
  group:
    relations: {owner: {types: [actor]}, member: {types: [actor]}}
`
	const creator = "did:key:creator"
	id, err := e.AddPolicy(creator, text)
	if err != nil {
		t.Fatal(err)
	}
	parse := func(text string) tuple.Relationship {
		r, err := tuple.ParseRelationship(text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	batch := []tuple.Relationship{parse("doc:1#reader@group:g#member"), parse("doc:2#reader@did:key:b"), parse("group:g#member@did:key:a")}
	if err := e.Load(id, batch, nil); err != nil {
		t.Fatal(err)
	}
	before, err := e.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	with, err := before.With(nil, nil, []tuple.Relationship{parse("group:g#member@did:key:c")})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.EditPolicy(creator, id, text); err != nil {
		t.Fatal(err)
	}
	edited, err := e.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*acp.Snapshot{with, edited} {
		for _, actor := range []string{"did:key:a", "did:key:c"} {
			want := actor == "did:key:a" || s == with
			if held, err := s.Check("read", actor, tuple.Object{Resource: "doc", ID: "1"}); err != nil || held != want {
				t.Errorf("revision %d: %s reads doc:1: %t, %v, expected %t", s.Revision(), actor, held, err, want)
			}
		}
		if s.Revision() <= before.Revision() {
			t.Errorf("revision %d after %d", s.Revision(), before.Revision())
		}
	}
}
