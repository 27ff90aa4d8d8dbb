package acp

import (
	"errors"
	"testing"

	"assay/acp/testdata"
	"assay/acp/tuple"
)

// TestAlgebra asks the engine what was answered by plain set semantics, with documents registered and
// relationships set by their owner, as when the published engine was asked.
func TestAlgebra(t *testing.T) {
	checks, published := 0, 0
	for _, s := range must(testdata.Algebra()) {
		e := must(Open(Options{}))
		id, err := e.AddPolicy(s.Owner, s.Policy)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, text := range s.Objects {
			o := must(tuple.ParseObject(text))
			must(e.RegisterDoc(s.Owner, id, o.Resource, o.ID))
		}
		for _, text := range s.Relationships {
			r := must(tuple.ParseRelationship(text))
			if _, err := e.AddRelationship(id, r.Object.Resource, r.Object.ID, r.Relation, s.Owner, r.Subject.String()); err != nil {
				t.Fatalf("%s: %s: %v", s.Name, text, err)
			}
		}
		snapshot := must(e.Snapshot(id))
		for _, c := range s.Checks {
			got, err := snapshot.Check(c.Permission, c.Actor, must(tuple.ParseObject(c.Object)))
			if err != nil || got != c.Want {
				t.Errorf("%s: %s#%s@%s is %t (%v), want %t", s.Name, c.Object, c.Permission, c.Actor, got, err, c.Want)
			}
			checks++
			if c.Published != c.Want {
				published++
			}
		}
	}
	if checks != 15_040 || published != 508 {
		t.Errorf("%d checks, %d of them answered otherwise by the published engine; want 15,040 and 508", checks, published)
	}
}

// The policy and facts under which the published engine answers wrongly.
const defectsPolicy = `
name: t
resources:
  doc:
    permissions:
      p1: {expr: (reader + writer) & reader}
      p2: {expr: (reader + writer) - reader}
      p3: {expr: (reader & writer) + reader}
      p5: {expr: reader & reader}
      p6: {expr: writer - writer}
      read: {expr: owner + reader}
      write: {expr: owner}
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
      writer: {types: [actor]}
  docs:
    permissions:
      read: {expr: owner + reader}
      write: {expr: owner}
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
`

const (
	alice = "did:key:zAlice"
	bob   = "did:key:zBob"
	carol = "did:key:zCarol"
)

func TestPublishedDefects(t *testing.T) {
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, defectsPolicy))
	must(e.RegisterDoc(alice, id, "doc", "1"))
	must(e.AddRelationship(id, "doc", "1", "writer", alice, bob))
	must(e.AddRelationship(id, "doc", "1", "reader", alice, carol))
	must(e.RegisterDoc(alice, id, "doc", "s9"))
	s := must(e.Snapshot(id))
	for _, c := range []struct {
		object, permission, actor string
		want                      bool
	}{
		{"doc:1", "p1", carol, true},
		{"doc:1", "p2", carol, false},
		{"doc:1", "p3", carol, true},
		{"doc:1", "p5", carol, true},
		{"doc:1", "p6", bob, false},
		{"docs:9", "read", alice, false}, // not doc:s9
	} {
		if got := must(s.Check(c.permission, c.actor, must(tuple.ParseObject(c.object)))); got != c.want {
			t.Errorf("%s#%s@%s is %t", c.object, c.permission, c.actor, got)
		}
	}
	if must(e.IsDocRegistered(id, "docs", "9")) {
		t.Error("docs:9 is registered by doc:s9")
	}
	if r := must(e.RegisterDoc(bob, id, "docs", "9")); r != Registered {
		t.Errorf("bob registers docs:9: %d", r)
	}
	if err := e.DeletePolicy(bob, id); !errors.Is(err, ErrUnauthorized) {
		t.Errorf("bob deletes the policy of alice: %v", err)
	}
	must(e.ArchiveDoc(alice, id, "doc", "1"))
	if _, err := e.AddRelationship(id, "doc", "1", "reader", alice, bob); !errors.Is(err, ErrForbidden) {
		t.Errorf("a relationship on an archived document: %v", err)
	}
}
