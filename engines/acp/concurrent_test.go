package acp

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"assay/acp/tuple"
	"assay/gocommon/vfs"
)

// TestTwoActorsRegister: of two actors that register one document at once, one becomes the owner.
func TestTwoActorsRegister(t *testing.T) {
	const documents = 1000
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, usersPolicy))
	var owners [documents]atomic.Int32
	var wg sync.WaitGroup
	for _, actor := range []string{alice, bob} {
		wg.Go(func() {
			for i := range documents {
				switch _, err := e.RegisterDoc(actor, id, "users", fmt.Sprint(i)); {
				case err == nil:
					owners[i].Add(1)
				case !errors.Is(err, ErrUnauthorized):
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range owners {
		if n := owners[i].Load(); n != 1 {
			t.Errorf("document %d has %d owners", i, n)
		}
		if must(e.CheckDocAccess(Write, alice, id, "users", fmt.Sprint(i))) == must(e.CheckDocAccess(Write, bob, id, "users", fmt.Sprint(i))) {
			t.Errorf("document %d: alice and bob have the same access", i)
		}
	}
}

// TestChecksSeeWrites: while tables grow and deleted facts are thrown away, a check that begins after
// a change returned sees it, a snapshot never changes, and changes made at once are seen at once.
func TestChecksSeeWrites(t *testing.T) {
	const documents = 60
	e := must(Open(Options{Path: "store", FS: vfs.NewMem()}))
	id := must(e.AddPolicy(alice, usersPolicy))
	must(e.RegisterDoc(alice, id, "users", "shared"))
	var registered, shared atomic.Int32
	var done atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			p := must(e.PolicyHandle(id))
			users := must(p.Resource("users"))
			read := must(users.Permission("read"))
			for round := 0; !done.Load(); round++ {
				n := registered.Load()
				if n == 0 {
					continue
				}
				last := fmt.Sprint(n - 1)
				if !must(e.IsDocRegistered(id, "users", last)) || !must(e.CheckDocAccess(Read, alice, id, "users", last)) {
					t.Errorf("document %s was registered and is not seen", last)
				}
				if !read.Check(p.Actor(alice), users.Doc(last)) {
					t.Errorf("document %s was registered and its handle does not see it", last)
				}
				both := shared.Load()
				s := must(e.Snapshot(id))
				// Bob and carol are set and deleted together.
				o := tuple.Object{Resource: "users", ID: "shared"}
				readers := must(s.Subjects(o, "reader"))
				if len(readers) != 0 && len(readers) != 2 {
					t.Errorf("half of a change is seen: %v", readers)
				}
				if again := must(s.Subjects(o, "reader")); len(again) != len(readers) ||
					must(s.Check("read", bob, o)) != (len(readers) == 2) || must(s.Check("read", carol, o)) != (len(readers) == 2) {
					t.Error("a snapshot changed")
				}
				if both < 0 && len(readers) != 2 {
					t.Error("bob and carol were set for good and are not seen")
				}
				if round%64 == 0 {
					ids, _, err := s.ListObjects("users", "read", alice, "", 0)
					if err != nil || len(ids) < int(n) {
						t.Errorf("alice has %d documents (%v), want %d at least", len(ids), err, n)
					}
				}
			}
		})
	}
	both := []Grant{{"users", "shared", "reader", bob}, {"users", "shared", "reader", carol}}
	for i := range documents {
		must(e.RegisterDoc(alice, id, "users", fmt.Sprint(i)))
		registered.Store(int32(i + 1))
		for range 30 { // deleted facts gather until they are thrown away
			must(e.AddRelationships(id, alice, both))
			must(e.ArchiveDoc(alice, id, "users", "shared"))
			must(e.RegisterDoc(alice, id, "users", "shared"))
		}
	}
	must(e.AddRelationships(id, alice, both))
	shared.Store(-1)
	done.Store(true)
	wg.Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// TestWithBesideWrites: another snapshot is made of one while relationships are added, and has what
// the first has.
func TestWithBesideWrites(t *testing.T) {
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, usersPolicy))
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !done.Load() {
			s := must(e.Snapshot(id))
			with := must(s.With(nil, nil, nil))
			if got, want := with.view.Len(), s.view.Len(); got != want {
				t.Errorf("%d relationships of %d", got, want)
				return
			}
		}
	})
	for i := range 600 {
		must(e.RegisterDoc(alice, id, "users", fmt.Sprint(i)))
	}
	done.Store(true)
	wg.Wait()
}
