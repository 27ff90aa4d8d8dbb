package spicedb_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"assay/acp/convert"
	"assay/acp/convert/internal/worlds"
	"assay/acp/convert/spicedb"
	"assay/acp/testdata"
)

// TestAssertions: every assertion of the validation files holds, or is refused by a feature's name.
// The engine and the model give the same lists, of every name and for every subject.
func TestAssertions(t *testing.T) {
	tally := worlds.Tally{}
	err := fs.WalkDir(testdata.Files, "spicedb", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := testdata.Read(strings.TrimSuffix(name, ".gz"))
		if err != nil {
			return err
		}
		t.Run(path.Base(name), func(t *testing.T) { run(t, tally, data) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := tally.Diff(worlds.Tally{
		"passed":                           205,
		convert.Conditions:                 82,
		convert.UsersetOfComputed:          7,
		convert.Expiration:                 6,
		convert.AllArrow:                   4,
		"files loaded":                     36,
		"files with " + convert.Conditions: 12,
		"files with " + convert.Expiration: 2,
		"files with " + convert.AllArrow:   1,
	}); diff != "" {
		t.Error(diff)
	}
}

func run(t *testing.T, tally worlds.Tally, data []byte) {
	f, err := spicedb.ReadFile(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	assertions := len(f.Assertions.True) + len(f.Assertions.False) + len(f.Assertions.Caveated)
	w, facts, err := world(f)
	if feature := worlds.Feature(err); feature != "" {
		tally[feature] += assertions
		tally["files with "+feature]++
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	tally["files loaded"]++
	assert := func(texts []string, want bool) {
		for _, text := range texts {
			got, err := check(w, text)
			switch feature := worlds.Feature(err); {
			case feature != "":
				tally[feature]++
			case err != nil || got != want:
				t.Errorf("%s: %t, %v, want %t", text, got, err, want)
			default:
				tally["passed"]++
			}
		}
	}
	assert(f.Assertions.True, true)
	assert(f.Assertions.False, false)
	if len(facts) < 200 { // the model is slow
		lists(t, w, f, facts)
	}
}

func world(f *spicedb.File) (*worlds.World, []convert.Fact, error) {
	im, err := spicedb.Import(f.Schema, "test")
	if err != nil {
		return nil, nil, err
	}
	facts, err := spicedb.ParseRelationships(f.Relationships)
	if err != nil {
		return nil, nil, err
	}
	w, err := worlds.New(im, facts)
	return w, facts, err
}

func check(w *worlds.World, text string) (bool, error) {
	f, err := spicedb.ParseRelationship(text)
	if err != nil {
		return false, err
	}
	return w.Check(f)
}

func lists(t *testing.T, w *worlds.World, f *spicedb.File, facts []convert.Fact) {
	schema, err := spicedb.Parse(f.Schema)
	if err != nil {
		t.Fatal(err)
	}
	askers := map[convert.Ref]bool{}
	objects := map[convert.Ref]bool{}
	for _, fact := range facts {
		if len(askers) < 10 {
			askers[convert.Ref{Type: fact.Subject.Type, ID: fact.Subject.ID}] = true
		}
		if len(objects) < 10 {
			objects[fact.Object] = true
		}
	}
	for _, of := range schema.Types {
		for _, relation := range of.Relations {
			for asker := range askers {
				if _, err := w.ListObjects(of.Name, relation.Name, asker); err != nil {
					t.Error(err)
				}
			}
			for object := range objects {
				if object.Type != of.Name {
					continue
				}
				for _, kind := range schema.Types {
					if _, err := w.ListActors(object, relation.Name, convert.Subject{Type: kind.Name}); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
