package openfga_test

import (
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"assay/acp/convert"
	"assay/acp/convert/openfga"
	"assay/acp/policy"
	"assay/acp/testdata"
)

// bounded calls read, which may allocate in proportion to the sizes of texts.
func bounded(t *testing.T, read func(), texts ...string) {
	t.Helper()
	size := uint64(0)
	for _, text := range texts {
		size += uint64(len(text))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 256*size+256<<10 {
		t.Errorf("%d bytes allocated for %d", got, size)
	}
}

// stable fails unless a model that is accepted becomes a policy whose text is read back as the same.
func stable(t *testing.T, m *openfga.Model) (im *convert.Import) {
	t.Helper()
	im, err := openfga.Import(m, "fuzz")
	if err != nil {
		return nil
	}
	text := policyText(im)
	p, err := policy.Parse([]byte(text), policy.Options{Lenient: true})
	if err != nil {
		t.Fatalf("its policy is refused: %v\n%s", err, text)
	}
	if again := policy.Format(p); again != text {
		t.Errorf("its policy is printed as\n%s\nand then as\n%s", text, again)
	}
	return im
}

// longest is how long texts may be whose models are imported, too: that takes more than reading them.
const longest = 4096

// FuzzStore: a store with the files that it names is read or refused, at a cost in proportion; its model
// becomes a policy or is refused, and its tuples become relationships of it or are refused.
func FuzzStore(f *testing.F) {
	read := func(name string) string {
		data, err := fs.ReadFile(testdata.Files, name)
		if err != nil {
			f.Fatal(err)
		}
		return string(data)
	}
	samples, err := fs.Glob(testdata.Files, "openfga-sample-stores/*/store.fga.yaml")
	if err != nil || len(samples) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, name := range samples {
		model := ""
		if m := path.Join(path.Dir(name), "model.fga"); strings.Contains(read(name), "model.fga") {
			model = read(m)
		}
		f.Add(read(name), model, read("openfga-sample-stores/modular/core-tuples.yaml"))
	}
	const tuples = "- {user: user:a, relation: r, object: doc:1}\n"
	f.Add("model_file: model.fga\ntuple_files: [tuples.yaml, tuples.yaml]\n", head+"    define r: [user]\n", tuples)
	f.Add("model_file: fga.mod\ntuple_file: tuples.yaml\n", "", tuples)
	f.Add("tests: ["+strings.Repeat("{tuple_file: tuples.yaml}, ", 50)+"]\n", "", strings.Repeat(tuples, 50))
	aliases := "tests: [{check: [{context: {a: &a0 [x, x]"
	for i := range 16 {
		aliases += fmt.Sprintf(", b%d: &a%d [*a%d, *a%d]", i, i+1, i, i)
	}
	f.Add(aliases+"}}]}]\n", "", "")
	f.Add("tests: [{check: [{context: &a {a: *a}}]}]\n", "", "")
	f.Fuzz(func(t *testing.T, store, model, tuples string) {
		files := fstest.MapFS{
			"store.fga.yaml":   {Data: []byte(store)},
			"model.fga":        {Data: []byte(model)},
			"tuples.yaml":      {Data: []byte(tuples)},
			"core-tuples.yaml": {Data: []byte(tuples)},
		}
		var s *openfga.Store
		bounded(t, func() { s, err = openfga.ReadStore(files, "store.fga.yaml") }, store, model, tuples)
		if err != nil {
			return
		}
		var m *openfga.Model
		bounded(t, func() { m, err = s.ReadModel() }, store, model)
		if err != nil || len(store)+len(model)+len(tuples) > longest {
			return
		}
		im := stable(t, m)
		if im == nil {
			return
		}
		for _, tuple := range s.Tuples {
			fact, err := tuple.Fact()
			if err != nil {
				continue
			}
			relationships, err := im.Relationships(fact)
			if err == nil && len(relationships) == 0 {
				t.Errorf("%v is no relationship, and no error", fact)
			}
		}
	})
}

// FuzzModules: a manifest and its modules are read as one model or refused, at a cost in proportion, and a
// model becomes a policy or is refused.
func FuzzModules(f *testing.F) {
	const folder = "openfga-sample-stores/modular/"
	var modules []string
	for _, name := range []string{"core.fga", "wiki.fga"} {
		data, err := fs.ReadFile(testdata.Files, folder+name)
		if err != nil {
			f.Fatal(err)
		}
		modules = append(modules, string(data))
	}
	f.Add("schema: '1.2'\ncontents: [core.fga, wiki.fga]\n", modules[0], modules[1])
	f.Add("schema: '1.2'\ncontents: [core.fga, core.fga, ./core.fga]\n", modules[0], "")
	f.Add("schema: '1.2'\ncontents: ["+strings.Repeat("core.fga, ", 50)+"]\n", modules[0]+strings.Repeat("# filled\n", 100), "")
	f.Add("schema: '1.2'\ncontents: [core.fga, ../wiki.fga]\n", "module core\n"+strings.Repeat("type a\n", 50), "module m\n"+strings.Repeat("extend type a\n", 50))
	f.Add("schema: '1.1'\ncontents: {}\n", "", "")
	f.Fuzz(func(t *testing.T, manifest, core, wiki string) {
		files := fstest.MapFS{
			"store.fga.yaml": {Data: []byte("model_file: fga.mod\n")},
			"fga.mod":        {Data: []byte(manifest)},
			"core.fga":       {Data: []byte(core)},
			"wiki.fga":       {Data: []byte(wiki)},
		}
		var m *openfga.Model
		var err error
		bounded(t, func() {
			var s *openfga.Store
			if s, err = openfga.ReadStore(files, "store.fga.yaml"); err == nil {
				m, err = s.ReadModel()
			}
		}, manifest, core, wiki)
		if err == nil && len(manifest)+len(core)+len(wiki) <= longest {
			stable(t, m)
		}
	})
}
