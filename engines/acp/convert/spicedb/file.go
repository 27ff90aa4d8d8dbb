package spicedb

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"assay/acp/convert"
	"assay/acp/convert/yamltext"
)

// objectID is what an id can be: core.v1.ObjectReference of the published API.
var objectID = regexp.MustCompile(`^[a-zA-Z0-9/_|\-=+]+$`)

// File is a validation file: a schema with relationships and assertions.
type File struct {
	Schema        string `yaml:"schema"`
	SchemaFile    string `yaml:"schemaFile"` // beside it, instead of the schema
	Relationships string `yaml:"relationships"`
	Assertions    struct {
		True     []string `yaml:"assertTrue"`
		False    []string `yaml:"assertFalse"`
		Caveated []string `yaml:"assertCaveated"`
	} `yaml:"assertions"`
	Validation map[string][]string `yaml:"validation"` // who has what, exhaustively
}

// ReadFile reads a validation file, and its schema from the files beside it if it names one.
func ReadFile(data []byte, beside fs.FS) (*File, error) {
	f := &File{}
	if err := yamltext.Read(data, f); err != nil {
		return nil, err
	}
	switch {
	case f.SchemaFile == "":
		return f, nil
	case f.Schema != "":
		return nil, errors.New("expected schema or schemaFile, found both")
	}
	schema, err := fs.ReadFile(beside, path.Clean(f.SchemaFile))
	f.Schema = string(schema)
	return f, err
}

// Import makes a policy of a schema.
func Import(schema, name string) (*convert.Import, error) {
	s, err := Parse(schema)
	if err != nil {
		return nil, err
	}
	s.Name = name
	return convert.New(s)
}

// ParseRelationships reads one relationship a line. Lines that begin with // are comments.
func ParseRelationships(text string) ([]convert.Fact, error) {
	var facts []convert.Fact
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		f, err := ParseRelationship(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		facts = append(facts, f)
	}
	return facts, nil
}

// ParseRelationship reads type:id#relation@type:id, the latter also with #relation. An assertion is
// written in the same way.
func ParseRelationship(text string) (convert.Fact, error) {
	object, subject, found := strings.Cut(text, "@")
	o, err := convert.ParseRef(object)
	if err != nil || !found || o.Relation == "" {
		return convert.Fact{}, fmt.Errorf("%q: expected type:id#relation@type:id", text)
	}
	switch {
	case strings.Contains(subject, " with "):
		return convert.Fact{}, &convert.Unsupported{Feature: convert.Conditions, Where: text}
	case strings.Contains(subject, "[expiration:"):
		return convert.Fact{}, &convert.Unsupported{Feature: convert.Expiration, Where: text}
	case strings.Contains(subject, "["):
		return convert.Fact{}, &convert.Unsupported{Feature: convert.Conditions, Where: text}
	}
	s, err := convert.ParseRef(strings.TrimSuffix(subject, "#..."))
	if err != nil {
		return convert.Fact{}, fmt.Errorf("%q: subject: %w", text, err)
	}
	if !objectID.MatchString(o.ID) || s.ID != "*" && !objectID.MatchString(s.ID) {
		return convert.Fact{}, fmt.Errorf("%q: expected ids of letters, digits and / _ | - = +", text)
	}
	f := convert.Fact{Object: o, Relation: o.Relation, Subject: s}
	f.Object.Relation = ""
	return f, nil
}
