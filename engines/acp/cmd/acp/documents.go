package main

import (
	"fmt"
	"io"

	"assay/acp"
	"assay/acp/tuple"
)

// outcome is what became of one argument.
type outcome struct {
	Item   string `json:"item"`
	Result string `json:"result"`
}

func (c *call) printOutcomes(done []outcome) error {
	return c.print(done, func(w io.Writer) {
		for _, o := range done {
			fmt.Fprintf(w, "%s\t%s\n", o.Item, o.Result)
		}
	})
}

// each runs work on every argument. It stops at the first error; what was done before stays.
func (c *call) each(work func(e *acp.Engine, id, argument string) (result string, err error)) error {
	return c.withPolicy(func(e *acp.Engine, id string) error {
		done := []outcome{}
		for _, argument := range c.args {
			result, err := work(e, id, argument)
			if err != nil {
				if printErr := c.printOutcomes(done); printErr != nil {
					return printErr
				}
				return fmt.Errorf("%s: %w", argument, err)
			}
			done = append(done, outcome{argument, result})
		}
		return c.printOutcomes(done)
	})
}

func (c *call) parseChange() error {
	c.storeFlags()
	c.policyFlag()
	c.asFlag()
	return c.parse(1, -1, "dir", "as")
}

func parseObject(text string) (tuple.Object, error) {
	o, err := tuple.ParseObject(text)
	if err != nil {
		return o, usageError(err.Error())
	}
	return o, nil
}

func parseRelationship(text string) (tuple.Relationship, error) {
	r, err := tuple.ParseRelationship(text)
	if err != nil {
		return r, usageError(err.Error())
	}
	return r, nil
}

func runRegister(c *call) error {
	if err := c.parseChange(); err != nil {
		return err
	}
	return c.each(func(e *acp.Engine, id, argument string) (string, error) {
		o, err := parseObject(argument)
		if err != nil {
			return "", err
		}
		r, err := e.RegisterDoc(c.as, id, o.Resource, o.ID)
		if r == acp.Unarchived {
			return "unarchived", err
		}
		return "registered", err
	})
}

func runGrant(c *call) error {
	if err := c.parseChange(); err != nil {
		return err
	}
	return c.each(func(e *acp.Engine, id, argument string) (string, error) {
		r, err := parseRelationship(argument)
		if err != nil {
			return "", err
		}
		existed, err := e.AddRelationship(id, r.Object.Resource, r.Object.ID, r.Relation, c.as, target(r.Subject))
		if existed {
			return "there already", err
		}
		return "set", err
	})
}

func runRevoke(c *call) error {
	if err := c.parseChange(); err != nil {
		return err
	}
	return c.each(func(e *acp.Engine, id, argument string) (string, error) {
		r, err := parseRelationship(argument)
		if err != nil {
			return "", err
		}
		found, err := e.DeleteRelationship(id, r.Object.Resource, r.Object.ID, r.Relation, c.as, target(r.Subject))
		if !found {
			return "not there", err
		}
		return "deleted", err
	})
}

// target is a subject as AddRelationship takes it: a DID as it is, all else as text.
func target(s tuple.Subject) string {
	if s.Kind == tuple.Actor {
		return s.Object.ID
	}
	return s.String()
}

func runArchive(c *call) error {
	if err := c.parseChange(); err != nil {
		return err
	}
	return c.each(func(e *acp.Engine, id, argument string) (string, error) {
		o, err := parseObject(argument)
		if err != nil {
			return "", err
		}
		dropped, err := e.ArchiveDoc(c.as, id, o.Resource, o.ID)
		return fmt.Sprintf("archived, %d relationships dropped", dropped), err
	})
}

func runUnarchive(c *call) error {
	if err := c.parseChange(); err != nil {
		return err
	}
	return c.each(func(e *acp.Engine, id, argument string) (string, error) {
		o, err := parseObject(argument)
		if err != nil {
			return "", err
		}
		return "unarchived", e.UnarchiveDoc(c.as, id, o.Resource, o.ID)
	})
}

func runTransfer(c *call) error {
	c.storeFlags()
	c.policyFlag()
	c.asFlag()
	to := c.flags.String("to", "", "DID of the new owner (required)")
	if err := c.parse(1, -1, "dir", "as", "to"); err != nil {
		return err
	}
	return c.each(func(e *acp.Engine, id, argument string) (string, error) {
		o, err := parseObject(argument)
		if err != nil {
			return "", err
		}
		return "transferred to " + *to, e.TransferDoc(c.as, id, o.Resource, o.ID, *to)
	})
}
