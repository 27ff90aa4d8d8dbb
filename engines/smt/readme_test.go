package smt_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"assay/smt/trie"
)

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestReadmeCodeIsTheExample(t *testing.T) {
	_, after, _ := strings.Cut(read(t, "README.md"), "```go\n")
	code, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("README.md has no Go code")
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t")
	indented = strings.ReplaceAll(indented, "\n\t\n", "\n\n")
	if !strings.Contains(read(t, "example_test.go"), indented) {
		t.Error("the code in README.md is not part of example_test.go")
	}
}

func TestReadmeNamesCallsThatThereAre(t *testing.T) {
	calls := reflect.TypeFor[*trie.Trie]()
	_, table, _ := strings.Cut(read(t, "README.md"), "| call of `trie.Trie`")
	table, _, _ = strings.Cut(table, "## ")
	for _, row := range strings.Split(table, "\n")[2:] {
		names, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for i, name := range strings.Split(names, "`") {
			if _, there := calls.MethodByName(name); i%2 == 1 && !there {
				t.Errorf("README.md names %s, which Trie does not have", name)
			}
		}
	}
}
