package openfga

import (
	"fmt"
	"regexp"

	"assay/acp/convert"
)

// Tuple is a relationship tuple.
type Tuple struct {
	User      string         `yaml:"user" json:"user"`
	Relation  string         `yaml:"relation" json:"relation"`
	Object    string         `yaml:"object" json:"object"`
	Condition map[string]any `yaml:"condition" json:"condition"`
}

var objectID = regexp.MustCompile(`^[^\s#:*][^\s#:,]*$`)

// ValidObjectID tells whether an object can have an id: no space, # , : or comma, and no * at its begin.
func ValidObjectID(id string) bool { return objectID.MatchString(id) }

// Fact reads a tuple.
func (t Tuple) Fact() (convert.Fact, error) {
	if t.Condition != nil {
		return convert.Fact{}, &convert.Unsupported{Feature: convert.Conditions, Where: t.User + " " + t.Relation + " " + t.Object}
	}
	object, err := convert.ParseRef(t.Object)
	if err == nil && (object.Relation != "" || !ValidObjectID(object.ID)) {
		err = fmt.Errorf("%q is no object: expected type:id", t.Object)
	}
	if err != nil {
		return convert.Fact{}, fmt.Errorf("object: %w", err)
	}
	user, err := convert.ParseRef(t.User)
	if err == nil && user.ID != "*" && !ValidObjectID(user.ID) {
		err = fmt.Errorf("%q is no id", user.ID)
	}
	if err != nil {
		return convert.Fact{}, fmt.Errorf("user: %w", err)
	}
	return convert.Fact{Object: object, Relation: t.Relation, Subject: user}, nil
}
