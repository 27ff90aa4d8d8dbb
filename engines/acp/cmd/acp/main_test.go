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
	"testing"
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
	if code := run([]string{"policy", "check", "--json", "small.yaml"}, nil, brokenWriter{}, io.Discard); code != exitError {
		t.Errorf("exit code %d, expected %d", code, exitError)
	}
}

// A larger file than a batch: all of it arrives, and an error names the line.
func TestImportInBatches(t *testing.T) {
	t.Chdir(t.TempDir())
	var file bytes.Buffer
	fmt.Fprint(&file, "#| name: many\n#| resources:\n#|   doc:\n#|     relations:\n#|       owner: {types: [actor]}\n")
	for i := range 2*loadBatch + 7 {
		fmt.Fprintf(&file, "doc:%d#owner@did:key:%d\n", i, i%10)
	}
	write := func(name string, content []byte) {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("many.txt", file.Bytes())
	got := session([]string{"import", "--dir", "d", "--as", "did:key:a", "--sync", "none", "--tuples", "many.txt"})
	if want := fmt.Sprintf("%d relationships", 2*loadBatch+7); !strings.HasPrefix(got, want) {
		t.Errorf("%q, expected %s", got, want)
	}
	if got := session([]string{"list", "--dir", "d", "--actor", "did:key:3", "--resource", "doc", "--permission", "owner"}); strings.Count(got, "\n") != 2001 {
		t.Errorf("%d documents listed, expected 2001", strings.Count(got, "\n"))
	}
	write("bad.txt", append(file.Bytes(), "doc:1#owner\n"...))
	got = session([]string{"import", "--dir", "d2", "--as", "did:key:a", "--tuples", "bad.txt"})
	if want := "bad.txt:20013: relationship"; !strings.Contains(got, want) || !strings.Contains(got, "[2]") {
		t.Errorf("%q, expected %s", got, want)
	}
}
