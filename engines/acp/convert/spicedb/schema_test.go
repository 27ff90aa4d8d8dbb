package spicedb_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"assay/acp/convert/internal/worlds"
	"assay/acp/convert/spicedb"
	"assay/acp/policy"
)

const doc = "definition user {}\ndefinition doc {\n  relation a: user\n  relation b: user\n  relation c: user\n  relation p: doc\n  "

// TestPrecedence: + binds most tightly, then &, then -.
func TestPrecedence(t *testing.T) {
	for expr, want := range map[string]string{
		"a - b & c + a":     "a - (b & (c + a))",
		"a + b & c":         "a + b & c",
		"a & b + c":         "a & (b + c)",
		"a - b - c":         "a - b - c",
		"a - (b - c) + nil": "a - ((b - c) + _this)",
		"p->a + p.any(b)":   "p->a + p->b",
	} {
		im, err := spicedb.Import(doc+"permission x = "+expr+"\n}", "test")
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		want := strings.ReplaceAll(want, "a - ((b - c) + _this)", "a - (b - c + _this)")
		if got := im.Policy.Resource("doc").Permission("x").Text; got != want {
			t.Errorf("%s: got %s, want %s", expr, got, want)
		}
	}
}

func TestBadSchemas(t *testing.T) {
	for text, want := range map[string]string{
		"definition user":                                  `1:16: expected "{", found ""`,
		"definition user {}\ndefinition user {}":           "definition user is there twice",
		doc + "permission x = nope\n}":                     "definition doc: permission x: unknown relation or permission nope",
		doc + "permission x = a->b->c\n}":                  "7:22: arrows cannot be chained",
		doc + "permission x = a +\n}":                      `8:1: expected a relation, a permission, nil or (, found "}"`,
		doc + "relation x: nope\n}":                        "definition doc: relation x: unknown type nope#",
		doc + "permission x = a\npermission y = x->a\n}":   "definition doc: permission y: x->a: x is no relation",
		doc + "relation x: user:*\npermission y = x->a\n}": "definition doc: permission y: x->a: x has a wildcard",
		doc + "permission x = a ^ b\n}":                    "7:20: unexpected character",
	} {
		if _, err := spicedb.Import(text, "test"); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestUnsupported(t *testing.T) {
	for text, want := range map[string]string{
		"caveat c(x int) { x > 1 }":                 "conditions",
		doc + "relation x: user with c\n}":          "conditions",
		doc + "relation x: user with expiration\n}": "expiration",
		doc + "permission x = p.all(a)\n}":          "arrow over all objects at once",
		doc + "permission x = self\n}":              "the object itself as a subject",
		doc + "permission x = a - p->x\n}":          "exclusion that depends on itself",
		"use typechecking":                          "use typechecking",
		"partial view {}":                           "modules",
	} {
		_, err := spicedb.Import(text, "test")
		if got := worlds.Feature(err); got != want {
			t.Errorf("%q: got %q (%v), want %q", text, got, err, want)
		}
	}
}

// FuzzSchema: a schema is read or refused, without cost out of proportion.
func FuzzSchema(f *testing.F) {
	for _, text := range []string{
		doc + "permission x = (a + b) & c - p->x - nil\n}", doc + "permission x = " + strings.Repeat("(", 500),
		doc + "permission x = " + strings.Repeat("a+", 9000) + "a}", "definition a/b { relation c: a/b#... | a/b:* }", "/* x */ // y\n", "/*", strings.Repeat("//\n", 3000),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := spicedb.Parse(text)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > bytesPerByte*uint64(len(text))+128<<10 {
			t.Errorf("%d bytes allocated for %d", got, len(text))
		}
		if err != nil || len(text) > 4096 {
			return
		}
		if im, err := spicedb.Import(text, "fuzz"); err == nil && policy.Format(im.Policy) == "" {
			t.Error("neither a policy nor an error")
		}
	})
}

// FuzzRelationships: facts are read or refused.
func FuzzRelationships(f *testing.F) {
	f.Add("doc:1#a@user:ann\n// x\n\ndoc:1#a@user:*")
	f.Add("doc:1#a@user:ann[c:{}]")
	f.Add("@#:")
	f.Fuzz(func(t *testing.T, text string) {
		facts, err := spicedb.ParseRelationships(text)
		for _, fact := range facts {
			if again, err := spicedb.ParseRelationship(fact.String()); err != nil || again != fact {
				t.Errorf("%+v is read back as %+v, %v", fact, again, err)
			}
		}
		if err != nil && facts != nil {
			t.Error("facts beside an error")
		}
	})
}

// FuzzFile: a validation file is read or refused, without cost out of proportion.
func FuzzFile(f *testing.F) {
	f.Add("schema: |-\n  definition user {}\nrelationships: |-\n  doc:1#a@user:ann\nassertions:\n  assertTrue: [\"doc:1#a@user:ann\"]\nvalidation:\n  doc:1#a: [\"[user:ann] is <doc:1#a>\"]\n", "")
	f.Add("schemaFile: s.zed\n", "definition user {}\n")
	f.Add("schemaFile: ../s.zed\nschema: x\n", "")
	f.Add("assertions: {assertTrue: &a [x, x], assertFalse: *a}\n", "")
	f.Fuzz(func(t *testing.T, text, schema string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file, err := spicedb.ReadFile([]byte(text), fstest.MapFS{"s.zed": {Data: []byte(schema)}})
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 256*uint64(len(text)+len(schema))+256<<10 {
			t.Errorf("%d bytes allocated for %d", got, len(text)+len(schema))
		}
		if err == nil && file.SchemaFile != "" && file.Schema != schema {
			t.Errorf("the schema of %s is not read", file.SchemaFile)
		}
	})
}
