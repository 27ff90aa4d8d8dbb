package graph_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// TestDumpWithDoubles: a name or fact that is there twice is refused, since only one would be found.
func TestDumpWithDoubles(t *testing.T) {
	p, err := policy.Parse([]byte(listPolicy), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New(p)
	for _, text := range []string{"doc:first#reader@did:key:a", "doc:other#reader@did:key:a"} {
		r, err := tuple.ParseRelationship(text)
		if err != nil {
			t.Fatal(err)
		}
		apply(t, g, r, false)
	}
	var dump bytes.Buffer
	if err := g.Dump().Write(&dump); err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) error {
		_, err := graph.Read(p, bufio.NewReader(bytes.NewReader(b)))
		return err
	}
	if err := read(dump.Bytes()); err != nil {
		t.Fatal(err)
	}
	name := bytes.Replace(dump.Bytes(), []byte("other"), []byte("first"), 1)
	fact := bytes.Clone(dump.Bytes())
	copy(fact[len(fact)-16:], fact[len(fact)-32:])
	for want, b := range map[string][]byte{"name 3 is there twice": name, "fact 2 is there twice": fact} {
		if err := read(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
