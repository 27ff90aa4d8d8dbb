package acp

import "testing"

const usersPolicy = `
name: test
description: a policy
actor:
  name: actor
resources:
  users:
    permissions:
      read:
        expr: owner + reader
      write:
        expr: owner
    relations:
      owner:
        types: [actor]
      reader:
        types: [actor]
`

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestSmoke(t *testing.T) {
	dir := t.TempDir()
	e := must(Open(Options{Path: dir}))
	id := must(e.AddPolicy("did:key:zAlice", usersPolicy))
	must(e.RegisterDoc("did:key:zAlice", id, "users", "1"))
	must(e.AddRelationship(id, "users", "1", "reader", "did:key:zAlice", "did:key:zBob"))
	for range 2 {
		if !must(e.CheckDocAccess(Read, "did:key:zBob", id, "users", "1")) || must(e.CheckDocAccess(Write, "did:key:zBob", id, "users", "1")) {
			t.Fatal("wrong")
		}
		s := must(e.Snapshot(id))
		ids, _, err := s.ListObjects("users", "read", "did:key:zBob", "", 0)
		t.Log(ids, err)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		e = must(Open(Options{Path: dir}))
		t.Logf("%+v", e.Recovery())
	}
}
