package main

import (
	"errors"
	"fmt"
	"io"

	"assay/acp"
	"assay/acp/policy"
)

func runPolicyAdd(c *call) (err error) {
	c.storeFlags()
	c.asFlag()
	if err := c.parse(1, 1, "dir", "as"); err != nil {
		return err
	}
	text, err := c.readInput(c.args[0])
	if err != nil {
		return err
	}
	e, err := c.open(true, false)
	if err != nil {
		return err
	}
	defer c.closeStore(e, &err)
	id, err := e.AddPolicy(c.as, text)
	if err != nil {
		return c.problems(c.args[0], err)
	}
	return c.print(struct {
		ID string `json:"id"`
	}{id}, func(w io.Writer) { fmt.Fprintln(w, id) })
}

// problems says where a refused policy stands; the refusal is an answer, not a wrong call.
func (c *call) problems(file string, err error) error {
	var list policy.Problems
	if !errors.As(err, &list) {
		return err
	}
	for _, p := range list {
		fmt.Fprintf(c.stderr, "%s:%v\n", file, p)
	}
	return errNo
}

func runPolicyEdit(c *call) error {
	c.storeFlags()
	c.policyFlag()
	c.asFlag()
	if err := c.parse(1, 1, "dir", "as"); err != nil {
		return err
	}
	text, err := c.readInput(c.args[0])
	if err != nil {
		return err
	}
	return c.withPolicy(func(e *acp.Engine, id string) error {
		return c.problems(c.args[0], e.EditPolicy(c.as, id, text))
	})
}

func runPolicyDelete(c *call) error {
	c.storeFlags()
	c.policyFlag()
	c.asFlag()
	if err := c.parse(0, 0, "dir", "as", "policy"); err != nil {
		return err
	}
	return c.withPolicy(func(e *acp.Engine, id string) error { return e.DeletePolicy(c.as, id) })
}

type policyResult struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Creator string `json:"creator"`
}

func runPolicyList(c *call) error {
	c.storeFlags()
	if err := c.parse(0, 0, "dir"); err != nil {
		return err
	}
	return c.with(func(e *acp.Engine) error {
		list := []policyResult{}
		for _, p := range e.Policies() {
			list = append(list, policyResult{p.ID, p.Name, p.Creator})
		}
		return c.print(list, func(w io.Writer) {
			for _, p := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.ID, p.Name, p.Creator)
			}
		})
	})
}

func runPolicyShow(c *call) error {
	c.storeFlags()
	c.policyFlag()
	if err := c.parse(0, 0, "dir"); err != nil {
		return err
	}
	return c.withPolicy(func(e *acp.Engine, id string) error {
		info := policyInfo(e, id)
		return c.print(struct {
			policyResult
			Text string `json:"text"`
		}{policyResult{id, info.Name, info.Creator}, info.Text}, func(w io.Writer) { io.WriteString(w, info.Text) })
	})
}

func policyInfo(e *acp.Engine, id string) acp.PolicyInfo {
	for _, p := range e.Policies() {
		if p.ID == id {
			return p
		}
	}
	return acp.PolicyInfo{}
}

func runPolicyCheck(c *call) error {
	lenient := c.flags.Bool("lenient", false, "accept what the published engine accepts")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	text, err := c.readInput(c.args[0])
	if err != nil {
		return err
	}
	type problem struct {
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
	}
	found := []problem{}
	_, err = policy.Parse([]byte(text), policy.Options{Lenient: *lenient})
	var list policy.Problems
	if err != nil && !errors.As(err, &list) {
		return err
	}
	for _, p := range list {
		found = append(found, problem{p.Line, p.Column, p.Message})
	}
	err = c.print(found, func(w io.Writer) {
		for _, p := range found {
			fmt.Fprintf(w, "%s:%d:%d: %s\n", c.args[0], p.Line, p.Column, p.Message)
		}
	})
	if err == nil && len(found) > 0 {
		err = errNo
	}
	return err
}
