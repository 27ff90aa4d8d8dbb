package explain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/acp/explain"
	"assay/acp/tuple"
)

// FuzzCertificate reads certificates from any bytes: an error or a certificate that is written and read
// back the same, and that proves nothing that is not so.
func FuzzCertificate(f *testing.F) {
	p := parse(f)
	all := facts(f, "doc:1#reader@group:a#member", "group:a#member@ann", "doc:1#banned@bob")
	v := newView(p, all)
	for _, permission := range []string{"read", "allowed", "both"} {
		for _, actor := range []string{"ann", "bob"} {
			c, err := explain.Explain(v, permission, actor, tuple.Object{Resource: "doc", ID: "1"})
			if err != nil {
				f.Fatal(err)
			}
			data, err := json.Marshal(c)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add([]byte(`{"steps":[{"holds":"doc","fails":[]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c, again explain.Certificate
		if json.Unmarshal(data, &c) != nil {
			return
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if explain.Verify(p, v, c) != nil {
			return
		}
		right, err := explain.Explain(v, c.Question.Name, c.Actor, c.Question.Object)
		if err != nil || right.Allowed != c.Allowed {
			t.Errorf("%s is accepted, but the answer is %t (%v)", text, right.Allowed, err)
		}
	})
}

func TestBadJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                                      "unexpected",
		`{}`:                                     `"" is not resource:id#name`,
		`{"question":"doc:1#read@ann"}`:          "is not resource:id#name",
		`{"question":"doc:1#read","steps":[{}]}`: "step 1: expected either holds",
		`{"question":"doc:1#read","steps":[{"holds":"doc:1#read","by":["doc:1"]}]}`:     `step 1: relationship "doc:1"`,
		`{"question":"doc:1#read","steps":[{"fails":[{"node":"doc"}]}]}`:                `step 1: "doc" is not`,
		`{"question":"doc:1#read","steps":[{"fails":[{"node":"doc:1#a"}],"by":["x"]}]}`: "step 1: expected either holds",
		`{"question":"doc:1#read","proof":1}`:                                           "unknown field",
	} {
		var c explain.Certificate
		if err := json.Unmarshal([]byte(text), &c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
