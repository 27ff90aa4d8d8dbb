package docbench

import (
	"errors"
	"fmt"
	"testing"
)

// Verify tests an engine before it is measured: what all its stores answer after registrations,
// grants and revocations, alone and in batches, and after a store on disk was closed.
func Verify(t *testing.T, engine Engine) {
	t.Run("store=memory", func(t *testing.T) {
		store, err := engine.Open()
		must(t, err)
		verify(t, store)
		must(t, store.Close())
	})
	if engine.OpenDir != nil {
		t.Run("store=persistent", func(t *testing.T) {
			dir := t.TempDir()
			store, err := engine.OpenDir(dir)
			must(t, err)
			verify(t, store)
			must(t, store.Close())
			again, err := engine.OpenDir(dir)
			must(t, err)
			actors, docs := Actors(3), Docs(100)
			must(t, expect(again, docs[0], actors[1], true, true))
			must(t, checkAnswers(again, actors[0], docs))
			must(t, again.Close())
		})
	}
}

// verify leaves documents 0 to 99 registered by the first actor, and 0 readable by the second.
func verify(t *testing.T, store Store) {
	actors, docs := Actors(3), Docs(100)
	must(t, expect(store, docs[0], actors[0], false, false))
	must(t, registerEach(store, actors[0], docs[:50]))
	must(t, registerAll(store, actors[0], docs[50:]))
	must(t, checkAnswers(store, actors[0], docs))
	if batcher, ok := store.(BatchChecker); ok {
		allowed, err := batcher.CheckBatch(actors[0], []string{docs[7], "no-such-document", docs[99]})
		must(t, err)
		if fmt.Sprint(allowed) != "[true false true]" {
			t.Errorf("batch of checks: %v, expected [true false true]", allowed)
		}
	}
	if lister, ok := store.(DocLister); ok {
		listed, err := lister.ListDocs(actors[0])
		must(t, err)
		must(t, sameSet(listed, docs))
	}
	sharer, ok := store.(Sharer)
	if !ok {
		return
	}
	for _, actor := range actors[1:] {
		must(t, sharer.Grant(actors[0], docs[0], actor))
		must(t, expect(store, docs[0], actor, true, true))
		must(t, expect(store, docs[1], actor, true, false))
	}
	if lister, ok := store.(ActorLister); ok {
		listed, err := lister.ListActors(docs[0])
		must(t, err)
		must(t, sameSet(listed, actors))
	}
	must(t, sharer.Revoke(actors[0], docs[0], actors[2]))
	must(t, expect(store, docs[0], actors[2], true, false))
	must(t, expect(store, docs[0], actors[1], true, true))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// VerifyAnswers asks an engine the checks of all scenarios, and fails where an answer is not that of
// set semantics, or where it refuses another number of policies than expected. It is for engines that
// are right; the others count their wrong answers.
func VerifyAnswers(t *testing.T, engine Engine, refused int) {
	scenarios, err := Scenarios()
	must(t, err)
	for _, scenario := range scenarios {
		answers, err := Answer(engine, scenario)
		if errors.Is(err, ErrPolicyRefused) {
			refused--
			continue
		}
		must(t, err)
		for i, c := range scenario.Checks {
			if answers[i] != c.Want {
				t.Errorf("%s: %t to %s %s %s, expected %t",
					scenario.Name, answers[i], c.Actor, c.Permission, c.Object, c.Want)
			}
		}
	}
	if refused != 0 {
		t.Errorf("%d policies more were expected to be refused", refused)
	}
}
