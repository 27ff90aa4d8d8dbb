package openfga_test

import (
	"runtime"
	"strings"
	"testing"

	"assay/acp/convert/openfga"
)

const head = "model\n  schema 1.1\ntype user\ntype doc\n  relations\n"

// FuzzModel: a model is read or refused, without cost out of proportion, and what is read becomes a
// policy or is refused.
func FuzzModel(f *testing.F) {
	for _, text := range []string{
		head + "    define a: [user, user:*, doc#a] or b\n    define b: (a from p) but not a # x\n    define p: [doc]\n",
		head + "    define a: [user with c]\ncondition c(x: int) {\n  x < 1\n}\n",
		head + "    define a: (((((", head + "    define a: [", "module x\nextend type y", "model\nschema 1.1\ntype\n",
		head + "    define a: " + strings.Repeat("a or ", 5000),
		head + "    define a: [" + strings.Repeat("user,", 5000),
		head + strings.Repeat("    define a: [user]\n", 500),
		head + "    define a: [" + strings.Repeat("\nuser,", 5000),
		`{"schema_version": "1.1", "type_definitions": [{"type": "user"}, {"type": "doc", "relations": {"a": {"union": {"child": [{"this": {}}, {"computedUserset": {"relation": "b"}}]}}, "b": {"this": {}}}, "metadata": {"relations": {"a": {"directly_related_user_types": [{"type": "user", "wildcard": {}}]}, "b": {"directly_related_user_types": [{"type": "user"}]}}}}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := openfga.ReadModel(text)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 64*uint64(len(text))+128<<10 {
			t.Errorf("%d bytes allocated for %d", got, len(text))
		}
		if err != nil || len(text) > 4096 {
			return
		}
		if im, err := openfga.Import(m, "fuzz"); err == nil && im.Policy == nil {
			t.Error("neither a policy nor an error")
		}
	})
}

func TestJSONModel(t *testing.T) {
	const dsl = head + "    define owner: [user]\n    define parent: [doc]\n    define read: ([user:*] or owner or read from parent) but not banned\n    define banned: [user]\n"
	const text = `{"schema_version": "1.1", "type_definitions": [{"type": "user"}, {"type": "doc", "relations": {
		"owner": {"this": {}}, "parent": {"this": {}}, "banned": {"this": {}},
		"read": {"difference": {"base": {"union": {"child": [{"this": {}}, {"computedUserset": {"relation": "owner"}},
			{"tupleToUserset": {"tupleset": {"relation": "parent"}, "computedUserset": {"relation": "read"}}}]}},
			"subtract": {"computedUserset": {"relation": "banned"}}}}},
		"metadata": {"relations": {
			"owner": {"directly_related_user_types": [{"type": "user"}]}, "banned": {"directly_related_user_types": [{"type": "user"}]},
			"parent": {"directly_related_user_types": [{"type": "doc"}]}, "read": {"directly_related_user_types": [{"type": "user", "wildcard": {}}]}}}}]}`
	want, err := load(dsl)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	if policyText(got) != policyText(want) {
		t.Errorf("got\n%s\nwant\n%s", policyText(got), policyText(want))
	}
	kinds := func(user string) string {
		return `{"schema_version": "1.1", "type_definitions": [{"type": "a", "metadata": {"relations": {"r": {"directly_related_user_types": [` + user + `]}}}}]}`
	}
	relation := func(r string) string {
		return `{"schema_version": "1.1", "type_definitions": [{"type": "a", "relations": {"r": ` + r + `}}]}`
	}
	for bad, want := range map[string]string{
		`{"schema_version": "1.0"}`: `schema_version: expected 1.1 or 1.2, found "1.0"`,
		relation(`{}`):              "type a: relation r: expected this, computedUserset, tupleToUserset, union, intersection or difference",
		// Of a key that is passed over, a condition would become none.
		kinds(`{"type": "a", "conditions": "c"}`):                 `json: unknown field "conditions"`,
		relation(`{"this": {"only": "b"}}`):                       `json: unknown field "only"`,
		`{"schema_version": "1.1", "schema_version": "1.1"}`:      `the key "schema_version" stands twice in an object`,
		kinds(`{"type": "a", "condition": "c", "Condition": ""}`): `the key "condition" stands twice in an object`,
		`{"schema_version": "1.1"} {}`:                            "invalid character '{' after top-level value",
	} {
		if _, err := load(bad); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// What says where a part was written decides nothing.
	const told = `{"id": "01", "schema_version": "1.2", "type_definitions": [{"type": "user"}, {"type": "doc", "relations": {"owner": {"this": {}}},
		"metadata": {"module": "m", "source_info": {"file": "f"}, "relations": {
			"owner": {"module": "m", "source_info": {"file": "f"}, "directly_related_user_types": [{"type": "user", "relation": "", "condition": ""}]}}}}]}`
	if _, err := load(told); err != nil {
		t.Error(err)
	}
}
