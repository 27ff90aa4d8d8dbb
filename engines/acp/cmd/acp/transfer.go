package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"assay/acp"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// A file of relationships has one a line, in text form. Empty lines count for nothing, and so do lines
// that begin with #, with two exceptions: those with #| at the begin of the file are the text of the
// policy, and those with #archived give an archived document with its owner.
const (
	comment      = "#"
	policyLine   = "#| "
	archivedLine = "#archived "
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
		archived := []string{}
		for object, owner := range s.Archived() {
			archived = append(archived, ownership(object, owner).String())
		}
		slices.Sort(archived)
		info := policyInfo(e, id)
		return c.print(struct {
			policyResult
			Text          string   `json:"text"`
			Relationships []string `json:"relationships"`
			Archived      []string `json:"archived"`
		}{policyResult{id, info.Name, info.Creator}, info.Text, lines, archived}, func(w io.Writer) {
			for line := range strings.Lines(info.Text) {
				fmt.Fprintf(w, "%s%s\n", policyLine, strings.TrimSuffix(line, "\n"))
			}
			for _, line := range lines {
				fmt.Fprintln(w, line)
			}
			for _, line := range archived {
				fmt.Fprintf(w, "%s%s\n", archivedLine, line)
			}
		})
	})
}

func ownership(object tuple.Object, owner string) tuple.Relationship {
	return tuple.Relationship{Object: object, Relation: policy.Owner,
		Subject: tuple.Subject{Kind: tuple.Actor, Object: tuple.Object{ID: owner}}}
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
	store := c.flags.String("openfga", "", "OpenFGA store file: its model becomes a policy, its tuples relationships")
	model := c.flags.String("openfga-model", "", "OpenFGA model, in its language or JSON")
	modelTuples := c.flags.String("openfga-tuples", "", "tuples for --openfga-model, a list in YAML or JSON")
	validation := c.flags.String("spicedb", "", "SpiceDB validation file: its schema becomes a policy")
	if err := c.parse(0, 0, "dir"); err != nil {
		return err
	}
	var source relationships
	var text string
	var f *foreign
	switch given := [...]bool{*tuples != "", *store != "", *model != "", *validation != ""}; given {
	case [...]bool{true, false, false, false}:
		in, err := c.input(*tuples)
		if err != nil {
			return err
		}
		defer in.Close()
		r := &lineReader{name: *tuples, in: bufio.NewReaderSize(in, 1<<16)}
		if text, err = r.policy(); err != nil {
			return err
		}
		source = r
	case [...]bool{false, true, false, false}:
		f, _, err = openOpenFGA(*store)
	case [...]bool{false, false, true, false}:
		f, err = openOpenFGAModel(*model, *modelTuples)
	case [...]bool{false, false, false, true}:
		f, _, err = openSpiceDB(*validation)
	default:
		return usageError("expected one of --tuples, --openfga, --openfga-model and --spicedb")
	}
	if f != nil && err == nil {
		text = policy.Format(f.im.Policy)
		source, err = f.source()
	}
	if err != nil {
		return asInput(err)
	}
	return c.importFrom(source, text)
}

func (c *call) importFrom(source relationships, text string) (err error) {
	e, err := c.open(true, true)
	if err != nil {
		return err
	}
	defer closeStore(e, &err)
	var result imported
	if text == "" {
		result.Policy, err = c.policyID(e)
	} else {
		result.Policy, err = c.addImported(e, text)
	}
	if err != nil {
		return err
	}
	if result.Relationships, err = load(e, result.Policy, source); err != nil {
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

// relationships come one by one; io.EOF is behind the last. place says where the next one is.
type relationships interface {
	next() (tuple.Relationship, error)
	place() string
	// archived are the documents to archive behind the last, with their owners.
	archived() []tuple.Relationship
}

// load sets the relationships batch by batch. Those of the batches before an error stay.
func load(e *acp.Engine, id string, from relationships) (done int, err error) {
	batch := make([]tuple.Relationship, 0, loadBatch)
	for {
		batch = batch[:0]
		for len(batch) < loadBatch {
			t, err := from.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return done, err
			}
			batch = append(batch, t)
		}
		if len(batch) == 0 {
			return done, archive(e, id, from.archived())
		}
		if err := e.Load(id, batch); err != nil {
			return done, fmt.Errorf("%s: %w", from.place(), err)
		}
		done += len(batch)
	}
}

func archive(e *acp.Engine, id string, owned []tuple.Relationship) error {
	if err := e.Load(id, owned); err != nil {
		return err
	}
	for _, r := range owned {
		if _, err := e.ArchiveDoc(r.Subject.Object.ID, id, r.Object.Resource, r.Object.ID); err != nil {
			return err
		}
	}
	return nil
}

// lineReader reads a file of relationships.
type lineReader struct {
	name string
	in   *bufio.Reader
	line int
	kept []tuple.Relationship // of #archived lines
}

func (r *lineReader) archived() []tuple.Relationship { return r.kept }

func (r *lineReader) place() string {
	return fmt.Sprintf("%s, the %d lines that end at %d", r.name, min(r.line, loadBatch), r.line)
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
		line, archived := strings.CutPrefix(line, archivedLine)
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, comment) {
			continue
		}
		t, err := tuple.ParseRelationship(line)
		if err != nil {
			return t, usageError(fmt.Sprintf("%s:%d: %v", r.name, r.line, err))
		}
		if archived {
			r.kept = append(r.kept, t)
			continue
		}
		return t, nil
	}
}
