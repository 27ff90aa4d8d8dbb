package model_test

import (
	"slices"
	"testing"

	"assay/acp/model"
	"assay/acp/tuple"
)

const documents = `name: t
resources:
  doc:
    permissions:
      read: {expr: owner + reader}
      write: {expr: owner + writer}
    relations:
      owner: {types: [actor]}
      reader: {types: [actor, group->member]}
      writer: {types: [actor]}
      admin: {types: [actor], manages: [reader]}
      closed: {}
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor]}
`

const (
	alice = "did:key:alice"
	bob   = "did:key:bob"
	carol = "did:key:carol"
)

// TestLifeOfADocument is the table of what every operation on documents comes to.
func TestLifeOfADocument(t *testing.T) {
	m := model.New(read(t, documents))
	expect := func(what string, got, want model.Outcome) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	can := func(who string, reads, writes bool) {
		t.Helper()
		r, _ := m.CheckRead(who, "doc", "1")
		w, _ := m.CheckWrite(who, "doc", "1")
		if r != reads || w != writes {
			t.Errorf("%s reads: %t, writes: %t, want %t, %t", who, r, w, reads, writes)
		}
	}
	add := func(relation, requester, target string) model.Outcome {
		return m.AddRelationship("doc", "1", relation, requester, target)
	}
	remove := func(relation, requester, target string) model.Outcome {
		return m.DeleteRelationship("doc", "1", relation, requester, target)
	}

	expect("share before registering", add("reader", alice, bob), model.NotFound)
	expect("register", m.Register(alice, "doc", "1"), model.Registered)
	expect("register again", m.Register(alice, "doc", "1"), model.Conflict)
	expect("register another's", m.Register(bob, "doc", "1"), model.Unauthorized)
	expect("register as nobody", m.Register("bob", "doc", "2"), model.BadInput)
	expect("register under an unknown resource", m.Register(bob, "nope", "2"), model.NotFound)
	can(alice, true, true)
	can(bob, false, false)

	expect("share", add("reader", alice, bob), model.Done)
	expect("share again", add("reader", alice, bob), model.Nothing)
	can(bob, true, false)
	expect("share as a reader", add("reader", bob, carol), model.Unauthorized)
	expect("make an admin", add("admin", alice, bob), model.Done)
	expect("share as an admin", add("reader", bob, carol), model.Done)
	expect("let write as an admin", add("writer", bob, carol), model.Unauthorized)
	expect("let write", add("writer", alice, carol), model.Done)
	expect("take reading from a writer", remove("reader", bob, carol), model.Done)
	can(carol, true, true)
	expect("take what is not there", remove("reader", bob, carol), model.Nothing)
	expect("take owning", remove("owner", alice, alice), model.Forbidden)
	expect("give owning", add("owner", alice, bob), model.Forbidden)
	expect("an unknown relation", add("nope", alice, bob), model.NotFound)
	expect("a relation without types", add("closed", alice, bob), model.BadInput)
	expect("a target that is no DID", add("reader", alice, "bob"), model.BadInput)
	expect("a userset that the types lack", add("writer", alice, "group:g#member"), model.BadInput)
	expect("share with all", add("reader", alice, "*"), model.Done)
	can("", true, false)
	expect("share with a group", add("reader", alice, "group:g#member"), model.Done)

	expect("archive as a reader", m.Archive(bob, "doc", "1"), model.Unauthorized)
	expect("archive", m.Archive(alice, "doc", "1"), model.Done)
	expect("archive again", m.Archive(alice, "doc", "1"), model.Conflict)
	if registered, _ := m.IsRegistered("doc", "1"); !registered {
		t.Error("an archived document is not registered")
	}
	can(alice, false, false)
	can("", false, false)
	expect("share an archived one", add("reader", alice, bob), model.Forbidden)
	expect("transfer an archived one", m.Transfer(alice, "doc", "1", bob), model.Forbidden)
	expect("register another's archived one", m.Register(bob, "doc", "1"), model.Unauthorized)
	expect("register the own archived one", m.Register(alice, "doc", "1"), model.Unarchived)
	can(alice, true, true)
	can(bob, false, false)
	expect("unarchive an active one", m.Unarchive(alice, "doc", "1"), model.Conflict)

	expect("transfer another's", m.Transfer(bob, "doc", "1", bob), model.Unauthorized)
	expect("transfer", m.Transfer(alice, "doc", "1", bob), model.Done)
	can(alice, false, false)
	can(bob, true, true)
}

func TestLoad(t *testing.T) {
	m := model.New(read(t, documents))
	load := func(texts ...string) model.Outcome {
		var all []tuple.Relationship
		for _, text := range texts {
			all = append(all, must[tuple.Relationship](t)(tuple.ParseRelationship(text)))
		}
		return m.Load(all)
	}
	for _, c := range []struct {
		want  model.Outcome
		texts []string
	}{
		{model.Done, []string{"doc:1#owner@" + alice, "doc:1#reader@group:g#member", "group:g#member@bob"}},
		{model.Done, []string{"doc:1#owner@" + alice}},
		{model.Conflict, []string{"doc:1#owner@" + bob}},
		{model.Conflict, []string{"doc:2#owner@" + alice, "doc:2#owner@" + bob}},
		{model.NotFound, []string{"doc:1#nope@" + alice}},
		{model.BadInput, []string{"doc:1#owner@*"}},
		{model.BadInput, []string{"doc:1#writer@group:g#member"}},
		{model.BadInput, []string{`doc:""#reader@bob`}},
	} {
		if got := load(c.texts...); got != c.want {
			t.Errorf("%v: %s, want %s", c.texts, got, c.want)
		}
	}
	if registered, _ := m.IsRegistered("doc", "2"); registered {
		t.Error("a refused load left something")
	}
	if got := m.ListObjects("doc", "read", "bob"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("bob reads %v", got)
	}
	if got, all := m.ListActors(tuple.Object{Resource: "doc", ID: "1"}, "read"); !slices.Equal(got, []string{"bob", alice}) || all {
		t.Errorf("doc:1 is read by %v, all: %t", got, all)
	}
}
