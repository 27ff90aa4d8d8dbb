package openfga_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"assay/acp/convert/openfga"
)

// TestModules: the files of a manifest are one model; a type is extended once in a file.
func TestModules(t *testing.T) {
	read := func(module string) error {
		files := fstest.MapFS{
			"store.fga.yaml": {Data: []byte("model_file: ./fga.mod\n")},
			"fga.mod":        {Data: []byte("schema: '1.2'\ncontents: [core.fga, more/m.fga]\n")},
			"core.fga":       {Data: []byte("module core\ntype user\ntype doc\n  relations\n    define a: [user]\n")},
			"more/m.fga":     {Data: []byte("module more\n" + module)},
		}
		s, err := openfga.ReadStore(files, "store.fga.yaml")
		if err != nil {
			t.Fatal(err)
		}
		im, err := imported(s.ReadModel())
		if err == nil && im.Policy.Resource("doc").Permission("b") == nil {
			t.Error("the extension is missing")
		}
		return err
	}
	const extension = "extend type doc\n  relations\n    define b: a\n"
	if err := read(extension); err != nil {
		t.Error(err)
	}
	for module, want := range map[string]string{
		extension + extension:                   "more/m.fga: line 5: doc is extended twice",
		"extend type nope\n":                    "line 2: there is no type nope to extend",
		"extend nope\n":                         "more/m.fga: line 2: expected type behind extend",
		"model\nschema 1.1\n":                   "more/m.fga: line 2: expected type, relations, define or condition",
		strings.Replace(extension, "b", "a", 1): "relation a of doc is defined twice",
	} {
		if err := read(module); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", module, err, want)
		}
	}
}

// TestFilesNamedOften: a file that many tests name is read once, a module once in a manifest, and what is
// named may be many tuples but not too many.
func TestFilesNamedOften(t *testing.T) {
	const tuples, named = 1000, 5000
	store := "tests: [" + strings.Repeat("{tuple_file: t.yaml}, ", named) + "]\n"
	file := strings.Repeat("- {user: user:a, relation: r, object: doc:1}\n", tuples)
	files := fstest.MapFS{
		"store.fga.yaml": {Data: []byte(store)},
		"t.yaml":         {Data: []byte(file)},
	}
	if _, err := openfga.ReadStore(files, "store.fga.yaml"); err == nil || !strings.Contains(err.Error(), "t.yaml: expected at most 4194304 tuples") {
		t.Errorf("%d tuples: got %v", named*tuples, err)
	}
	files["store.fga.yaml"].Data = []byte(store[:len("tests: [")+22*1000] + "]\n")
	var s *openfga.Store
	bounded(t, func() {
		var err error
		if s, err = openfga.ReadStore(files, "store.fga.yaml"); err != nil {
			t.Error(err)
		}
	}, store, file)
	if s == nil || len(s.Tests) != 1000 || len(s.Tests[999].Tuples) != tuples {
		t.Error("tuples are missing")
	}
	files["store.fga.yaml"].Data = []byte("model_file: fga.mod\n")
	files["fga.mod"] = &fstest.MapFile{Data: []byte("schema: '1.2'\ncontents: [a.fga, ./a.fga]\n")}
	files["a.fga"] = &fstest.MapFile{Data: []byte("module a\n")}
	if _, err := openfga.ReadStore(files, "store.fga.yaml"); err == nil || err.Error() != "fga.mod: ./a.fga is listed twice" {
		t.Errorf("got %v", err)
	}
}
