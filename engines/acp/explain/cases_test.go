package explain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"assay/acp"
	"assay/acp/explain"
	"assay/acp/policy"
	"assay/acp/tuple"
)

const cases = `
name: cases
resources:
  doc:
    relations:
      owner: {types: [actor]}
      reader: {types: [actor, group->member]}
      banned: {types: [actor, group->member]}
      pardoned: {types: [actor]}
      parent: {types: [folder]}
    permissions:
      read: {expr: owner + reader + parent->view}
      both: {expr: owner & reader}
      allowed: {expr: reader - banned}
      lenient: {expr: reader - (banned - pardoned)}
      unshared: {expr: reader - parent->view}
      twice: {expr: reader - banned + (reader + twice)}
  folder:
    relations:
      owner: {types: [actor]}
      parent: {types: [folder]}
    permissions:
      view: {expr: owner + parent->view}
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor, group->member]}
`

func parse(t testing.TB) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(cases), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func facts(t testing.TB, texts ...string) []tuple.Relationship {
	t.Helper()
	var all []tuple.Relationship
	for _, text := range texts {
		r, err := tuple.ParseRelationship(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestTexts shows how certificates read.
func TestTexts(t *testing.T) {
	p := parse(t)
	for _, c := range []struct {
		facts       []string
		permission  string
		allowed     bool
		want, actor string
	}{
		{[]string{"doc:1#owner@ann"}, "read", true, `
ann has doc:1#read (revision 7)
  doc:1#read holds: owner + reader + parent->view
    doc:1#owner holds
      doc:1#owner@ann
`, "ann"},
		{[]string{"doc:1#owner@ann", "doc:1#reader@*"}, "both", false, `
somebody without identity has not doc:1#both (revision 7)
  doc:1#both fails: owner & reader
    doc:1#owner fails
`, ""},
		{[]string{"doc:1#reader@group:a#member", "group:a#member@group:b#member", "group:b#member@group:a#member"}, "read", false, `
ann has not doc:1#read (revision 7)
  doc:1#read fails: owner + reader + parent->view
    doc:1#owner fails
    doc:1#reader fails
      doc:1#reader@group:a#member: group:a#member fails
        group:a#member@group:b#member: group:b#member fails
          group:b#member@group:a#member: group:a#member fails, see above
`, "ann"},
		{[]string{"doc:1#reader@*", "doc:1#banned@group:a#member", "group:a#member@ann"}, "allowed", false, `
ann has not doc:1#allowed (revision 7)
  doc:1#allowed fails: reader - banned
    doc:1#banned holds
      doc:1#banned@group:a#member: group:a#member holds
        group:a#member@ann
`, "ann"},
		{[]string{"doc:1#reader@*", "doc:1#banned@group:a#member"}, "allowed", true, `
ann has doc:1#allowed (revision 7)
  doc:1#allowed holds: reader - banned
    doc:1#reader holds
      doc:1#reader@*
    doc:1#banned fails
      doc:1#banned@group:a#member: group:a#member fails
`, "ann"},
		{[]string{"doc:1#reader@ann", "doc:1#banned@*", "doc:1#pardoned@ann"}, "lenient", true, `
ann has doc:1#lenient (revision 7)
  doc:1#lenient holds: reader - (banned - pardoned)
    doc:1#reader holds
      doc:1#reader@ann
    doc:1#pardoned holds
      doc:1#pardoned@ann
`, "ann"},
		{[]string{"doc:1#reader@ann", "doc:1#parent@folder:f", "folder:f#parent@folder:f"}, "unshared", true, `
ann has doc:1#unshared (revision 7)
  doc:1#unshared holds: reader - parent->view
    doc:1#reader holds
      doc:1#reader@ann
    doc:1#parent@folder:f: folder:f#view fails: owner + parent->view
      folder:f#owner fails
      folder:f#parent@folder:f: folder:f#view fails, see above
`, "ann"},
	} {
		v := newView(p, facts(t, c.facts...))
		got, err := explain.Explain(v, c.permission, c.actor, tuple.Object{Resource: "doc", ID: "1"})
		if err != nil {
			t.Fatal(err)
		}
		if got.Allowed != c.allowed {
			t.Errorf("%v: allowed %t", c.facts, got.Allowed)
		}
		if err := explain.Verify(p, v, got); err != nil {
			t.Errorf("%v: %v", c.facts, err)
		}
		if text := "\n" + text(t, got, p); text != c.want {
			t.Errorf("%v: got%swant%s", c.facts, text, c.want)
		}
		if _, needless := refused(t, p, facts(t, c.facts...), got); needless > 0 {
			t.Errorf("%v: %d nodes and relationships could be left out", c.facts, needless)
		}
	}
}

// TestExclusionsAreDecidedBefore: twice holds since the first - was decided; what is known to fail only
// by then is no reason for it. The case is what is left of seed 1623 of TestCertificates.
func TestExclusionsAreDecidedBefore(t *testing.T) {
	p := parse(t)
	v := newView(p, facts(t, "doc:1#reader@ann"))
	c, err := explain.Explain(v, "twice", "ann", tuple.Object{Resource: "doc", ID: "1"})
	if err != nil || !c.Allowed {
		t.Fatal(c, err)
	}
	if err := explain.Verify(p, v, c); err != nil {
		t.Error(err)
	}
	refused(t, p, facts(t, "doc:1#reader@ann"), c)
}

// TestAdditionsBreakDenials adds the one relationship that each refusal says is missing.
func TestAdditionsBreakDenials(t *testing.T) {
	p := parse(t)
	there := []string{"doc:1#reader@group:a#member", "doc:1#parent@folder:f"}
	c, err := explain.Explain(newView(p, facts(t, there...)), "read", "ann", tuple.Object{Resource: "doc", ID: "1"})
	if err != nil || c.Allowed {
		t.Fatal(c, err)
	}
	for _, added := range []string{
		"doc:1#owner@ann", "doc:1#reader@ann", "doc:1#reader@*", "doc:1#reader@group:b#member", "doc:1#parent@folder:g",
		"group:a#member@ann", "group:a#member@group:c#member", "folder:f#owner@ann", "folder:f#parent@folder:g",
	} {
		if err := explain.Verify(p, newView(p, facts(t, append(there, added)...)), c); !errors.Is(err, explain.ErrRefused) {
			t.Errorf("after %s: got %v", added, err)
		}
	}
	for _, added := range []string{"doc:1#reader@bob", "doc:1#banned@ann", "doc:2#owner@ann", "group:b#member@ann"} {
		if err := explain.Verify(p, newView(p, facts(t, append(there, added)...)), c); err != nil {
			t.Errorf("%s does not matter: %v", added, err)
		}
	}
}

// chain returns groups that are nested one in the other, the last with a member.
func chain(t testing.TB, hops int) []tuple.Relationship {
	all := facts(t, "doc:1#reader@group:0#member", fmt.Sprintf("group:%d#member@ann", hops-1))
	for i := range hops - 1 {
		all = append(all, facts(t, fmt.Sprintf("group:%d#member@group:%d#member", i, i+1))...)
	}
	return all
}

func TestDeepChains(t *testing.T) {
	p := parse(t)
	const hops = 4096
	v := newView(p, chain(t, hops))
	for actor, want := range map[string]bool{"ann": true, "bob": false} {
		c, err := explain.Explain(v, "read", actor, tuple.Object{Resource: "doc", ID: "1"})
		if err != nil || c.Allowed != want {
			t.Fatal(c.Allowed, err)
		}
		if err := explain.Verify(p, v, c); err != nil {
			t.Error(err)
		}
		if n := len(c.Relationships()); want && n != hops+1 {
			t.Errorf("%d relationships, want %d", n, hops+1)
		}
		if n := len(text(t, c, p)); n > hops*200 {
			t.Errorf("a text of %d bytes", n)
		}
	}
}

// counted is a view that counts what it is asked for.
type counted struct {
	explain.View
	lookups, subjects int
}

func (c *counted) Has(r tuple.Relationship) bool {
	c.lookups++
	return c.View.Has(r)
}

func (c *counted) Subjects(object tuple.Object, relation string) iter.Seq[tuple.Subject] {
	return func(yield func(tuple.Subject) bool) {
		for s := range c.View.Subjects(object, relation) {
			if c.subjects++; !yield(s) {
				return
			}
		}
	}
}

// TestReadersDoNotMatter checks that a refusal looks at as much, and is as long, with 10,000 readers
// as with none.
func TestReadersDoNotMatter(t *testing.T) {
	there := facts(t, "doc:1#reader@group:a#member", "doc:1#parent@folder:f")
	readers := slices.Clone(there)
	for i := range 10_000 {
		readers = append(readers, facts(t, fmt.Sprintf("doc:1#reader@bob%d", i))...)
	}
	for _, all := range [][]tuple.Relationship{there, readers} {
		s := snapshot(t, all)
		v := &counted{View: explain.Of(s)}
		c, err := explain.Explain(v, "read", "ann", tuple.Object{Resource: "doc", ID: "1"})
		if err != nil || c.Allowed {
			t.Fatal(c, err)
		}
		// Ann and * at 5 relations: owner and reader of the document, owner of the folder, member of the
		// group; parent is asked for its objects only. The userset and the folder lead on.
		if v.lookups != 8 || v.subjects != 2 {
			t.Errorf("among %d relationships: %d lookups and %d subjects, want 8 and 2", len(all), v.lookups, v.subjects)
		}
		v.lookups, v.subjects = 0, 0
		if err := explain.Verify(s.Policy(), v, c); err != nil {
			t.Error(err)
		}
		if v.lookups != 10 || v.subjects != 2 {
			t.Errorf("among %d relationships: %d lookups and %d subjects to verify, want 10 and 2", len(all), v.lookups, v.subjects)
		}
		if data, err := json.Marshal(c); err != nil || len(data) > 1000 {
			t.Errorf("among %d relationships: a certificate of %d bytes, %v", len(all), len(data), err)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	v := newView(parse(t), nil)
	for _, c := range []struct{ resource, name string }{{"doc", "fly"}, {"plane", "read"}} {
		if _, err := explain.Explain(v, c.name, "ann", tuple.Object{Resource: c.resource, ID: "1"}); !errors.Is(err, explain.ErrUnknown) {
			t.Errorf("%v: got %v", c, err)
		}
	}
}

// snapshot is that of an engine with the relationships.
func snapshot(t *testing.T, all []tuple.Relationship) *acp.Snapshot {
	t.Helper()
	e, err := acp.Open(acp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	id, err := e.AddPolicy("did:key:admin", cases)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Load(id, all, nil); err != nil {
		t.Fatal(err)
	}
	s, err := e.Snapshot(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSnapshots explains what an engine answers.
func TestSnapshots(t *testing.T) {
	s := snapshot(t, chain(t, 20))
	for _, actor := range []string{"ann", "bob", ""} {
		want, err := s.Check("read", actor, tuple.Object{Resource: "doc", ID: "1"})
		if err != nil {
			t.Fatal(err)
		}
		c, err := explain.Explain(explain.Of(s), "read", actor, tuple.Object{Resource: "doc", ID: "1"})
		if err != nil || c.Allowed != want || c.Revision != s.Revision() {
			t.Errorf("%q: got %t of revision %d (%v), want %t of %d", actor, c.Allowed, c.Revision, err, want, s.Revision())
		}
		if err := explain.Verify(s.Policy(), explain.Of(s), c); err != nil {
			t.Error(err)
		}
	}
}
