package acp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/acp/model"
	"assay/acp/policy"
	"assay/acp/tuple"
	"assay/gocommon/vfs"
)

const streamPolicy = `
name: stream
resources:
  group:
    relations:
      owner:
        types: [actor]
      member:
        types: [actor, group->member]
    permissions:
      read:
        expr: owner + member
      write:
        expr: owner
  doc:
    relations:
      owner:
        types: [actor]
      reader:
        types: [actor, group->member]
      banned:
        types: [actor]
      parent:
        types: [doc]
      admin:
        types: [actor]
        manages: [reader, banned]
    permissions:
      read:
        expr: owner + (reader + parent->read - banned)
      write:
        expr: admin & reader + owner
`

// outcomes by the kind of error; the model has no identity apart from a good one.
var outcomes = []struct {
	err     error
	outcome model.Outcome
}{
	{ErrUnauthenticated, model.BadInput},
	{ErrBadInput, model.BadInput},
	{ErrNotFound, model.NotFound},
	{ErrUnauthorized, model.Unauthorized},
	{ErrForbidden, model.Forbidden},
	{ErrConflict, model.Conflict},
}

func outcome(err error, done model.Outcome) model.Outcome {
	if err == nil {
		return done
	}
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.outcome
		}
	}
	return model.Outcome(err.Error())
}

// operation is one of a random stream, good or bad.
type operation struct {
	kind                             int
	actor, resource, doc, what, with string
}

func randomOperation(rng *rand.Rand) operation {
	pick := func(common, rare []string) string {
		if rng.IntN(12) == 0 {
			return rare[rng.IntN(len(rare))]
		}
		return common[rng.IntN(len(common))]
	}
	actors := []string{"did:key:z1", "did:key:z2", "did:key:z3"}
	docs := []string{"1", "2", "3", "4"}
	return operation{
		kind:     rng.IntN(10),
		actor:    pick(actors, []string{"", "did:key:", "somebody"}),
		resource: pick([]string{"doc", "doc", "group"}, []string{"", "nothing"}),
		doc:      pick(docs, []string{"", "\x00#:", "9"}),
		what:     pick([]string{"reader", "member", "parent", "banned", "admin"}, []string{"", "owner", "read", "nothing"}),
		with:     pick(append(actors, "group:1#member", "doc:1", "doc:2"), []string{"", "*", "nobody", "group:1#owner", "doc:", "did:x"}),
	}
}

// run does an operation on an engine.
func (o operation) run(e *Engine, id string) model.Outcome {
	switch o.kind {
	case 0, 1, 2:
		r, err := e.RegisterDoc(o.actor, id, o.resource, o.doc)
		if r == Unarchived {
			return outcome(err, model.Unarchived)
		}
		return outcome(err, model.Registered)
	case 3, 4, 5:
		existed, err := e.AddRelationship(id, o.resource, o.doc, o.what, o.actor, o.with)
		if existed {
			return outcome(err, model.Nothing)
		}
		return outcome(err, model.Done)
	case 6:
		found, err := e.DeleteRelationship(id, o.resource, o.doc, o.what, o.actor, o.with)
		if !found {
			return outcome(err, model.Nothing)
		}
		return outcome(err, model.Done)
	case 7:
		_, err := e.ArchiveDoc(o.actor, id, o.resource, o.doc)
		return outcome(err, model.Done)
	case 8:
		return outcome(e.UnarchiveDoc(o.actor, id, o.resource, o.doc), model.Done)
	}
	return outcome(e.TransferDoc(o.actor, id, o.resource, o.doc, o.with), model.Done)
}

// runModel does an operation on the model.
func (o operation) runModel(m *model.Model) model.Outcome {
	switch o.kind {
	case 0, 1, 2:
		return m.Register(o.actor, o.resource, o.doc)
	case 3, 4, 5:
		return m.AddRelationship(o.resource, o.doc, o.what, o.actor, o.with)
	case 6:
		return m.DeleteRelationship(o.resource, o.doc, o.what, o.actor, o.with)
	case 7:
		return m.Archive(o.actor, o.resource, o.doc)
	case 8:
		return m.Unarchive(o.actor, o.resource, o.doc)
	}
	return m.Transfer(o.actor, o.resource, o.doc, o.with)
}

// facts returns all relationships, sorted.
func facts(t *testing.T, e *Engine, id string) []tuple.Relationship {
	t.Helper()
	s, err := e.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	return slices.SortedFunc(s.Relationships(Filter{}), func(a, b tuple.Relationship) int {
		return slices.Compare([]byte(a.String()), []byte(b.String()))
	})
}

// access is what every actor may do with every document.
func access(t *testing.T, e *Engine, id string) string {
	t.Helper()
	all := ""
	for _, resource := range []string{"doc", "group"} {
		for _, doc := range []string{"1", "2", "3", "4", "9", "\x00#:"} {
			registered, err := e.IsDocRegistered(id, resource, doc)
			all += fmt.Sprintln(resource, doc, registered, err)
			for _, actor := range []string{"", "did:key:z1", "did:key:z2", "did:key:z3"} {
				for _, a := range []Access{Read, Write} {
					can, err := e.CheckDocAccess(a, actor, id, resource, doc)
					all += fmt.Sprintln(actor, a, can, err)
				}
			}
		}
	}
	return all
}

func modelAccess(m *model.Model) string {
	all := ""
	for _, resource := range []string{"doc", "group"} {
		for _, doc := range []string{"1", "2", "3", "4", "9", "\x00#:"} {
			registered, _ := m.IsRegistered(resource, doc)
			all += fmt.Sprintln(resource, doc, registered, nil)
			for _, actor := range []string{"", "did:key:z1", "did:key:z2", "did:key:z3"} {
				read, _ := m.CheckRead(actor, resource, doc)
				write, _ := m.CheckWrite(actor, resource, doc)
				all += fmt.Sprintln(actor, Read, read, nil) + fmt.Sprintln(actor, Write, write, nil)
			}
		}
	}
	return all
}

// TestStream: one random stream of operations has the same outcomes and leaves the same facts and
// access in memory, on disk, opened anew with and without a snapshot, with IndexScan, and by the model.
func TestStream(t *testing.T) {
	operations, seeds := 600, uint64(3)
	if long {
		operations, seeds = 5000, 20
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 2))
		fsys := vfs.NewMem()
		persistent := Options{Path: "store", FS: fsys, Sync: Sync(seed % 3), saveEvery: 700}
		engines := []*Engine{
			must(Open(Options{})),
			must(Open(persistent)),
			must(Open(Options{Index: IndexScan})),
		}
		var id string
		for _, e := range engines {
			id = must(e.AddPolicy("did:key:z1", streamPolicy))
		}
		m := model.New(must(policy.Parse([]byte(streamPolicy), policy.Options{})))
		seen := map[model.Outcome]int{}
		for i := range operations {
			o := randomOperation(rng)
			want := o.runModel(m)
			seen[want]++
			for _, e := range engines {
				if got := o.run(e, id); got != want {
					t.Fatalf("seed %d: operation %d, %+v: %q, want %q", seed, i, o, got, want)
				}
			}
			engines[1].savers.Wait() // fsys copies a mapped file when it syncs, which must not be written meanwhile
			switch {
			case i%97 == 96: // a clean end
				if err := engines[1].Close(); err != nil {
					t.Fatal(err)
				}
				engines[1] = must(Open(persistent))
			case i%151 == 150: // the process is killed: nothing is closed
				persistent.FS = fsys.Crash(vfs.KeepAll, rng)
				fsys = persistent.FS.(*vfs.Mem)
				engines[1] = must(Open(persistent))
			}
			if i%10 > 0 {
				continue
			}
			wantFacts, wantAccess := m.Relationships(), modelAccess(m)
			for n, e := range engines {
				if got := facts(t, e, id); !slices.Equal(got, wantFacts) {
					t.Fatalf("seed %d: after operation %d engine %d has %v, want %v", seed, i, n, got, wantFacts)
				}
				if got := access(t, e, id); got != wantAccess {
					t.Fatalf("seed %d: after operation %d engine %d answers %s, want %s", seed, i, n, got, wantAccess)
				}
			}
		}
		for _, o := range append(slices.Clone(outcomes), struct {
			err     error
			outcome model.Outcome
		}{nil, model.Unarchived}) {
			if seen[o.outcome] == 0 {
				t.Errorf("seed %d: no operation was %s: %v", seed, o.outcome, seen)
			}
		}
	}
}
