package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write what the scripts print into them")

// Scripts are sessions: a line "$ acp ..." is a command, and behind it stands what it prints, then
// what it reports, each line with "! " before it, then "[exit code]" unless it is 0. The files of the
// session stand at the end, each behind a line "-- name --".
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			steps, files, _ := strings.Cut(string(text), "\n-- ")
			writeFiles(t, files)
			var got strings.Builder
			for line := range strings.Lines(steps + "\n") {
				if strings.HasPrefix(line, "# ") || line == "\n" {
					got.WriteString(line)
				}
				if command, ok := strings.CutPrefix(line, "$ acp "); ok {
					got.WriteString(line)
					got.WriteString(session(words(strings.TrimSuffix(command, "\n"))))
				}
			}
			if want := steps + "\n"; got.String() != want {
				if *update {
					content := strings.TrimSuffix(got.String(), "\n") + string(text[len(steps):])
					if err := os.WriteFile(filepath.Join(home, script), []byte(content), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				t.Errorf("printed\n%s\nexpected\n%s", got.String(), want)
			}
		})
	}
}

func writeFiles(t *testing.T, files string) {
	t.Helper()
	for _, file := range strings.Split(files, "\n-- ") {
		name, content, found := strings.Cut(file, " --\n")
		if !found {
			continue
		}
		if err := os.WriteFile(name, []byte(strings.TrimSuffix(content, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// words are separated by spaces; single quotes hold a word together.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// session runs one command. "> name" as the last two words writes what it prints to a file.
func session(args []string) string {
	var stdout, stderr bytes.Buffer
	file := ""
	if n := len(args); n > 2 && args[n-2] == ">" {
		args, file = args[:n-2], args[n-1]
	}
	code := run(args, strings.NewReader(""), &stdout, &stderr)
	if file != "" {
		if err := os.WriteFile(file, stdout.Bytes(), 0o644); err != nil {
			panic(err)
		}
		stdout.Reset()
	}
	out := stdout.String()
	for line := range strings.Lines(stderr.String()) {
		out += "! " + line
	}
	if code != exitOK {
		out += fmt.Sprintf("[%d]\n", code)
	}
	return out
}

func TestHelpOfEveryVerb(t *testing.T) {
	var help bytes.Buffer
	if code := run([]string{"help"}, nil, &help, io.Discard); code != exitOK {
		t.Fatal(code)
	}
	for _, v := range verbs {
		var flags bytes.Buffer
		code := run(append(strings.Fields(v.name), "--help"), nil, &flags, io.Discard)
		if code != exitOK || !strings.Contains(flags.String(), "-json") || !strings.Contains(help.String(), "  "+v.name+" ") {
			t.Errorf("%s: exit code %d, help %q", v.name, code, flags.String())
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("pipe is closed") }

// Output that cannot be written is an error, not an answer.
func TestOutputFails(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("small.yaml", []byte("name: small\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"policy", "check", "--json", "small.yaml"}, nil, brokenWriter{}, io.Discard); code != exitIO {
		t.Errorf("exit code %d, expected %d", code, exitIO)
	}
}

// An import happens as a whole or not at all: the corrected file finds no policy and no relationship of
// the attempts before.
func TestImportIsAtomic(t *testing.T) {
	t.Chdir(t.TempDir())
	const head = "#| name: many\n#| resources:\n#|   doc:\n#|     relations:\n#|       owner: {types: [actor]}\n#|       reader: {types: [actor]}\n"
	var file strings.Builder
	for i := range 20_007 {
		fmt.Fprintf(&file, "doc:%d#owner@did:key:%d\n", i, i%10)
	}
	write := func(name, content string) {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"import", "--dir", "d", "--as", "did:key:a", "--sync", "none", "--tuples"}
	for bad, want := range map[string]string{
		"doc:1#owner\n":                             "[3]",
		"doc:1#owner@did:key:other\n":               "[1]",
		"doc:1#nothing@did:key:1\n":                 "[3]",
		"file:1#owner@did:key:1\n":                  "[3]",
		"doc:1#owner@doc:2\n":                       "[3]",
		"#archived doc:1#owner@did:key:1\n":         "[1]",
		"#archived doc:x#reader@did:key:1\n":        "[3]",
		"#archived file:x#owner@did:key:1\n":        "[3]",
		"#archived doc:x#owner@group:g#member\n":    "[3]",
		"doc:x#owner@" + strings.Repeat("a", 70000): "[3]",
	} {
		write("bad.txt", head+file.String()+bad)
		got := session(append(args, "bad.txt"))
		named := strings.Contains(got, "bad.txt:20014: ") || strings.Contains(got, strings.TrimSuffix(strings.TrimPrefix(bad, "#archived "), "\n"))
		if !strings.HasSuffix(got, want+"\n") || !named {
			t.Errorf("%.60q: %.300q, expected %s", bad, got, want)
		}
	}
	write("good.txt", head+file.String()+"#archived doc:x#owner@did:key:1\n")
	if got, want := session(append(args, "good.txt")), "20007 relationships"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, expected %s", got, want)
	}
	if got := session([]string{"list", "--dir", "d", "--actor", "did:key:3", "--resource", "doc", "--permission", "owner"}); strings.Count(got, "\n") != 2001 {
		t.Errorf("%d documents listed, expected 2001", strings.Count(got, "\n"))
	}
	before := session([]string{"export", "--dir", "d"})
	write("more.txt", "doc:x1#owner@did:key:1\ndoc:x2#owner@did:key:1\ndoc:1#owner@did:key:other\n")
	if got := session([]string{"import", "--dir", "d", "--tuples", "more.txt"}); !strings.HasSuffix(got, "[1]\n") {
		t.Errorf("%q, expected [1]", got)
	}
	if after := session([]string{"export", "--dir", "d"}); after != before {
		t.Error("a refused import without a policy changed the store")
	}
}

// A file of another system that is wrong is wrong input, and no failure to read it.
func TestImportRefusesForeignFilesThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct{ option, model, tuples string }{
		"model":                  {"--openfga-model", "x", ""},
		"model in JSON":          {"--openfga-model", `{"schema_version": "1.1", "types": []}`, ""},
		"tuple":                  {"--openfga-model", "model\n  schema 1.1\ntype user\n", "- {user: 'user:a', relation: r, object: 'user:b', on: x}\n"},
		"store":                  {"--openfga", "modell: x\n", ""},
		"schema":                 {"--spicedb", "schema: definition\n", ""},
		"relationship":           {"--spicedb", spiceStore + "relationships: 'note:a#reader'\n", ""},
		"unknown key of SpiceDB": {"--spicedb", spiceStore + "relationship: ''\n", ""},
	} {
		t.Chdir(t.TempDir())
		writeFiles(t, "model --\n"+c.model+"\n-- tuples --\n"+c.tuples)
		args := []string{"import", "--dir", "d", "--as", "did:key:a", c.option, "model"}
		if c.tuples != "" {
			args = append(args, "--openfga-tuples", "tuples")
		}
		var out, errs bytes.Buffer
		if code := run(args, nil, &out, &errs); code != exitUsage {
			t.Errorf("%s: exit code %d, expected %d\n%s%s", name, code, exitUsage, &out, &errs)
		}
		if _, err := os.Stat("d"); err == nil {
			t.Errorf("%s: a store was made", name)
		}
	}
}

// obstacle is an output that, written to, makes it impossible to save a snapshot of the store in dir.
type obstacle struct {
	bytes.Buffer
	dir string
}

func (o *obstacle) Write(p []byte) (int, error) {
	for seq := range 10 {
		if err := os.MkdirAll(filepath.Join(o.dir, fmt.Sprintf("snap-%016x.snap.tmp", seq), "x"), 0o755); err != nil {
			return 0, err
		}
	}
	return o.Buffer.Write(p)
}

// What a verb said holds when the snapshot at its end cannot be saved, as on a full disk.
func TestUnsavedSnapshotIsAWarning(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, "all.txt --\n#| name: small\n#| resources:\n#|   doc:\n#|     relations:\n#|       owner: {types: [actor]}\ndoc:1#owner@did:key:a\n"+
		"\n-- grant.txt --\ndoc:2#owner@did:key:a\n\n-- edited.yaml --\nname: small\nresources:\n  doc:\n    relations:\n      owner: {types: [actor]}\n      reader: {types: [actor]}\n")
	for _, c := range []struct {
		args string
		code int
	}{
		{"import --as did:key:a --tuples all.txt", exitOK},
		{"import --tuples grant.txt", exitOK},
		{"check doc:1#owner@did:key:a", exitOK},
		{"check doc:1#owner@did:key:b", exitNo},
		{"list --actor did:key:a --resource doc --permission owner", exitOK},
		{"explain doc:1#owner@did:key:a", exitOK},
		{"impact --add doc:3#owner@did:key:a", exitOK},
		{"policy list", exitOK},
		{"policy show", exitOK},
		{"export", exitOK},
		{"stats", exitOK},
		{"register --as did:key:a doc:4", exitOK},
		{"archive --as did:key:a doc:4", exitOK},
		{"unarchive --as did:key:a doc:4", exitOK},
		{"policy add --as did:key:a edited.yaml", exitOK},
	} {
		out, errs := &obstacle{dir: "d"}, &bytes.Buffer{}
		code := run(append(strings.Fields(c.args), "--dir", "d"), nil, out, errs)
		if code != c.code || out.Len() == 0 || !strings.Contains(errs.String(), "warning: no snapshot saved") {
			t.Errorf("%s: exit code %d, expected %d\n%s%s", c.args, code, c.code, out, errs)
		}
		left, err := filepath.Glob("d/snap-*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range left {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A directory that is no store stays as it is, whatever the verb; so does one that is not there.
func TestOtherDirectoriesStayAsTheyAre(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, "policy.yaml --\nname: small\nresources:\n  doc:\n    permissions:\n      read:\n        expr: owner\n\n-- t.txt --\ndoc:1#owner@did:key:a\n")
	verbs := map[string][]string{
		"stats": {"stats"}, "check": {"check", "doc:1#read@did:key:a"}, "export": {"export"},
		"policy list": {"policy", "list"}, "policy show": {"policy", "show"},
		"policy add": {"policy", "add", "--as", "did:key:a", "policy.yaml"},
		"import":     {"import", "--as", "did:key:a", "--tuples", "t.txt"},
		"register":   {"register", "--as", "did:key:a", "doc:1"},
	}
	for name, args := range verbs {
		for _, file := range []string{"", "thesis.tmp", "wal-notes.txt", "snap-1.snap.tmp", ".hidden"} {
			dir := t.TempDir()
			if file != "" {
				if err := os.WriteFile(filepath.Join(dir, file), []byte("draft"), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if name == "policy add" || name == "import" {
				continue
			}
			var errs bytes.Buffer
			if code := run(append(args, "--dir", dir), nil, io.Discard, &errs); code != exitUsage {
				t.Errorf("%s beside %q: exit code %d, %s", name, file, code, &errs)
			}
			left, err := os.ReadDir(dir)
			if err != nil || file == "" && len(left) > 0 || file != "" && (len(left) != 1 || left[0].Name() != file) {
				t.Errorf("%s beside %q left %v, %v", name, file, left, err)
			}
		}
	}
}

// What a loss of power left half written is cut off the log, which is said, and kept.
func TestCutTailIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, "policy.yaml --\nname: small\n")
	var out, errs bytes.Buffer
	if code := run([]string{"policy", "add", "--dir", "d", "--as", "did:key:a", "policy.yaml"}, nil, &out, &errs); code != exitOK {
		t.Fatal(code, &errs)
	}
	const segment = "d/wal-0000000000000000.seg"
	log, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	copy(log[len(bytes.TrimRight(log, "\x00"))+64:], "half a record")
	if err := os.WriteFile(segment, log, 0o644); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"policy", "list", "--dir", "d"}, nil, &out, &errs); code != exitOK {
		t.Fatal(code, &errs)
	}
	kept, _ := filepath.Glob("d/cut-*")
	if len(kept) != 1 || !strings.Contains(errs.String(), "torn tail") || !strings.Contains(errs.String(), filepath.Base(kept[0])) {
		t.Fatalf("%q is kept, and said is %q", kept, &errs)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || !bytes.Contains(b, []byte("half a record")) {
		t.Errorf("what is kept is %q, %v", b, err)
	}
}

// What a process left that was killed before it had made its store is no obstacle; a file is.
func TestUnfinishedStoreIsBegunAnew(t *testing.T) {
	for name, code := range map[string]int{"d/wal-next-1.tmp": exitOK, "d/wal-mark.tmp": exitOK, "d/snap-0000000000000001.snap.tmp": exitOK, "d/wal-next-01.tmp": exitUsage, "d": exitUsage} {
		t.Chdir(t.TempDir())
		writeFiles(t, "policy.yaml --\nname: small\n")
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		if got := run([]string{"policy", "list", "--dir", "d"}, nil, io.Discard, &errs); got != exitUsage {
			t.Errorf("list beside %s: exit code %d, %s", name, got, &errs)
		}
		if got := run([]string{"policy", "add", "--dir", "d", "--as", "did:key:a", "policy.yaml"}, nil, io.Discard, &errs); got != code {
			t.Errorf("add beside %s: exit code %d, expected %d, %s", name, got, code, &errs)
		}
	}
}

const (
	plainModel = "model\n  schema 1.1\ntype user\ntype note\n  relations\n    define reader: [user]\n"
	plainStore = "model: |\n  model\n    schema 1.1\n  type user\n  type note\n    relations\n      define reader: [user]\n"
	spiceStore = "schema: |\n  definition person {}\n  definition note {\n    relation reader: person\n  }\n"
)

// What is not understood in others' files is an error, or counted as not supported; it never passes.
func TestForeignFilesAreUnderstoodOrRefused(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		code    int
	}{
		"plain":             {plainStore + "tuples:\n  - {user: 'user:a', relation: reader, object: 'note:1'}\n", exitOK},
		"tuple":             {plainStore + "tuple:\n  - {user: 'user:a', relation: reader, object: 'note:1'}\n", exitUsage},
		"conditions":        {plainStore + "tuples:\n  - {user: 'user:a', relation: reader, object: 'note:1', conditions: {name: x}}\n", exitUsage},
		"condition":         {plainStore + "tuples:\n  - {user: 'user:a', relation: reader, object: 'note:1', condition: {name: x}}\n", exitNo},
		"checks":            {plainStore + "tests:\n  - name: t\n    checks: []\n", exitUsage},
		"assertion":         {plainStore + "tests:\n  - name: t\n    check:\n      - {user: 'user:a', object: 'note:1', assertion: {reader: true}}\n", exitUsage},
		"twice":             {plainStore + "tuples: []\ntuples: []\n", exitUsage},
		"second document":   {plainStore + "---\ntuples: []\n", exitUsage},
		"own, unknown":      {"policy: 'name: x'\nyess: []\n", exitUsage},
		"spice":             {spiceStore + "relationships: 'note:a#reader@person:kim'\nassertions:\n  assertTrue: ['note:a#reader@person:kim']\n", exitOK},
		"relationship":      {spiceStore + "relationship: 'note:a#reader@person:kim'\n", exitUsage},
		"validation":        {spiceStore + "validation:\n  note:a#reader: ['[person:lee] is <note:a#reader>']\n", exitNo},
		"schema file":       {"schemaFile: person.zed\nrelationships: 'note:a#reader@person:kim'\nassertions:\n  assertTrue: ['note:a#reader@person:kim']\n  assertFalse: ['note:a#reader@person:lee']\n", exitOK},
		"./schema file":     {"schemaFile: ./person.zed\n", exitOK},
		"wrong schema file": {"schemaFile: wrong.zed\n", exitUsage},
		"no schema file":    {"schemaFile: none.zed\n", exitIO},
		"two schemas":       {spiceStore + "schemaFile: person.zed\n", exitUsage},
		"two models":        {plainStore + "model_file: person.zed\n", exitUsage},
		"two policies":      {"policy: 'name: x'\npolicy_file: person.zed\n", exitUsage},
		"assertTrues":       {spiceStore + "assertions:\n  assertTrues: []\n", exitUsage},
		"comment in an id":  {spiceStore + "relationships: 'note:a#reader@person:kim // on leave'\n", exitUsage},
		"space in an id":    {spiceStore + "relationships: 'note:a b#reader@person:kim'\n", exitUsage},
		"comma in an id":    {spiceStore + "relationships: 'note:a,b#reader@person:kim'\n", exitUsage},
		"assertion's id":    {spiceStore + "assertions:\n  assertFalse: ['note:a#reader@person:kim // no']\n", exitUsage},
		"every sign of ids": {spiceStore + "relationships: 'note:aZ09/_|-=+#reader@person:aZ09/_|-=+'\n", exitOK},
		"bad schema":        {"schema: definition\n", exitUsage},
		"bad model":         {"model: x\n", exitUsage},
		"no YAML":           {"model: [\n", exitUsage},
	} {
		t.Chdir(t.TempDir())
		file := "store.yaml"
		writeFiles(t, "person.zed --\ndefinition person {}\ndefinition note {\n  relation reader: person\n}\n"+
			"\n-- wrong.zed --\ndefinition\n\n-- "+file+" --\n"+c.content)
		var out, errs bytes.Buffer
		if code := run([]string{"test", file}, nil, &out, &errs); code != c.code {
			t.Errorf("%s: exit code %d, expected %d\n%s%s", name, code, c.code, &out, &errs)
		}
	}
}

// A document names regular files of a bounded size in its folder.
func TestNamedFilesAreBounded(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret: 7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(home, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	large, err := os.Create(filepath.Join(home, "large"))
	if err == nil {
		err = errors.Join(large.Truncate(maxFileBytes+1), large.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"zero": "/dev/zero", "link": outside, "up": "../" + filepath.Base(filepath.Dir(outside)) + "/secret", "inside": "model"} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "model"), []byte(plainModel), 0o644); err != nil {
		t.Fatal(err)
	}
	manifest := "schema: '1.2'\ncontents: [%s]\n"
	for _, form := range []string{"model_file: %s\n", "policy_file: %s\n", plainStore + "tuple_file: %s\n", plainStore + "tuple_files: [%s]\n", plainStore + "tests:\n  - tuple_file: %s\n", "model_file: fga.mod\n", "schemaFile: %s\n"} {
		for _, named := range []string{"folder", "pipe", "large", "zero", "link", "up", outside, "../secret"} {
			if err := os.WriteFile(filepath.Join(home, "fga.mod"), fmt.Appendf(nil, manifest, named), 0o644); err != nil {
				t.Fatal(err)
			}
			content := form
			if strings.Contains(form, "%s") {
				content = fmt.Sprintf(form, named)
			}
			file := filepath.Join(home, "test.yaml")
			if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			code := run([]string{"test", file}, nil, &out, &errs)
			if code != exitUsage && code != exitIO || strings.Contains(errs.String(), "secret: 7") {
				t.Errorf("%q: exit code %d\n%s%s", content, code, &out, &errs)
			}
		}
	}
	file := filepath.Join(home, "test.yaml")
	if err := os.WriteFile(file, []byte("model_file: inside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"test", file}, nil, io.Discard, io.Discard); code != exitOK {
		t.Errorf("a link within the folder: exit code %d", code)
	}
}

// endless is an input without an end, and counts what is read of it. What no bound stops gets an error.
type endless struct {
	line []byte
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 2*maxTuplesBytes {
		return 0, errors.New("no bound")
	}
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.line[(e.read+int64(n))%int64(len(e.line)):])
	}
	e.read += int64(n)
	return n, nil
}

// A file on the command line is a regular one of a bounded size, as one that a document names, and
// standard input has the bound, too.
func TestInputIsBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFiles(t, "policy.yaml --\nname: small\n\n-- model --\n"+plainModel)
	if got := session([]string{"policy", "add", "--dir", "d", "--as", "did:key:a", "policy.yaml"}); strings.HasSuffix(got, "]\n") {
		t.Fatal(got)
	}
	large, err := os.Create("large")
	if err == nil {
		err = errors.Join(large.Truncate(maxFileBytes+1), large.Close(), os.Mkdir("folder", 0o755), syscall.Mkfifo("pipe", 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	verbs := map[string]int64{ // and what they may read of standard input, if they do
		"test":                                          0,
		"policy check":                                  maxFileBytes,
		"policy add --dir d --as did:key:a":             maxFileBytes,
		"policy edit --dir d --as did:key:a":            maxFileBytes,
		"impact --dir d --edit":                         maxFileBytes,
		"import --dir d --tuples":                       maxTuplesBytes,
		"import --dir d --as did:key:a --openfga":       0,
		"import --dir d --as did:key:a --openfga-model": 0,
		"import --dir d --as did:key:a --openfga-model model --openfga-tuples": 0,
		"import --dir d --as did:key:a --spicedb":                              0,
	}
	for verb, bound := range verbs {
		for _, file := range []string{"pipe", "/dev/zero", "large", "folder"} {
			var errs bytes.Buffer
			over := make(chan int, 1)
			go func() { over <- run(append(strings.Fields(verb), file), nil, io.Discard, &errs) }()
			select {
			case code := <-over:
				if code != exitUsage || !strings.Contains(errs.String(), filepath.Base(file)+":") {
					t.Errorf("%s %s: exit code %d, %s", verb, file, code, &errs)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s %s waits", verb, file)
			}
		}
		if bound == 0 {
			continue
		}
		for _, line := range []string{"\x00", "#" + strings.Repeat(" ", 1<<16) + "\n", "#| " + strings.Repeat(" ", 1<<16) + "\n"} {
			in := &endless{line: []byte(line)}
			var errs bytes.Buffer
			if code := run(append(strings.Fields(verb), "-"), in, io.Discard, &errs); code != exitUsage || in.read > bound+1 {
				t.Errorf("%s of %.3q without an end: exit code %d after %d bytes, expected at most %d, %s", verb, line, code, in.read, bound, &errs)
			}
		}
	}
}
