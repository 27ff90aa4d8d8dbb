package acp

import (
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/acp/policy"
	"assay/acp/tuple"
	"assay/gocommon/vfs"
)

const managedPolicy = `
name: managed
resources:
  doc:
    permissions:
      read: {expr: owner + reader + writer}
      write: {expr: owner + writer}
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
      writer: {types: [actor]}
      sealed: {types: []}
      admin: {types: [actor], manages: [reader]}
  odd:
    permissions:
      read: {expr: owner_new}
      write: {expr: owner}
    relations:
      owner: {types: [actor]}
      owner_new: {types: [actor]}
`

// docs is an engine with one policy, and the document 1 of alice.
func docs(t *testing.T) (*Engine, string) {
	t.Helper()
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, managedPolicy))
	must(e.RegisterDoc(alice, id, "doc", "1"))
	return e, id
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func TestRegister(t *testing.T) {
	e, id := docs(t)
	register := func(actor, id, resource, doc string) error {
		_, err := e.RegisterDoc(actor, id, resource, doc)
		return err
	}
	wantError(t, "own and active", register(alice, id, "doc", "1"), ErrConflict)
	wantError(t, "somebody else's", register(bob, id, "doc", "1"), ErrUnauthorized)
	must(e.ArchiveDoc(alice, id, "doc", "1"))
	wantError(t, "somebody else's, archived", register(bob, id, "doc", "1"), ErrUnauthorized)
	if got := must(e.RegisterDoc(alice, id, "doc", "1")); got != Unarchived {
		t.Errorf("own and archived: %d, want Unarchived", got)
	}
	wantError(t, "no actor", register("", id, "doc", "2"), ErrUnauthenticated)
	for _, actor := range []string{"alice", "did:", "did:key", "did:key:", "did::z", "*"} {
		wantError(t, "actor "+actor, register(actor, id, "doc", "2"), ErrBadInput)
	}
	wantError(t, "no policy", register(alice, "0123", "doc", "2"), ErrNotFound)
	wantError(t, "no resource", register(alice, id, "nothing", "2"), ErrNotFound)
	wantError(t, "empty policy", register(alice, "", "doc", "2"), ErrBadInput)
	wantError(t, "empty resource", register(alice, id, "", "2"), ErrBadInput)
	wantError(t, "empty document", register(alice, id, "doc", ""), ErrBadInput)
	wantError(t, "long document", register(alice, id, "doc", strings.Repeat("x", 4097)), ErrBadInput)
	if err := register(alice, id, "doc", strings.Repeat("\x00", 4096)); err != nil {
		t.Error(err)
	}
}

func TestIsRegistered(t *testing.T) {
	e, id := docs(t)
	if !must(e.IsDocRegistered(id, "doc", "1")) || must(e.IsDocRegistered(id, "doc", "2")) || must(e.IsDocRegistered(id, "odd", "1")) {
		t.Error("wrong")
	}
	must(e.ArchiveDoc(alice, id, "doc", "1"))
	if !must(e.IsDocRegistered(id, "doc", "1")) {
		t.Error("an archived document counts as registered")
	}
	_, err := e.IsDocRegistered(id, "nothing", "1")
	wantError(t, "no resource", err, ErrNotFound)
	_, err = e.IsDocRegistered("0123", "doc", "1")
	wantError(t, "no policy", err, ErrNotFound)
}

func TestAccess(t *testing.T) {
	e, id := docs(t)
	must(e.AddRelationship(id, "doc", "1", "writer", alice, bob))
	must(e.AddRelationship(id, "doc", "1", "reader", alice, "*"))
	for _, c := range []struct {
		access Access
		actor  string
		doc    string
		want   bool
	}{
		{Read, alice, "1", true},
		{Write, alice, "1", true},
		{Read, bob, "1", true},
		{Write, bob, "1", true},
		{Read, carol, "1", true}, // by *
		{Write, carol, "1", false},
		{Read, "", "1", true}, // nobody in particular, by *
		{Write, "", "1", false},
		{Read, alice, "2", false}, // not registered
	} {
		if got := must(e.CheckDocAccess(c.access, c.actor, id, "doc", c.doc)); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	_, err := e.CheckDocAccess(Read, alice, id, "nothing", "1")
	wantError(t, "no resource", err, ErrNotFound)
	_, err = e.CheckDocAccess(Read, alice, "0123", "doc", "1")
	wantError(t, "no policy", err, ErrNotFound)
}

// TestWriteImpliesRead where the policy's read does not say so.
func TestWriteImpliesRead(t *testing.T) {
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, strings.Replace(managedPolicy, "owner + reader + writer", "owner + reader", 1)))
	must(e.RegisterDoc(alice, id, "doc", "1"))
	must(e.AddRelationship(id, "doc", "1", "writer", alice, bob))
	if !must(e.CheckDocAccess(Read, bob, id, "doc", "1")) {
		t.Error("a writer cannot read")
	}
	if must(must(e.Snapshot(id)).Check("read", bob, tuple.Object{Resource: "doc", ID: "1"})) {
		t.Error("the permission read itself does not include writers")
	}
}

func TestShare(t *testing.T) {
	e, id := docs(t)
	add := func(relation, requester, target string) error {
		_, err := e.AddRelationship(id, "doc", "1", relation, requester, target)
		return err
	}
	if must(e.AddRelationship(id, "doc", "1", "reader", alice, bob)) {
		t.Error("the first time existed")
	}
	if !must(e.AddRelationship(id, "doc", "1", "reader", alice, bob)) {
		t.Error("the second time did not exist")
	}
	wantError(t, "a reader shares", add("reader", bob, carol), ErrUnauthorized)
	must(e.AddRelationship(id, "doc", "1", "admin", alice, bob))
	if err := add("reader", bob, carol); err != nil {
		t.Errorf("an admin sets a reader: %v", err)
	}
	wantError(t, "an admin sets a writer", add("writer", bob, carol), ErrUnauthorized)
	wantError(t, "an admin sets an admin", add("admin", bob, carol), ErrUnauthorized)
	wantError(t, "owner", add("owner", alice, bob), ErrForbidden)
	wantError(t, "a relation without types", add("sealed", alice, bob), ErrBadInput)
	wantError(t, "no relation", add("nothing", alice, bob), ErrNotFound)
	wantError(t, "a permission", add("read", alice, bob), ErrNotFound)
	wantError(t, "a management permission", add(policy.ManagementPrefix+"reader", alice, bob), ErrNotFound)
	wantError(t, "no requester", add("reader", "", bob), ErrUnauthenticated)
	wantError(t, "bad requester", add("reader", "alice", bob), ErrBadInput)
	for _, target := range []string{"", "bob", "did:key:", "doc:1", "doc:1#reader", "doc:", `"*"`} {
		wantError(t, "target "+target, add("reader", alice, target), ErrBadInput)
	}
	_, err := e.AddRelationship(id, "doc", "2", "reader", alice, bob)
	wantError(t, "not registered", err, ErrNotFound)

	remove := func(relation, requester, target string) (bool, error) {
		return e.DeleteRelationship(id, "doc", "1", relation, requester, target)
	}
	if !must(remove("reader", bob, carol)) || must(remove("reader", bob, carol)) {
		t.Error("found first and then not")
	}
	_, err = remove("owner", alice, alice)
	wantError(t, "delete the owner", err, ErrForbidden)
	_, err = remove("reader", carol, bob)
	wantError(t, "a stranger deletes", err, ErrUnauthorized)
}

func TestArchive(t *testing.T) {
	e, id := docs(t)
	must(e.AddRelationship(id, "doc", "1", "reader", alice, bob))
	_, err := e.ArchiveDoc(bob, id, "doc", "1")
	wantError(t, "a stranger archives", err, ErrUnauthorized)
	if n := must(e.ArchiveDoc(alice, id, "doc", "1")); n != 2 {
		t.Errorf("%d relationships dropped, want 2", n)
	}
	if must(e.CheckDocAccess(Read, alice, id, "doc", "1")) || must(e.CheckDocAccess(Read, bob, id, "doc", "1")) {
		t.Error("an archived document is read")
	}
	_, err = e.ArchiveDoc(alice, id, "doc", "1")
	wantError(t, "archived twice", err, ErrConflict)
	_, err = e.AddRelationship(id, "doc", "1", "reader", alice, bob)
	wantError(t, "share an archived document", err, ErrForbidden)
	wantError(t, "transfer an archived document", e.TransferDoc(alice, id, "doc", "1", bob), ErrForbidden)
	wantError(t, "a stranger unarchives", e.UnarchiveDoc(bob, id, "doc", "1"), ErrUnauthorized)
	if err := e.UnarchiveDoc(alice, id, "doc", "1"); err != nil {
		t.Fatal(err)
	}
	wantError(t, "unarchived twice", e.UnarchiveDoc(alice, id, "doc", "1"), ErrConflict)
	if !must(e.CheckDocAccess(Write, alice, id, "doc", "1")) || must(e.CheckDocAccess(Read, bob, id, "doc", "1")) {
		t.Error("unarchived, only the owner has access")
	}
}

func TestTransfer(t *testing.T) {
	e, id := docs(t)
	must(e.AddRelationship(id, "doc", "1", "reader", alice, carol))
	wantError(t, "a stranger takes it", e.TransferDoc(bob, id, "doc", "1", bob), ErrUnauthorized)
	wantError(t, "to nobody", e.TransferDoc(alice, id, "doc", "1", ""), ErrBadInput)
	if err := e.TransferDoc(alice, id, "doc", "1", bob); err != nil {
		t.Fatal(err)
	}
	if must(e.CheckDocAccess(Read, alice, id, "doc", "1")) || !must(e.CheckDocAccess(Write, bob, id, "doc", "1")) ||
		!must(e.CheckDocAccess(Read, carol, id, "doc", "1")) {
		t.Error("the new owner has it, the old has not, readers stay")
	}
	_, err := e.RegisterDoc(alice, id, "doc", "1")
	wantError(t, "the old owner registers it", err, ErrUnauthorized)
}

func TestValidateResource(t *testing.T) {
	e, id := docs(t)
	if err := e.ValidateResource(id, "doc"); err != nil {
		t.Error(err)
	}
	wantError(t, "read does not begin with owner", e.ValidateResource(id, "odd"), ErrBadInput)
	wantError(t, "no resource", e.ValidateResource(id, "nothing"), ErrNotFound)
	wantError(t, "empty resource", e.ValidateResource(id, ""), ErrBadInput)
	wantError(t, "empty policy", e.ValidateResource("", "doc"), ErrBadInput)
	wantError(t, "no policy", e.ValidateResource("0123", "doc"), ErrNotFound)
}

func TestPolicies(t *testing.T) {
	e := must(Open(Options{}))
	_, err := e.AddPolicy("", managedPolicy)
	wantError(t, "no creator", err, ErrUnauthenticated)
	_, err = e.AddPolicy(alice, "")
	wantError(t, "empty text", err, ErrBadInput)
	_, err = e.AddPolicy(alice, strings.Replace(managedPolicy, "owner + writer", "owner + nobody", 1))
	wantError(t, "unknown relation", err, ErrBadInput)
	var problems policy.Problems
	if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Line != 7 {
		t.Errorf("problems %v, want one in line 7", problems)
	}
	first, second := must(e.AddPolicy(alice, managedPolicy)), must(e.AddPolicy(bob, managedPolicy))
	if list := e.Policies(); first == second || len(list) != 2 || list[0].ID != first || list[1].Creator != bob || list[0].Name != "managed" {
		t.Errorf("policies %+v", list)
	}
	wantError(t, "a stranger deletes", e.DeletePolicy(bob, first), ErrUnauthorized)
	wantError(t, "nobody deletes", e.DeletePolicy("", first), ErrUnauthenticated)
	if err := e.DeletePolicy(alice, first); err != nil {
		t.Fatal(err)
	}
	_, err = e.IsDocRegistered(first, "doc", "1")
	wantError(t, "deleted", err, ErrNotFound)
}

// TestPublishedPolicyID: the policy of the published benchmark gets its published id.
func TestPublishedPolicyID(t *testing.T) {
	e := must(Open(Options{}))
	id := must(e.AddPolicy(alice, usersPolicy))
	if !strings.HasPrefix(id, "d59f91ba") || !strings.HasSuffix(id, "34e61b7") {
		t.Errorf("id %s", id)
	}
}

func TestEditPolicy(t *testing.T) {
	e, id := docs(t)
	must(e.AddRelationship(id, "doc", "1", "writer", alice, bob))
	must(e.RegisterDoc(carol, id, "doc", "2"))
	must(e.ArchiveDoc(carol, id, "doc", "2"))
	p := must(e.PolicyHandle(id))
	r := must(p.Resource("doc"))
	write := must(r.Permission("write"))
	actor, doc := p.Actor(bob), r.Doc("1")
	if !write.Check(actor, doc) {
		t.Error("before the edit a writer can write")
	}
	before := must(e.Snapshot(id))
	text := strings.Replace(managedPolicy, "write: {expr: owner + writer}", "write: {expr: owner}", 1)
	wantError(t, "a stranger edits", e.EditPolicy(bob, id, text), ErrUnauthorized)
	wantError(t, "a bad text", e.EditPolicy(alice, id, "name: ["), ErrBadInput)
	wantError(t, "writers have no place", e.EditPolicy(alice, id, usersPolicy), ErrConflict)
	if err := e.EditPolicy(alice, id, text); err != nil {
		t.Fatal(err)
	}
	if must(e.CheckDocAccess(Write, bob, id, "doc", "1")) || write.Check(actor, doc) {
		t.Error("after the edit a writer can write")
	}
	if !must(before.Check("write", bob, tuple.Object{Resource: "doc", ID: "1"})) {
		t.Error("a snapshot changed")
	}
	if after := must(e.Snapshot(id)); after.Revision() <= before.Revision() {
		t.Errorf("revision %d after %d", after.Revision(), before.Revision())
	}
	_, err := e.RegisterDoc(alice, id, "doc", "2")
	wantError(t, "an archived document after the edit", err, ErrUnauthorized)
}

func TestBatches(t *testing.T) {
	e, id := docs(t)
	_, err := e.RegisterDocs(bob, id, "doc", []string{"2", "1", "3"})
	wantError(t, "one of them is of alice", err, ErrUnauthorized)
	_, err = e.RegisterDocs(bob, id, "doc", []string{"2", "2"})
	wantError(t, "given twice", err, ErrBadInput)
	if must(e.IsDocRegistered(id, "doc", "2")) {
		t.Error("a refused batch left something behind")
	}
	if got := must(e.RegisterDocs(bob, id, "doc", []string{"2", "3"})); len(got) != 2 || got[0] != Registered {
		t.Errorf("registered %v", got)
	}
	_, err = e.AddRelationships(id, bob, []Grant{{"doc", "2", "reader", carol}, {"doc", "1", "reader", carol}})
	wantError(t, "one of them is of alice", err, ErrUnauthorized)
	existed := must(e.AddRelationships(id, bob, []Grant{{"doc", "2", "reader", carol}, {"doc", "3", "reader", "*"}}))
	if len(existed) != 2 || existed[0] || existed[1] {
		t.Errorf("existed %v", existed)
	}
	s := must(e.Snapshot(id))
	doc := func(id string) tuple.Object { return tuple.Object{Resource: "doc", ID: id} }
	answers := must(s.CheckMany([]Question{
		{Permission: "read", Actor: carol, Object: doc("2")},
		{Permission: "read", Actor: carol, Object: doc("1")},
		{Permission: "read", Actor: alice, Object: doc("3")},
	}))
	if !answers[0] || answers[1] || !answers[2] {
		t.Errorf("answers %v", answers)
	}
}

// TestManyChecksAreAsOneByOne: questions in one call have the answers that they have alone, whatever
// they share with the one before.
func TestManyChecksAreAsOneByOne(t *testing.T) {
	s := load(t, `name: two
resources:
  doc:
    relations: {owner: {types: [actor]}, reader: {types: [actor]}}
    permissions: {read: {expr: owner + reader}, write: {expr: owner}}
  note:
    relations: {owner: {types: [actor]}}
    permissions: {read: {expr: owner}, write: {expr: owner}}
`, "doc:1#owner@"+alice, "doc:1#reader@"+bob, "doc:2#owner@"+bob, "doc:2#reader@*", "note:1#owner@"+bob)
	var questions []Question
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	for range 500 {
		questions = append(questions, Question{
			Permission: pick("read", "write", "owner"),
			Actor:      pick(alice, bob, carol, ""),
			Object:     tuple.Object{Resource: pick("doc", "note"), ID: pick("1", "2", "3")},
		})
	}
	yes := 0
	for i, got := range must(s.CheckMany(questions)) {
		q := questions[i]
		want := must(s.Check(q.Permission, q.Actor, q.Object))
		if got != want {
			t.Errorf("question %d, %v: %t, alone %t", i, q, got, want)
		}
		if want {
			yes++
		}
	}
	if yes == 0 || yes == len(questions) {
		t.Errorf("%d of %d answers are yes, expected some", yes, len(questions))
	}
	_, err := s.CheckMany([]Question{questions[0], {Permission: "fly", Actor: bob, Object: questions[0].Object}})
	wantError(t, "a permission that is not there", err, ErrNotFound)
	_, err = s.CheckMany([]Question{questions[0], {Permission: "read", Actor: bob, Object: tuple.Object{Resource: "car", ID: "1"}}})
	wantError(t, "a resource that is not there", err, ErrNotFound)
}

func TestLoad(t *testing.T) {
	e, id := docs(t)
	load := func(texts ...string) error {
		var list []tuple.Relationship
		for _, text := range texts {
			list = append(list, must(tuple.ParseRelationship(text)))
		}
		return e.Load(id, list, nil)
	}
	if err := load("doc:7#owner@ann", "doc:7#reader@ben", "doc:1#writer@ben"); err != nil {
		t.Fatal(err)
	}
	if !must(e.IsDocRegistered(id, "doc", "7")) || !must(e.CheckDocAccess(Write, "ben", id, "doc", "1")) {
		t.Error("not loaded")
	}
	wantError(t, "a second owner", load("doc:8#reader@ben", "doc:7#owner@ben"), ErrConflict)
	wantError(t, "two owners", load("doc:8#owner@ann", "doc:8#owner@ben"), ErrConflict)
	wantError(t, "everyone as owner", load("doc:8#owner@*"), ErrBadInput)
	wantError(t, "a type", load("doc:8#reader@doc:1"), ErrBadInput)
	wantError(t, "no relation", load("doc:8#read@ann"), ErrNotFound)
	must(e.ArchiveDoc(alice, id, "doc", "1"))
	wantError(t, "archived", load("doc:1#reader@ben"), ErrForbidden)
	if must(e.IsDocRegistered(id, "doc", "8")) {
		t.Error("a refused load left something behind")
	}
}

func TestLoadArchived(t *testing.T) {
	e, id := docs(t)
	load := func(relationships, archived string) error {
		var lists [2][]tuple.Relationship
		for i, texts := range []string{relationships, archived} {
			for _, text := range strings.Fields(texts) {
				lists[i] = append(lists[i], must(tuple.ParseRelationship(text)))
			}
		}
		return e.Load(id, lists[0], lists[1])
	}
	if err := load("doc:7#owner@ann doc:7#reader@ben doc:8#owner@ann", ""); err != nil {
		t.Fatal(err)
	}
	wantError(t, "no owner", load("", "doc:7#reader@ben"), ErrBadInput)
	wantError(t, "another owner", load("", "doc:7#owner@ben"), ErrConflict)
	wantError(t, "two owners", load("", "doc:9#owner@ann doc:9#owner@ben"), ErrConflict)
	wantError(t, "active and archived", load("doc:7#owner@ann", "doc:7#owner@ann"), ErrForbidden)
	wantError(t, "reader of an archived one", load("doc:9#reader@ann", "doc:9#owner@ann"), ErrForbidden)
	for range 2 {
		if err := load("doc:8#reader@ben", "doc:7#owner@ann doc:9#owner@ann doc:9#owner@ann"); err != nil {
			t.Fatal(err)
		}
	}
	s := must(e.Snapshot(id))
	archived := maps.Collect(s.Archived())
	for _, doc := range []string{"7", "9"} {
		object := tuple.Object{Resource: "doc", ID: doc}
		if archived[object] != "ann" {
			t.Errorf("archived are %v, expected %s among them", archived, object)
		}
		for r := range s.Relationships(Filter{Resource: "doc", ID: &doc}) {
			t.Errorf("%s is left", r)
		}
	}
	if !must(e.CheckDocAccess(Read, "ben", id, "doc", "8")) {
		t.Error("the relationship beside them is not set")
	}
}

// An import that is refused, or cannot be logged, leaves neither a policy nor a number that is taken.
func TestImportPolicy(t *testing.T) {
	mem := vfs.NewMem()
	e := must(Open(Options{Path: "store", FS: mem, Sync: SyncEach}))
	owned := []tuple.Relationship{ownership(tuple.Object{Resource: "doc", ID: "1"}, alice)}
	other := []tuple.Relationship{ownership(tuple.Object{Resource: "doc", ID: "1"}, bob)}
	_, err := e.ImportPolicy("", streamPolicy, owned, nil)
	wantError(t, "nobody", err, ErrUnauthenticated)
	_, err = e.ImportPolicy(alice, "resources: [", owned, nil)
	wantError(t, "text", err, ErrBadInput)
	_, err = e.ImportPolicy(alice, streamPolicy, append(other, owned...), nil)
	wantError(t, "two owners", err, ErrConflict)
	if len(e.Policies()) > 0 {
		t.Errorf("%v are left", e.Policies())
	}
	id := must(e.ImportPolicy(alice, streamPolicy, owned, nil))
	if want := must(must(Open(Options{})).AddPolicy(alice, streamPolicy)); id != want {
		t.Errorf("policy %s, expected %s", id, want)
	}
	mem.Before = func(c vfs.Call) error {
		if c.Mutates() {
			return errors.New("no space")
		}
		return nil
	}
	if _, err := e.ImportPolicy(alice, streamPolicy, owned, nil); err == nil || len(e.Policies()) != 1 {
		t.Errorf("%v, %d policies", err, len(e.Policies()))
	}
}

// Whatever of a snapshot fails at the end, all that was acknowledged is there again.
func TestUnsavedSnapshot(t *testing.T) {
	for _, sync := range []Sync{SyncNone, SyncBatch, SyncEach} {
		for fault, failed := 0, true; failed; fault++ {
			mem := vfs.NewMem()
			open := func() *Engine { return must(Open(Options{Path: "store", FS: mem, Sync: sync})) }
			e := open()
			must(e.ImportPolicy(alice, streamPolicy, nil, nil))
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			e = open()
			id := e.Policies()[0].ID
			must(e.RegisterDoc(alice, id, "doc", "1"))
			calls := 0
			failed = false
			mem.Before = func(c vfs.Call) error {
				if !c.Mutates() || !strings.Contains(c.Name, "snap-") {
					return nil
				}
				if calls++; calls != fault+1 {
					return nil
				}
				failed = true
				return errors.New("no space")
			}
			err := e.Close()
			mem.Before = nil
			if failed != errors.Is(err, ErrNotSaved) {
				t.Errorf("%v: call %d: %v", sync, fault, err)
			}
			if e = open(); !must(e.IsDocRegistered(id, "doc", "1")) {
				t.Errorf("%v: call %d: the document is gone", sync, fault)
			}
		}
	}
}

func TestClosed(t *testing.T) {
	e, id := docs(t)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := e.RegisterDoc(alice, id, "doc", "2")
	wantError(t, "register", err, ErrClosed)
	if !must(e.CheckDocAccess(Read, alice, id, "doc", "1")) {
		t.Error("checks go on after Close")
	}
}

// A permission to share that names the one to manage a relation is held by those who hold that.
func TestManagementPermissionInAnExpression(t *testing.T) {
	s := load(t, `
name: managed
resources:
  doc:
    permissions:
      share: {expr: _can_manage_reader - banned}
      below: {expr: parent->_can_manage_reader}
    relations:
      owner: {types: [actor]}
      admin: {types: [actor], manages: [reader]}
      reader: {types: [actor]}
      banned: {types: [actor]}
      parent: {types: [doc]}
`, "doc:1#owner@"+alice, "doc:1#admin@"+bob, "doc:1#banned@"+bob, "doc:1#reader@"+carol, "doc:2#owner@"+carol, "doc:2#parent@doc:1")
	for _, c := range []struct {
		permission, actor, doc string
		want                   bool
	}{
		{"share", alice, "1", true}, {"share", bob, "1", false}, {"share", carol, "1", false}, {"share", carol, "2", true},
		{"below", alice, "2", true}, {"below", bob, "2", true}, {"below", carol, "2", false}, {"_can_manage_reader", bob, "1", true},
	} {
		if got := must(s.Check(c.permission, c.actor, tuple.Object{Resource: "doc", ID: c.doc})); got != c.want {
			t.Errorf("%s of %s on %s: %t", c.permission, c.actor, c.doc, got)
		}
	}
}
