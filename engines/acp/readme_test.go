package acp_test

import (
	"os"
	"strings"
	"testing"
)

func TestReadmeCodeIsTheExample(t *testing.T) {
	read := func(path string) string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	_, after, _ := strings.Cut(read("README.md"), "```go\n")
	code, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("README.md has no Go code")
	}
	indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t")
	if !strings.Contains(read("example_test.go"), indented) {
		t.Error("the code in README.md is not part of example_test.go")
	}
}
