package main

import (
	"fmt"
	"io"
	"strings"

	"assay/acp"
	"assay/acp/impact"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// relationshipFlags is the value of a flag that may be repeated.
type relationshipFlags []tuple.Relationship

func (f *relationshipFlags) String() string { return "" }

func (f *relationshipFlags) Set(text string) error {
	r, err := tuple.ParseRelationship(text)
	*f = append(*f, r)
	return err
}

// changeResult is a permission that somebody would gain or lose.
type changeResult struct {
	Gained     bool     `json:"gained"`
	Actor      string   `json:"actor"` // * is everyone
	Except     []string `json:"except,omitempty"`
	Permission string   `json:"permission"` // object#permission
}

func runImpact(c *call) error {
	c.storeFlags()
	c.policyFlag()
	var add, remove relationshipFlags
	c.flags.Var(&add, "add", "a relationship that would be set (may be repeated)")
	c.flags.Var(&remove, "remove", "a relationship that would be deleted (may be repeated)")
	edit := c.flags.String("edit", "", "file with the text that the policy would get")
	if err := c.parse(0, 0, "dir"); err != nil {
		return err
	}
	if (*edit != "") == (len(add)+len(remove) > 0) {
		return usageError("expected --edit, or --add and --remove")
	}
	return c.withPolicy(func(e *acp.Engine, id string) error {
		s, err := e.Snapshot(id)
		if err != nil {
			return err
		}
		i, err := c.impactOf(s, *edit, add, remove)
		if err != nil {
			return err
		}
		result := []changeResult{}
		for change := range i.Changes() {
			result = append(result, resultOf(change))
		}
		return c.print(result, func(w io.Writer) {
			for _, r := range result {
				who := r.Actor
				if len(r.Except) > 0 {
					who += " except " + strings.Join(r.Except, " ")
				}
				fmt.Fprintf(w, "%s\t%s\t%s\n", map[bool]string{true: "gains", false: "loses"}[r.Gained], r.Permission, who)
			}
		})
	})
}

func (c *call) impactOf(s *acp.Snapshot, edit string, add, remove []tuple.Relationship) (*impact.Impact, error) {
	if edit == "" {
		return impact.OfGrants(s, add, remove)
	}
	text, err := c.readInput(edit)
	if err != nil {
		return nil, err
	}
	p, err := policy.Parse([]byte(text), policy.Options{})
	if err != nil {
		return nil, c.problems(edit, err)
	}
	return impact.OfPolicy(s, p)
}

func resultOf(change impact.Change) changeResult {
	who := tuple.Subject{Kind: tuple.All}
	if !change.Everyone {
		who = tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: change.Actor}}
	}
	asked := tuple.Relationship{Object: change.Object, Relation: change.Permission, Subject: who}
	r := changeResult{Gained: change.Gained, Actor: who.String(), Permission: strings.TrimSuffix(asked.String(), "@"+who.String())}
	for _, actor := range change.Except {
		r.Except = append(r.Except, subject(actor))
	}
	return r
}
