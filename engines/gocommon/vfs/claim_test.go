package vfs

import (
	"errors"
	"path"
	"strings"
	"testing"
)

func TestClaim(t *testing.T) {
	file := func(name string) bool { return strings.HasSuffix(name, ".seg") }
	unfinished := func(name string) bool { return strings.HasSuffix(name, ".seg.tmp") }
	for names, want := range map[string]error{
		"": nil, "a.seg": nil, "a.seg.tmp": nil, "a.seg a.seg.tmp": nil, "notes a.seg": nil,
		"notes": ErrForeign, "notes.tmp": ErrForeign, "a.seg.tmp notes": ErrForeign, ".hidden": ErrForeign,
	} {
		mem := NewMem()
		if err := mem.MkdirAll("dir"); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(names) {
			if _, err := mem.Create(path.Join("dir", name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := Claim(mem, "dir", file, unfinished); !errors.Is(err, want) {
			t.Errorf("%q: %v, expected %v", names, err, want)
		}
	}
}
