package main

import (
	"bufio"
	"cmp"
	"errors"
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

func runImport(c *call) error {
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
	var read source
	var f *foreign
	var err error
	switch given := [...]bool{*tuples != "", *store != "", *model != "", *validation != ""}; {
	case *modelTuples != "" && *model == "":
		return usageError("--openfga-tuples is given, but no --openfga-model")
	case given == [...]bool{true, false, false, false}:
		read, err = c.readLines(*tuples)
	case given == [...]bool{false, true, false, false}:
		f, _, err = openOpenFGA(*store)
	case given == [...]bool{false, false, true, false}:
		f, err = openOpenFGAModel(*model, *modelTuples)
	case given == [...]bool{false, false, false, true}:
		f, _, err = openSpiceDB(*validation)
	default:
		return usageError("expected one of --tuples, --openfga, --openfga-model and --spicedb")
	}
	if f != nil && err == nil {
		read, err = f.source(cmp.Or(*store, *model, *validation))
	}
	if err != nil {
		return asInput(err)
	}
	return c.importFrom(read)
}

// source is what an import sets, all of it or nothing.
type source struct {
	name          string // of the file
	policy        string // text, "" where the file has none
	relationships []tuple.Relationship
	archived      []tuple.Relationship // archived documents with their owners
}

func (c *call) importFrom(read source) (err error) {
	switch {
	case read.policy != "" && c.as == "":
		return usageError("--as is missing: the file has a policy, which needs a creator")
	case read.policy != "" && c.policy != "":
		return usageError("--policy is given, but the file has a policy of its own")
	}
	e, err := c.open(read.policy != "", true)
	if err != nil {
		return err
	}
	defer c.closeStore(e, &err)
	result := imported{Relationships: len(read.relationships)}
	if read.policy == "" {
		if result.Policy, err = c.policyID(e); err == nil {
			err = e.Load(result.Policy, read.relationships, read.archived)
		}
	} else {
		result.Policy, err = e.ImportPolicy(c.as, read.policy, read.relationships, read.archived)
	}
	var refused policy.Problems
	if errors.As(err, &refused) {
		return c.problems("policy of the import", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", read.name, err)
	}
	return c.print(result, func(w io.Writer) {
		fmt.Fprintf(w, "%d relationships, policy %s\n", result.Relationships, result.Policy)
	})
}

// readLines reads a file of relationships.
func (c *call) readLines(name string) (source, error) {
	read := source{name: name}
	in, err := c.input(name, maxTuplesBytes)
	if err != nil {
		return read, err
	}
	defer in.Close()
	r := &lineReader{name: name, in: bufio.NewReaderSize(in, 1<<16)}
	if read.policy, err = r.policy(); err != nil {
		return read, err
	}
	for {
		t, archived, err := r.next()
		switch {
		case err == io.EOF:
			return read, nil
		case err != nil:
			return read, err
		case archived:
			read.archived = append(read.archived, t)
		default:
			read.relationships = append(read.relationships, t)
		}
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
		if text.Len()+len(line) > maxFileBytes {
			return "", r.tooLong(r.line, "policy")
		}
		text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "#|"), " "))
		text.WriteByte('\n')
	}
}

func (r *lineReader) text() (string, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxFileBytes:
			return "", r.tooLong(r.line+1, "line")
		case err == bufio.ErrBufferFull:
			continue
		case len(line) == 0 || err != nil && err != io.EOF:
			return "", err
		}
		r.line++
		return strings.TrimSuffix(string(line), "\n"), nil
	}
}

func (r *lineReader) tooLong(line int, what string) error {
	return usageError(fmt.Sprintf("%s:%d: expected a %s of at most %d bytes", r.name, line, what, maxFileBytes))
}

// next returns the next relationship, or the owner of an archived document; io.EOF behind the last.
func (r *lineReader) next() (t tuple.Relationship, archived bool, err error) {
	for {
		line, err := r.text()
		if err != nil {
			return t, false, err
		}
		line, archived := strings.CutPrefix(line, archivedLine)
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, comment) {
			continue
		}
		if t, err = tuple.ParseRelationship(line); err != nil {
			return t, false, usageError(fmt.Sprintf("%s:%d: %v", r.name, r.line, err))
		}
		return t, archived, nil
	}
}
