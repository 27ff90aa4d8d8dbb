package policy_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"assay/acp/policy"
	"assay/acp/testdata"
)

const users = `name: test
description: a policy
meta: {k: v}
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
        types: [actor, group->member]
      admin:
        types: [actor]
        manages: [reader]
  group:
    relations:
      owner: {types: [actor]}
      member: {types: [actor, group->member]}
`

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text), policy.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// stricter are the few inputs that are refused here although the published engine takes them.
var stricter = map[string]string{
	"expr_self_reference":     "nobody can have the permission",
	"expr_unknown_ttu_target": "the arrow leads nowhere",
	"unknown_field":           "a misspelled field would be without effect",
	"empty_relation_name":     "no expression can name it",
	"odd_names":               "no expression can name it",
	"expr_deep_paren_2000":    "deeper than MaxDepth",
}

// TestPublishedInputs: what the published engine refuses is refused, what it accepts gets the same id.
func TestPublishedInputs(t *testing.T) {
	inputs, err := testdata.PolicyInputs()
	if err != nil || len(inputs) != 55 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	for _, in := range inputs {
		p, err := policy.Parse([]byte(in.Policy), policy.Options{})
		lenient, lenientErr := policy.Parse([]byte(in.Policy), policy.Options{Lenient: true})
		switch reason, listed := stricter[in.Name]; {
		case in.Result != "ok":
			if err == nil || lenientErr == nil {
				t.Errorf("%s: accepted, refused as published", in.Name)
			}
		case listed:
			if err == nil {
				t.Errorf("%s: accepted, but %s", in.Name, reason)
			}
			if lenientErr == nil && policy.ID(lenient, policy.FirstNumber) != in.PolicyID {
				t.Errorf("%s: another id than published", in.Name)
			}
			if (lenientErr != nil) != (in.Name == "expr_deep_paren_2000") {
				t.Errorf("%s: lenient: %v", in.Name, lenientErr)
			}
		case err != nil:
			t.Errorf("%s: %v", in.Name, err)
		case policy.ID(p, policy.FirstNumber) != in.PolicyID:
			t.Errorf("%s: another id than published", in.Name)
		}
	}
}

func TestIDDependsOnTheCounterAndNotOnTypes(t *testing.T) {
	p := parse(t, users)
	q := parse(t, strings.NewReplacer("types: [actor, group->member]}", "types: [actor]}", "a policy", "another", "manages: [reader]", "doc: x").Replace(users))
	if policy.ID(p, 2) != policy.ID(q, 2) {
		t.Error("types, descriptions or what is managed are in the id")
	}
	if policy.ID(p, 2) == policy.ID(p, 3) {
		t.Error("the counter is not in the id")
	}
}

func TestReadPolicy(t *testing.T) {
	p := parse(t, users)
	if p.Name != "test" || p.Description != "a policy" || p.Meta["k"] != "v" || p.Actor != "actor" {
		t.Errorf("got %+v", p)
	}
	r := p.Resource("users")
	if got := fmt.Sprint(r.Relation("reader").Types); got != "[actor group->member]" {
		t.Errorf("reader takes %s", got)
	}
	for name, want := range map[string]string{
		"read": "owner + reader", "write": "owner",
		"_can_manage_reader": "owner + admin", "_can_manage_owner": "owner", "_can_manage_admin": "owner",
	} {
		if got := r.Permission(name); got == nil || got.Expr.String() != want || got.Text != want {
			t.Errorf("%s: got %+v, want %s", name, got, want)
		}
	}
	if p.Resource("nope") != nil || r.Relation("nope") != nil || r.Permission("nope") != nil || r.Permission("_can_manage_nope") != nil {
		t.Error("an unknown name was found")
	}
}

func TestCheckDPI(t *testing.T) {
	with := func(read, write string) *policy.Resource {
		text := strings.Replace(users, "expr: owner + reader", "expr: "+read, 1)
		text = strings.Replace(text, "expr: owner\n", "expr: "+write+"\n", 1)
		return parse(t, text+"      owner_new: {types: [actor]}\n").Resource("users")
	}
	text := strings.Replace(users, "      reader:\n", "      owner_new: {types: [actor]}\n      reader:\n", 1)
	for expr, ok := range map[string]bool{
		"owner": true, "owner + reader": true, "owner+reader - admin": true, "' owner +reader'": true,
		"reader + owner": false, "owner - reader": false, "owner & reader": false, "owner_new": false, "(owner) + reader": false,
	} {
		r := parse(t, strings.Replace(text, "expr: owner\n", "expr: "+expr+"\n", 1)).Resource("users")
		if err := policy.CheckDPI(r); (err == nil) != ok {
			t.Errorf("write: %s: %v", expr, err)
		}
	}
	if err := policy.CheckDPI(with("owner", "owner")); err != nil {
		t.Error(err)
	}
	if err := policy.CheckDPI(parse(t, users).Resource("group")); err == nil {
		t.Error("a resource without read and write was accepted")
	}
}

const doc = `name: t
resources:
  doc:
    permissions:
      read:
        expr: %s
    relations:
      owner: {types: [actor]}
      reader: {types: [actor]}
      parent: {types: [doc]}
`

func TestProblemsOfExpressions(t *testing.T) {
	for expr, want := range map[string]string{
		"nope":                   `6:15: resource doc: permission read: the resource has no relation or permission "nope"`,
		"owner + nope":           `6:23: resource doc: permission read: the resource has no relation or permission "nope"`,
		"owner +":                `6:22: resource doc: permission read: expected a name or "(", found the end`,
		"owner | reader":         "6:21: resource doc: permission read: unexpected character '|': expected a name, +, &, -, ->, ( or )",
		"(owner":                 `6:21: resource doc: permission read: expected ")" for the "(" at byte 0, found the end`,
		"owner reader":           `6:21: resource doc: permission read: expected +, &, - or the end, found "reader"`,
		"parent->parent->reader": `6:29: resource doc: permission read: expected +, &, - or the end, found "->"`,
		"nope->read":             `6:15: resource doc: permission read: the resource has no relation "nope"`,
		"read->owner + owner":    "6:15: resource doc: permission read: read->owner: read is a permission: expected a relation",
		"owner + parent->nope":   `6:23: resource doc: permission read: parent->nope: no resource that parent leads to has "nope"`,
		"reader->owner":          `6:15: resource doc: permission read: reader->owner: no resource that reader leads to has "owner"`,
		"read":                   "6:15: resource doc: permission read: rests on nothing but itself: nobody can have it",
		"parent->read":           "6:15: resource doc: permission read: rests on nothing but itself: nobody can have it",
		"read & owner":           "6:15: resource doc: permission read: rests on nothing but itself: nobody can have it",
		"owner - read":           "6:15: resource doc: permission read: depends on itself behind a -",
		"owner - parent->read":   "6:15: resource doc: permission read: depends on itself behind a -",
		"owner - (owner - read)": "6:15: resource doc: permission read: depends on itself behind a -",
		"123":                    "6:15: resource doc: permission read: expr: expected text, found 123: put it in quotes",
		"yes":                    "6:15: resource doc: permission read: expr: expected text, found yes: put it in quotes",
		"[owner]":                "6:15: resource doc: permission read: expr: expected text, found a list",
		"":                       "5:7: resource doc: permission read: expr is required",
		"'owner + nope'":         `6:24: resource doc: permission read: the resource has no relation or permission "nope"`,
		`"owner \t+ nope"`:       `6:15: resource doc: permission read: the resource has no relation or permission "nope"`,
		strings.Repeat("(", 257) + "owner" + strings.Repeat(")", 257): "6:271: resource doc: permission read: parentheses are nested more than 256 deep",
		"owner" + strings.Repeat(" & owner + owner", 129):             "6:2069: resource doc: permission read: operations are nested more than 256 deep",
		"owner" + strings.Repeat("+owner", policy.MaxTerms):           "6:60015: resource doc: permission read: more than 10000 terms",
	} {
		_, err := policy.Parse(fmt.Appendf(nil, doc, expr), policy.Options{})
		if err == nil || err.Error() != want {
			t.Errorf("%.40s: got %v, want %s", expr, err, want)
		}
	}
	for _, expr := range []string{"read + owner", "owner + (reader & owner) - reader", "_this", "owner - _this", "parent -> owner",
		strings.Repeat("(", 256) + "owner" + strings.Repeat(")", 256), "owner" + strings.Repeat("+owner", policy.MaxTerms-1)} {
		if _, err := policy.Parse(fmt.Appendf(nil, doc, expr), policy.Options{}); err != nil {
			t.Errorf("%.40s: %v", expr, err)
		}
	}
}

func TestProblemsOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\nname: b":           `2:1: policy: "name" stands here again, first in line 1`,
		"name: t\nspec: nope":        `2:7: spec: unknown specification "nope": expected defra or none`,
		"name: t\nresources: 1":      `2:12: resources: expected a mapping, found "1"`,
		"a: [":                       "1:1: YAML: did not find expected node content",
		"name: t\n--- \nname: b":     "2:1: a second document: expected one",
		"name: \xff":                 "1:7: the text is not UTF-8",
		`{"name": "t", "name": "u"}`: `1:15: policy: "name" stands here again, first in line 1`,
		"{\"name\": \"é\",\n \"resources\": {\"doc\": {}}}": "2:16: resource doc: no relation owner",
		"a: &a\n  <<: *a\nname: t":                          `1:1: policy: unknown field "a": expected name, description, meta, actor, spec, resources`,
		"meta: &a\n  <<: *a\nname: t":                       `1:7: meta: more than 1000 merges`,
		"x: &a [*a]\nname: t":                               `1:1: policy: unknown field "x": expected name, description, meta, actor, spec, resources`,
		"name: t\nresources: &r\n  doc: *r":                 "2:12: resource doc: doc: expected text, found a mapping\n3:3: resource doc: no relation owner",
		strings.Repeat("x", policy.MaxText+1):               "1:1: the text has 1048577 bytes: expected at most 1048576",
		strings.Repeat("\n", policy.MaxItems):               "1:1: the text has 65537 lines, commas and brackets: expected at most 65536",
		"name: t\nresources:\n  doc:\n    relations:\n      owner: {types: [doc, nope, group->x, actor->y]}\n      a: {manages: [b]}\n  group:\n    relations:\n      owner:\n": `5:7: resource doc: relation owner: types: expected actor, or nobody can own an object
5:28: resource doc: relation owner: types: unknown resource "nope"
5:34: resource doc: relation owner: types: resource group has no relation or permission "x"
5:44: resource doc: relation owner: types: actor->y: actors have no relations
6:21: resource doc: relation a: manages: the resource has no relation "b"
9:7: resource group: relation owner: types: expected actor, or nobody can own an object`,
	} {
		_, err := policy.Parse([]byte(text), policy.Options{})
		var problems policy.Problems
		if !errors.As(err, &problems) || err.Error() != want {
			t.Errorf("%.60q: got\n%v, want\n%s", text, err, want)
		}
	}
}

// TestCycles: a cycle may lead through several permissions, arrows, usersets and resources. A plus on it
// needs a way to begin, a minus may not be on it.
func TestCycles(t *testing.T) {
	const text = `name: t
resources:
  doc:
    permissions:
      a: {expr: %s}
      b: {expr: %s}
    relations:
      owner: {types: [actor]}
      reader: {types: [actor, group->member]}
      parent: {types: [group]}
  group:
    permissions:
      all: {expr: owner + doc->a}
      only: {expr: doc->a}
    relations:
      owner: {types: [actor]}
      doc: {types: [doc]}
      member: {types: [actor, doc->b]}
`
	for exprs, want := range map[[2]string]string{
		{"owner", "owner"}:             "",
		{"b + owner", "a + owner"}:     "",
		{"owner + parent->all", "a"}:   "",
		{"reader", "a"}:                "",
		{"owner - b", "reader"}:        "",
		{"owner - b", "owner - owner"}: "",
		{"b", "a"}: "5:17: resource doc: permission a: rests on nothing but itself: nobody can have it\n" +
			"6:17: resource doc: permission b: rests on nothing but itself: nobody can have it",
		{"parent->only", "owner"}: "5:17: resource doc: permission a: rests on nothing but itself: nobody can have it\n" +
			"14:20: resource group: permission only: rests on nothing but itself: nobody can have it",
		{"owner - b", "owner - a"}: "5:17: resource doc: permission a: depends on itself behind a -\n" +
			"6:17: resource doc: permission b: depends on itself behind a -",
		{"owner - parent->all", "owner"}: "5:17: resource doc: permission a: depends on itself behind a -",
		{"owner", "owner - reader"}:      "6:17: resource doc: permission b: depends on itself behind a -",
	} {
		_, err := policy.Parse(fmt.Appendf(nil, text, exprs[0], exprs[1]), policy.Options{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", exprs, got, want)
		}
	}
}

// TestCounts: a policy whose expression is bad takes a number as published, one without a name does not.
func TestCounts(t *testing.T) {
	for text, want := range map[string]bool{
		fmt.Sprintf(doc, "owner +"):                                 true,
		fmt.Sprintf(doc, "nope"):                                    true,
		strings.Replace(fmt.Sprintf(doc, "nope"), "name", "nam", 1): false,
		"": false,
	} {
		_, err := policy.Parse([]byte(text), policy.Options{})
		var problems policy.Problems
		if !errors.As(err, &problems) || problems.Counts() != want {
			t.Errorf("%q: counts: %t, want %t (%v)", text, problems.Counts(), want, err)
		}
	}
}

func TestJSONIsReadLikeYAML(t *testing.T) {
	p := parse(t, `{"name":"t😀\/","resources":{"doc":{"permissions":{"read":{"expr":"owner"}},
		"relations":{"owner":{"types":["actor"]}}}}}`)
	if p.Name != "t😀/" || p.Resource("doc").Permission("read").Text != "owner" {
		t.Errorf("got %+v", p)
	}
}

// TestYAMLAsPublished: the published engine reads aliases, merges, names that are numbers, and lines
// that end as on Windows.
func TestYAMLAsPublished(t *testing.T) {
	text := `name: t
resources:
  my-doc: &doc
    relations: &relations
      owner: {types: [actor]}
      7: {types: [actor, my-doc->owner]}
    permissions:
      read: {expr: owner + 7}
  file:
    <<: *doc
    permissions:
      write: {expr: owner}
  folder:
    relations:
      <<: [*relations]
      7: {}
`
	for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
		p := parse(t, text)
		file, folder := p.Resource("file"), p.Resource("folder")
		if file.Permission("write") == nil || file.Permission("read") != nil || len(file.Relation("7").Types) != 2 {
			t.Errorf("file: got %+v", file)
		}
		if folder.Relation("owner") == nil || len(folder.Relation("7").Types) != 0 {
			t.Errorf("folder: got %+v", folder)
		}
	}
}

func TestFormatIsReadBack(t *testing.T) {
	for _, text := range []string{users, fmt.Sprintf(doc, "(owner + reader) - (reader & owner)"),
		"name: 'yes'\nmeta: {'null': \"a\\n\"}\nactor: {name: who}\nresources: {}",
		listForm} {
		p := parse(t, text)
		again := parse(t, policy.Format(p))
		if changes := policy.Diff(p, again); len(changes) > 0 || policy.ID(p, 2) != policy.ID(again, 2) {
			t.Errorf("%v\n%s", changes, policy.Format(p))
		}
	}
}

const listForm = `name: t
spec: defra
resources:
- name: file
  permissions:
  - name: read
    expr: reader
  - name: write
  - name: review
    expr: owner & reader
  relations:
  - name: reader
    types:
    - actor
`

// TestListForm: owner is a relation that is not written and has every permission, and under the
// specification defra those who may write may read.
func TestListForm(t *testing.T) {
	r := parse(t, listForm).Resource("file")
	for name, want := range map[string]string{
		"read":   "owner + (reader) + write",
		"write":  "owner",
		"review": "owner + (owner & reader)",
	} {
		if got := r.Permission(name).Text; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if err := policy.CheckDPI(r); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		strings.Replace(listForm, "  - name: write\n", "", 1):              "4:9: resource file: no permission write, which the specification defra needs",
		listForm + "  - name: owner\n    types: [actor]\n":                 "15:11: resource file: relation owner is reserved: every resource has it, it is not written",
		listForm + "- name: actor\n":                                       "15:9: resource actor has the name of the actors' resource\n15:9: resource actor: no permission read, which the specification defra needs\n15:9: resource actor: no permission write, which the specification defra needs",
		listForm + "- nam: x\n":                                            "15:3: resource: name is required\n15:3: resource: unknown field \"nam\": expected name, doc, permissions, relations",
		strings.Replace(listForm, "name: review", "name: read", 1):         `9:11: resource file: permissions: "read" stands here again, first in line 6`,
		strings.Replace(listForm, "name: review", "name: _can_manage_", 1): "9:11: resource file: permission _can_manage_: names that begin with _can_manage_ are reserved",
	} {
		_, err := policy.Parse([]byte(text), policy.Options{})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := policy.Parse([]byte(listForm+"  - name: owner\n    types: [actor]\n"), policy.Options{Lenient: true}); err != nil {
		t.Errorf("a written owner, lenient: %v", err)
	}
}

func TestDiff(t *testing.T) {
	old := parse(t, users)
	edited := parse(t, strings.NewReplacer(
		"owner + reader", "owner  + (reader + admin)",
		"manages: [reader]", "manages: [reader, admin]",
		"      write:\n        expr: owner\n", "      update:\n        expr: owner\n",
		"meta: {k: v}\n", "",
	).Replace(users))
	var got []string
	for _, c := range policy.Diff(old, edited) {
		got = append(got, c.String())
	}
	want := []string{
		"removed meta k: v",
		"changed permission users.read: owner + reader -> owner + (reader + admin)",
		"added permission users.update: owner",
		"removed permission users.write: owner",
		"changed relation users.admin: types [actor], manages [reader] -> types [actor], manages [admin, reader]",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if changes := policy.Diff(old, old); changes != nil {
		t.Errorf("a policy differs from itself: %v", changes)
	}
}

// The permissions that the engine makes can be named as others can.
func TestManagementPermissionsAreNamed(t *testing.T) {
	const text = `
name: managed
resources:
  doc:
    permissions:
      share: {expr: _can_manage_reader - banned}
      deep: {expr: parent->_can_manage_reader + share}
    relations:
      owner: {types: [actor]}
      admin: {types: [actor, doc->_can_manage_admin], manages: [reader]}
      reader: {types: [actor]}
      banned: {types: [actor]}
      parent: {types: [doc]}
`
	for _, lenient := range []bool{false, true} {
		p, err := policy.Parse([]byte(text), policy.Options{Lenient: lenient})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := policy.Parse([]byte(policy.Format(p)), policy.Options{Lenient: lenient}); err != nil {
			t.Errorf("written again: %v", err)
		}
		for old, want := range map[string]string{
			"share: {expr: _can_manage_reader": "share: {expr: _can_manage_nobody",
			"[actor, doc->_can_manage_admin]":  "[actor, doc->_can_manage_nobody]",
			"share: {":                         "_can_manage_reader: {",
			"- banned}":                        "- _can_manage_admin}\n      x: {expr: owner - _can_manage_x}",
		} {
			if _, err := policy.Parse([]byte(strings.Replace(text, old, want, 1)), policy.Options{Lenient: lenient}); err == nil {
				t.Errorf("%s is taken", want)
			}
		}
	}
}
