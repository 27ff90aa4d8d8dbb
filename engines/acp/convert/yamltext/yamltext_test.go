package yamltext_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/acp/convert/yamltext"
)

// TestAliases: aliases are read, unless a document has more values by them than bytes.
func TestAliases(t *testing.T) {
	var few map[string][]string
	if err := yamltext.Read([]byte("a: &x [one, two]\nb: *x\n"), &few); err != nil || len(few["b"]) != 2 {
		t.Errorf("got %v, %v", few, err)
	}
	many := "l0: &l0 [x, x]\n"
	for i := 1; i < 16; i++ {
		many += fmt.Sprintf("l%d: &l%d [*l%d, *l%d]\n", i, i, i-1, i-1)
	}
	for _, text := range []string{many, "a: &a [*a]\n", "&a {b: *a}\n"} {
		var into map[string]any
		if err := yamltext.Read([]byte(text), &into); err == nil || !strings.Contains(err.Error(), "those behind aliases counted each time") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
