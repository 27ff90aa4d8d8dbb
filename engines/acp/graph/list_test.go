package graph_test

import (
	"fmt"
	"testing"

	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

const listed = 10_000

// listPolicy has permissions that are listed along one fact, through a group, and with a check of each
// candidate.
const listPolicy = `
name: lists
resources:
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor]}
  doc:
    permissions:
      read: {expr: reader}
      read_not_banned: {expr: reader - banned}
    relations:
      owner: {types: [actor]}
      banned: {types: [actor]}
      reader: {types: [actor, group->member]}
`

// TestPagesWalkOnce: pages of 10 examine each fact and candidate once, and the first candidate of
// each next page once more. All at once they are examined once.
func TestPagesWalkOnce(t *testing.T) {
	p, err := policy.Parse([]byte(listPolicy), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(p)
	add := func(text string) {
		r, err := tuple.ParseRelationship(text)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, g, r, false)
	}
	add("group:g#member@did:key:bob")
	for i := range listed {
		add(fmt.Sprintf("doc:%d#reader@did:key:alice", i))
		add(fmt.Sprintf("doc:%d#reader@group:g#member", i))
		add(fmt.Sprintf("doc:all#reader@did:key:z%d", i))
	}

	const first, walkThroughGroup = listed/10 - 1, listed + 1
	for _, c := range []struct {
		permission, actor string
		facts             int
	}{
		{"read", "did:key:alice", listed},
		{"read", "did:key:bob", walkThroughGroup},
		{"read_not_banned", "did:key:alice", listed},
	} {
		for _, limit := range []int{0, 10} {
			want := c.facts + listed
			if limit > 0 {
				want += first
			}
			l := graph.Lister{View: g.View()}
			seen := map[string]bool{}
			for cursor := ""; ; {
				ids, next, err := l.ListObjects("doc", c.permission, c.actor, cursor, limit)
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range ids {
					seen[id] = true
				}
				if cursor = next; cursor == "" {
					break
				}
			}
			if len(seen) != listed || l.Examined() != uint64(want) {
				t.Errorf("%s of %s, pages of %d: %d listed, %d examined, want %d", c.permission, c.actor, limit, len(seen), l.Examined(), want)
			}
		}
	}

	l := graph.Lister{View: g.View()}
	got := 0
	for cursor := ""; ; {
		page, err := l.ListActors(tuple.Object{Resource: "doc", ID: "all"}, "read", cursor, 10)
		if err != nil {
			t.Fatal(err)
		}
		got += len(page.Actors)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if want := uint64(2*listed + first); got != listed || l.Examined() != want {
		t.Errorf("%d actors listed, %d examined, want %d", got, l.Examined(), want)
	}
}

// TestCursorOfAnotherRevision: what was there all the time is listed once.
func TestCursorOfAnotherRevision(t *testing.T) {
	p, err := policy.Parse([]byte(listPolicy), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(p)
	fact := func(doc int) tuple.Relationship {
		return tuple.Relationship{Object: tuple.Object{Resource: "doc", ID: fmt.Sprint(doc)}, Relation: "reader",
			Subject: tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: "did:key:alice"}}}
	}
	for i := range 100 {
		apply(t, g, fact(i), false)
	}
	seen := map[string]int{}
	for cursor, i := "", 0; ; i++ {
		l := graph.Lister{View: g.View()}
		ids, next, err := l.ListObjects("doc", "read", "did:key:alice", cursor, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			seen[id]++
		}
		if cursor = next; cursor == "" {
			break
		}
		apply(t, g, fact(i), true) // that of a page before
		apply(t, g, fact(1000+i), false)
	}
	for i := range 100 {
		if seen[fmt.Sprint(i)] != 1 {
			t.Errorf("doc:%d is listed %d times", i, seen[fmt.Sprint(i)])
		}
	}
	if len(seen) == 100 {
		t.Error("documents that were added are not listed")
	}
}
