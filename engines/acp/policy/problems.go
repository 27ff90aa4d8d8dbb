package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a policy's text.
type Problem struct {
	Line, Column int // from 1; the column counts characters
	Message      string

	early bool // found before the published engine gives the policy a number
}

func (p Problem) String() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message) }

// Problems is the error of Parse: all problems of a text, in the order of the text.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Counts reports whether the refused policy takes a number of the counter that policy ids are made
// with, as it does where the published engine refuses it: it does when the text could be read, has a
// name, an owner relation in each resource, and manages only relations that exist.
func (ps Problems) Counts() bool {
	return !slices.ContainsFunc(ps, func(p Problem) bool { return p.early })
}

// sorted returns the problems in the order of the text, each once, or nil where there are none.
func (ps Problems) sorted() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(ps)
}
