package rewardpool_test

import (
	"os"
	"strings"
	"testing"

	"assay/rewardpool/pool"
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

func TestReadmeNamesEveryDurability(t *testing.T) {
	readme := read(t, "README.md")
	for _, mode := range pool.Durabilities {
		if !strings.Contains(readme, "\n| `"+mode.String()+"` |") {
			t.Errorf("README.md lacks durability %s", mode)
		}
	}
}
