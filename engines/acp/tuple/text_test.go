package tuple_test

import (
	"strings"
	"testing"

	"assay/acp/tuple"
)

func relationship(object, id, relation string, s tuple.Subject) tuple.Relationship {
	return tuple.Relationship{Object: tuple.Object{Resource: object, ID: id}, Relation: relation, Subject: s}
}

var texts = map[string]tuple.Relationship{
	"doc:1#reader@did:key:z6Mk":   relationship("doc", "1", "reader", tuple.Subject{Object: tuple.Object{ID: "did:key:z6Mk"}}),
	"doc:1#reader@bob":            relationship("doc", "1", "reader", tuple.Subject{Object: tuple.Object{ID: "bob"}}),
	"doc:1#reader@*":              relationship("doc", "1", "reader", tuple.Subject{Kind: tuple.All}),
	`doc:1#reader@"*"`:            relationship("doc", "1", "reader", tuple.Subject{Object: tuple.Object{ID: "*"}}),
	`doc:1#reader@"user:ann"`:     relationship("doc", "1", "reader", tuple.Subject{Object: tuple.Object{ID: "user:ann"}}),
	`doc:1#reader@"did:key:z#k"`:  relationship("doc", "1", "reader", tuple.Subject{Object: tuple.Object{ID: "did:key:z#k"}}),
	"doc:1#parent@folder:f:2":     relationship("doc", "1", "parent", tuple.Subject{Kind: tuple.Entity, Object: tuple.Object{Resource: "folder", ID: "f:2"}}),
	`doc:1#parent@"did":2`:        relationship("doc", "1", "parent", tuple.Subject{Kind: tuple.Entity, Object: tuple.Object{Resource: "did", ID: "2"}}),
	"doc:1#reader@group:g#member": relationship("doc", "1", "reader", tuple.Subject{Kind: tuple.Userset, Object: tuple.Object{Resource: "group", ID: "g"}, Relation: "member"}),
	`doc:"a b#\xff"#reader@bob`:   relationship("doc", "a b#\xff", "reader", tuple.Subject{Object: tuple.Object{ID: "bob"}}),
	`"":""#""@""`:                 {},
}

func TestRelationshipText(t *testing.T) {
	for text, want := range texts {
		got, err := tuple.ParseRelationship(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
		if want.String() != text {
			t.Errorf("%+v is written %s, want %s", want, want, text)
		}
	}
}

func TestBadRelationshipText(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "at byte 0: expected a name, found the end",
		"doc":                    `at byte 3: expected ":", found the end`,
		"doc:1":                  `at byte 5: expected "#", found the end`,
		"doc:1#":                 "at byte 6: expected a name, found the end",
		"doc:1#reader":           `at byte 12: expected "@", found the end`,
		"doc:1#reader@":          "at byte 13: expected a name, found the end",
		"doc:1#reader@a b":       "at byte 14: expected the end, found ' '",
		"doc:1#reader@g:1#":      "at byte 17: expected a name, found the end",
		"doc:1#reader@g:1#m#x":   "at byte 18: expected the end, found '#'",
		`doc:1#reader@"a`:        "at byte 13: expected a string literal in double quotes, found '\"'",
		"doc:1#reader@did:a#b":   "at byte 18: expected the end, found '#'",
		"doc:1#reader@\xff":      "at byte 13: expected a name, found '\uFFFD'",
		"doc:1#reader@a\x00":     `at byte 14: expected the end, found '\x00'`,
		"doc:1#reader@did:a@b":   "at byte 18: expected the end, found '@'",
		"doc:1#reader@`g`:1#m@x": "at byte 20: expected the end, found '@'",
	} {
		_, err := tuple.ParseRelationship(text)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestObjectAndSubjectText(t *testing.T) {
	object, err := tuple.ParseObject("doc:a:b")
	if want := (tuple.Object{Resource: "doc", ID: "a:b"}); err != nil || object != want {
		t.Errorf("got %+v, %v, want %+v", object, err, want)
	}
	if _, err := tuple.ParseObject("doc:a#b"); err == nil {
		t.Error("a relation behind an object was accepted")
	}
	subject, err := tuple.ParseSubject("*")
	if want := (tuple.Subject{Kind: tuple.All}); err != nil || subject != want {
		t.Errorf("got %+v, %v, want %+v", subject, err, want)
	}
	if _, err := tuple.ParseSubject("**"); err != nil {
		t.Errorf("an actor called **: %v", err)
	}
}

// FuzzRelationship: what is accepted is written in a form that means the same, and the written form
// is the shortest way back.
func FuzzRelationship(f *testing.F) {
	for text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := tuple.ParseRelationship(text)
		if err != nil {
			return
		}
		again, err := tuple.ParseRelationship(r.String())
		if err != nil || again != r {
			t.Errorf("%q is read as %+v, written %s, and read as %+v, %v", text, r, r, again, err)
		}
	})
}
