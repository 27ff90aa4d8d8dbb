package main

import (
	"errors"
	"fmt"
	"io"

	"assay/acp"
	"assay/acp/tuple"
)

// question is object#permission@actor; @* asks for an actor without identity, whom only * stands for.
func parseQuestion(text string) (acp.Question, error) {
	r, err := parseRelationship(text)
	if err != nil {
		return acp.Question{}, err
	}
	q := acp.Question{Permission: r.Relation, Object: r.Object, Actor: r.Subject.Object.ID}
	if r.Subject.Kind != tuple.Actor && r.Subject.Kind != tuple.All {
		return q, usageError(fmt.Sprintf("question %q asks for %s, expected an actor or *", text, r.Subject))
	}
	return q, nil
}

func runCheck(c *call) error {
	c.storeFlags()
	c.policyFlag()
	if err := c.parse(1, -1, "dir"); err != nil {
		return err
	}
	var questions []acp.Question
	for _, argument := range c.args {
		q, err := parseQuestion(argument)
		if err != nil {
			return err
		}
		questions = append(questions, q)
	}
	return c.withPolicy(func(e *acp.Engine, id string) error {
		s, err := e.Snapshot(id)
		if err != nil {
			return err
		}
		answers, err := s.CheckMany(questions)
		if err != nil {
			return err
		}
		type answer struct {
			Question string `json:"question"`
			Allowed  bool   `json:"allowed"`
		}
		var result []answer
		verdict := error(nil)
		for i, allowed := range answers {
			result = append(result, answer{c.args[i], allowed})
			if !allowed {
				verdict = errNo
			}
		}
		err = c.print(result, func(w io.Writer) {
			for _, a := range result {
				fmt.Fprintf(w, "%s\t%s\n", a.Question, map[bool]string{true: "yes", false: "no"}[a.Allowed])
			}
		})
		if err != nil {
			return err
		}
		return verdict
	})
}

const pageLimit = 10_000

func runList(c *call) error {
	c.storeFlags()
	c.policyFlag()
	permission := c.flags.String("permission", "", "permission or relation (required)")
	actor := c.flags.String("actor", "", "list the documents on which this actor has the permission")
	resource := c.flags.String("resource", "", "resource of these documents")
	object := c.flags.String("object", "", "list the actors that have the permission on this object")
	if err := c.parse(0, 0, "dir", "permission"); err != nil {
		return err
	}
	switch {
	case c.given("actor") && c.given("resource") && *object == "":
		return c.withPolicy(func(e *acp.Engine, id string) error { return c.listObjects(e, id, *resource, *permission, *actor) })
	case *object != "" && !c.given("actor") && !c.given("resource"):
		o, err := parseObject(*object)
		if err != nil {
			return err
		}
		return c.withPolicy(func(e *acp.Engine, id string) error { return c.listActors(e, id, o, *permission) })
	}
	return usageError("expected --actor and --resource, or --object")
}

func (c *call) listObjects(e *acp.Engine, id, resource, permission, actor string) error {
	s, err := e.Snapshot(id)
	if err != nil {
		return err
	}
	found := []string{}
	for cursor := ""; ; {
		ids, next, err := s.ListObjects(resource, permission, actor, cursor, pageLimit)
		if err != nil {
			return err
		}
		for _, id := range ids {
			found = append(found, tuple.Object{Resource: resource, ID: id}.String())
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	return c.print(found, func(w io.Writer) {
		for _, o := range found {
			fmt.Fprintln(w, o)
		}
	})
}

func (c *call) listActors(e *acp.Engine, id string, object tuple.Object, permission string) error {
	s, err := e.Snapshot(id)
	if err != nil {
		return err
	}
	result := struct {
		Everyone bool     `json:"everyone"`
		Actors   []string `json:"actors"`
		Except   []string `json:"except"`
	}{Actors: []string{}, Except: []string{}}
	for cursor := ""; ; {
		page, err := s.ListActors(object, permission, cursor, pageLimit)
		if err != nil {
			return err
		}
		result.Everyone = page.Everyone
		result.Actors = append(result.Actors, page.Actors...)
		result.Except = append(result.Except, page.Except...)
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	return c.print(result, func(w io.Writer) {
		if result.Everyone {
			fmt.Fprintln(w, "*")
		}
		for _, a := range result.Actors {
			fmt.Fprintln(w, subject(a))
		}
		for _, a := range result.Except {
			fmt.Fprintf(w, "except %s\n", subject(a))
		}
	})
}

// subject is an actor as it stands in a relationship.
func subject(actor string) string {
	return tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: actor}}.String()
}

func runStats(c *call) error {
	c.storeFlags()
	if err := c.parse(0, 0, "dir"); err != nil {
		return err
	}
	return c.with(func(e *acp.Engine) error {
		type counted struct {
			policyResult
			Relationships int            `json:"relationships"`
			ByRelation    map[string]int `json:"by_relation"`
		}
		r := e.Recovery()
		result := struct {
			Policies []counted `json:"policies"`
			Snapshot uint64    `json:"snapshot_records"`
			Replayed uint64    `json:"replayed_records"`
			CutBytes int64     `json:"cut_bytes"`
		}{[]counted{}, r.Snapshot, r.Records, r.CutBytes}
		for _, p := range e.Policies() {
			s, err := e.Snapshot(p.ID)
			if errors.Is(err, acp.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			n := counted{policyResult{p.ID, p.Name, p.Creator}, 0, map[string]int{}}
			for r := range s.Relationships(acp.Filter{}) {
				n.Relationships++
				n.ByRelation[r.Object.Resource+"#"+r.Relation]++
			}
			result.Policies = append(result.Policies, n)
		}
		return c.print(result, func(w io.Writer) {
			fmt.Fprintf(w, "%d records in the snapshot, %d behind it, %d bytes of a torn tail cut off\n", result.Snapshot, result.Replayed, result.CutBytes)
			for _, p := range result.Policies {
				fmt.Fprintf(w, "%s\t%s\t%d relationships\n", p.ID, p.Name, p.Relationships)
				for _, relation := range sortedKeys(p.ByRelation) {
					fmt.Fprintf(w, "  %s\t%d\n", relation, p.ByRelation[relation])
				}
			}
		})
	})
}
