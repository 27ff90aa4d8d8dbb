package acp_test

import (
	"os"
	"strings"
	"testing"
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
	if !strings.Contains(read(t, "example_test.go"), indented) {
		t.Error("the code in README.md is not part of example_test.go")
	}
}

// The command line's session, with its files, is one that cmd/acp runs.
func TestReadmeSessionIsRun(t *testing.T) {
	script := read(t, "cmd/acp/testdata/readme.txt")
	_, section, _ := strings.Cut(read(t, "README.md"), "## Command line\n")
	blocks := 0
	for _, kind := range []string{"text", "yaml"} {
		for _, part := range strings.Split(section, "```"+kind+"\n")[1:] {
			block, _, _ := strings.Cut(part, "```")
			blocks++
			if !strings.Contains(script, block) {
				t.Errorf("no part of the script:\n%s", block)
			}
		}
	}
	if blocks != 3 {
		t.Errorf("%d blocks, expected the policy, the session and the test file", blocks)
	}
}
