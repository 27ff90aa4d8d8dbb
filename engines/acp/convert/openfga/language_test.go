package openfga_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"assay/acp/convert"
	"assay/acp/convert/internal/worlds"
	"assay/acp/convert/openfga"
	"assay/acp/testdata"
)

func cases(t *testing.T, name string, into any) {
	t.Helper()
	data, err := testdata.Read("openfga-language/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// TestLanguage: what the language's own parser and validator refuse is refused, and what they accept
// is accepted or refused by the name of a feature.
func TestLanguage(t *testing.T) {
	tally := worlds.Tally{}
	for _, name := range []string{"dsl-semantic-validation-cases", "dsl-syntax-validation-cases"} {
		var all []struct {
			Name   string
			DSL    string
			Skip   bool  // upstream does not hold itself to it
			Errors []any `yaml:"expected_errors"`
		}
		cases(t, name, &all)
		for _, c := range all {
			_, err := load(c.DSL)
			feature := worlds.Feature(err)
			switch {
			case c.Skip:
				tally["skipped upstream"]++
			case len(c.Errors) > 0 && err == nil:
				t.Errorf("%s: accepted, expected %v\n%s", c.Name, c.Errors[0], c.DSL)
			case len(c.Errors) > 0:
				tally["refused"]++
			case feature != "":
				tally[feature]++
			case err != nil:
				t.Errorf("%s: %v\n%s", c.Name, err, c.DSL)
			default:
				tally["accepted"]++
			}
		}
	}
	if diff := tally.Diff(worlds.Tally{
		"accepted":         21,
		"refused":          91,
		"skipped upstream": 4,
		convert.Conditions: 1,
	}); diff != "" {
		t.Error(diff)
	}
}

// A model means the same with every kind of white space.
func TestWhiteSpace(t *testing.T) {
	var models []string
	for _, name := range []string{"dsl-semantic-validation-cases", "dsl-syntax-validation-cases"} {
		var all []struct{ DSL string }
		cases(t, name, &all)
		for _, c := range all {
			models = append(models, c.DSL)
		}
	}
	err := fs.WalkDir(testdata.Files, "openfga-sample-stores", func(name string, d fs.DirEntry, err error) error {
		if path.Ext(name) == ".fga" {
			text, err := testdata.Read(name)
			models = append(models, string(text))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	result := func(text string) string {
		im, err := load(text)
		switch {
		case err == nil:
			return policyText(im)
		case worlds.Feature(err) != "":
			return worlds.Feature(err)
		}
		return "refused"
	}
	accepted := 0
	for _, model := range models {
		want := result(model)
		if want != "refused" {
			accepted++
		}
		for _, other := range []*strings.Replacer{
			strings.NewReplacer(" ", "\t"), strings.NewReplacer(" ", "\f"), strings.NewReplacer(" ", " \t "),
			strings.NewReplacer("\n", "\r\n"), strings.NewReplacer("\n", " \t\n\n"), strings.NewReplacer("\n", "\t# a comment\n"),
		} {
			if text := other.Replace(model); result(text) != want {
				t.Errorf("%q: %s\nexpected %s", text, result(text), want)
			}
		}
	}
	if accepted < 30 {
		t.Errorf("%d models of %d are accepted", accepted, len(models))
	}
}

func TestObjectIDs(t *testing.T) {
	var all []struct {
		Name     string
		ObjectID string `yaml:"object_id"`
		Valid    bool
	}
	cases(t, "object-id-validation-cases", &all)
	if len(all) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range all {
		want := c.Valid || c.ObjectID == "a,b" // the server takes what only the editor refuses
		if _, err := openfga.ParseObject("doc:" + c.ObjectID); (err == nil) != want {
			t.Errorf("%s: %q: %v, want %t", c.Name, c.ObjectID, err, want)
		}
	}
}

// Every ASCII character at the begin, in the middle and at the end of an id, as the server takes it, and
// the users that it takes; an error names the tuple.
func TestTupleIDs(t *testing.T) {
	for c := range rune(128) {
		taken := c > ' ' && c != '#' && c != ':' && c != 0x7f
		for _, id := range []string{string(c) + "b", "a" + string(c) + "b", "a" + string(c)} {
			for _, tuple := range []openfga.Tuple{{User: "user:" + id, Relation: "r", Object: "doc:1"}, {User: "user:1", Relation: "r", Object: "doc:" + id}} {
				fact, err := tuple.Fact()
				userset := c == '#' && id == "a#b" && tuple.Object == "doc:1"
				switch {
				case (err == nil) != (taken || userset):
					t.Errorf("%q: %v, want taken %t", tuple, err, taken)
				case err == nil && fact.Subject.String()+fact.Object.String() != tuple.User+tuple.Object:
					t.Errorf("%q became %q", tuple, fact)
				case err != nil && !strings.Contains(err.Error(), tuple.User+" r "+tuple.Object):
					t.Errorf("%q is not named: %v", tuple, err)
				}
			}
		}
	}
	for user, taken := range map[string]bool{
		"user:*": true, "user:**": true, "user:uid=kim,ou=a,dc=b": true, "user:\u00e9": true, "group:a#m": true,
		"user:": false, "*": false, "user": false, "group:*#m": false, "group:a*#m": false, "group:a#": false, "group:a#m#n": false,
		":a": false, "user:a\u0085": false, "user:a\u00a0b": true,
	} {
		if _, err := openfga.ParseUser(user); (err == nil) != taken {
			t.Errorf("user %q: %v, want taken %t", user, err, taken)
		}
	}
	if _, err := openfga.ParseObject("doc:*"); err == nil {
		t.Error("doc:* is an object")
	}
}
