package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"assay/acp"
	"assay/acp/tuple"
)

// A file of relationships has one a line, in text form. Empty lines count for nothing, and so do lines
// that begin with #, except that lines with #| at their begin hold the text of the policy.
const (
	comment    = "#"
	policyLine = "#| "
)

// loadBatch is how many relationships are one atomic change of an import.
const loadBatch = 10_000

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

func runExport(c *call) error {
	c.storeFlags()
	c.policyFlag()
	if err := c.parse(0, 0, "dir"); err != nil {
		return err
	}
	return c.withPolicy(func(e *acp.Engine, id string) error {
		s, err := e.Snapshot(id)
		if err != nil {
			return err
		}
		lines := []string{}
		for r := range s.Relationships(acp.Filter{}) {
			lines = append(lines, r.String())
		}
		slices.Sort(lines)
		info := policyInfo(e, id)
		return c.print(struct {
			policyResult
			Text          string   `json:"text"`
			Relationships []string `json:"relationships"`
		}{policyResult{id, info.Name, info.Creator}, info.Text, lines}, func(w io.Writer) {
			for line := range strings.Lines(info.Text) {
				fmt.Fprintf(w, "%s%s\n", policyLine, strings.TrimSuffix(line, "\n"))
			}
			for _, line := range lines {
				fmt.Fprintln(w, line)
			}
		})
	})
}

// imported is the result of an import.
type imported struct {
	Policy        string `json:"policy"`
	Relationships int    `json:"relationships"`
}

func runImport(c *call) (err error) {
	c.storeFlags()
	c.policyFlag()
	c.asFlag()
	c.syncFlag()
	tuples := c.flags.String("tuples", "", "file of relationships, one a line; with #| lines of a policy, as export writes them, the policy is added")
	if err := c.parse(0, 0, "dir", "tuples"); err != nil {
		return err
	}
	in, err := c.input(*tuples)
	if err != nil {
		return err
	}
	defer in.Close()
	e, err := c.open(true)
	if err != nil {
		return err
	}
	defer closeStore(e, &err)
	r := lineReader{name: *tuples, in: bufio.NewReaderSize(in, 1<<16)}
	text, err := r.policy()
	if err != nil {
		return err
	}
	var result imported
	if text == "" {
		result.Policy, err = c.policyID(e)
	} else {
		result.Policy, err = c.addImported(e, text)
	}
	if err != nil {
		return err
	}
	if result.Relationships, err = load(e, result.Policy, &r); err != nil {
		return err
	}
	return c.print(result, func(w io.Writer) {
		fmt.Fprintf(w, "%d relationships, policy %s\n", result.Relationships, result.Policy)
	})
}

func (c *call) addImported(e *acp.Engine, text string) (string, error) {
	switch {
	case c.as == "":
		return "", usageError("--as is missing: the file has a policy, which needs a creator")
	case c.policy != "":
		return "", usageError("--policy is given, but the file has a policy of its own")
	}
	id, err := e.AddPolicy(c.as, text)
	return id, c.problems("policy of the import", err)
}

// load sets the relationships batch by batch. Those of the batches before an error stay.
func load(e *acp.Engine, id string, r *lineReader) (done int, err error) {
	batch := make([]tuple.Relationship, 0, loadBatch)
	for {
		batch = batch[:0]
		from := r.line + 1
		for len(batch) < loadBatch {
			t, err := r.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return done, err
			}
			batch = append(batch, t)
		}
		if len(batch) == 0 {
			return done, nil
		}
		if err := e.Load(id, batch); err != nil {
			return done, fmt.Errorf("%s, lines %d to %d: %w", r.name, from, r.line, err)
		}
		done += len(batch)
	}
}

// lineReader reads a file of relationships.
type lineReader struct {
	name string
	in   *bufio.Reader
	line int
}

// policy reads the text of the policy at the begin of the file, "" when there is none.
func (r *lineReader) policy() (string, error) {
	var text strings.Builder
	for {
		begin, err := r.in.Peek(len(policyLine) - 1)
		if err != nil && err != io.EOF {
			return "", err
		}
		if string(begin) != policyLine[:len(policyLine)-1] {
			return text.String(), nil
		}
		line, err := r.text()
		if err != nil {
			return "", err
		}
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "#|"), " "))
		text.WriteByte('\n')
	}
}

func (r *lineReader) text() (string, error) {
	line, err := r.in.ReadString('\n')
	if line == "" {
		return "", err
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	r.line++
	return strings.TrimSuffix(line, "\n"), nil
}

// next returns the next relationship; io.EOF behind the last.
func (r *lineReader) next() (tuple.Relationship, error) {
	for {
		line, err := r.text()
		if err != nil {
			return tuple.Relationship{}, err
		}
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, comment) {
			continue
		}
		t, err := tuple.ParseRelationship(line)
		if err != nil {
			return t, usageError(fmt.Sprintf("%s:%d: %v", r.name, r.line, err))
		}
		return t, nil
	}
}
