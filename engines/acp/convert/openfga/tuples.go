package openfga

import (
	"fmt"
	"strings"
	"unicode"

	"assay/acp/convert"
)

// Tuple is a relationship tuple.
type Tuple struct {
	User      string         `yaml:"user" json:"user"`
	Relation  string         `yaml:"relation" json:"relation"`
	Object    string         `yaml:"object" json:"object"`
	Condition map[string]any `yaml:"condition" json:"condition"`
}

// validID tells whether the server takes an id: not empty, without spaces, control characters,
// # and colon. Its editor refuses more, such as the comma in the names of a directory service.
func validID(id string) bool {
	return id != "" && !strings.ContainsFunc(id, func(r rune) bool {
		return r == '#' || r == ':' || r == ' ' || unicode.IsControl(r)
	})
}

// ParseObject reads type:id.
func ParseObject(text string) (convert.Ref, error) {
	ref, err := convert.ParseRef(text)
	if err != nil || ref.Relation != "" || ref.ID == "*" || !validID(ref.ID) {
		return ref, fmt.Errorf("%q is no object: expected type:id without space, # and colon in the id", text)
	}
	return ref, nil
}

// ParseUser reads type:id, type:* or type:id#relation. Usersets have no * in them.
func ParseUser(text string) (convert.Ref, error) {
	ref, err := convert.ParseRef(text)
	if err != nil || !validID(ref.ID) || ref.Relation != "" && strings.Contains(ref.ID+ref.Relation, "*") {
		return ref, fmt.Errorf("%q is no user: expected type:id, type:* or type:id#relation without space, # and colon in the id", text)
	}
	return ref, nil
}

// Fact reads a tuple.
func (t Tuple) Fact() (convert.Fact, error) {
	name := t.User + " " + t.Relation + " " + t.Object
	if t.Condition != nil {
		return convert.Fact{}, &convert.Unsupported{Feature: convert.Conditions, Where: name}
	}
	object, err := ParseObject(t.Object)
	if err != nil {
		return convert.Fact{}, fmt.Errorf("tuple %s: object: %w", name, err)
	}
	user, err := ParseUser(t.User)
	if err != nil {
		return convert.Fact{}, fmt.Errorf("tuple %s: user: %w", name, err)
	}
	return convert.Fact{Object: object, Relation: t.Relation, Subject: user}, nil
}
