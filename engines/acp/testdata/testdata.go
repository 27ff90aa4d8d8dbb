// Package testdata holds cases of others that the engine is tested with; PROVENANCE.md says whose.
package testdata

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
)

//go:embed generated openfga openfga-language openfga-sample-stores spicedb
var files embed.FS

// Files are the cases as they were published, those with the suffix .gz compressed.
var Files fs.FS = files

// Read returns a file, decompressed where it is stored with the suffix .gz.
func Read(name string) ([]byte, error) {
	packed, err := files.ReadFile(name + ".gz")
	if err != nil {
		return files.ReadFile(name)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return io.ReadAll(z)
}

func decode(name string, into any) error {
	data, err := Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Scenario is a policy with relationships and checks whose answers are known.
type Scenario struct {
	Name          string
	Category      string // union, algebra, ttu, userset, wildcard or mixed
	Policy        string
	Owner         string   // registers all objects
	Objects       []string // resource:id
	Relationships []string // object#relation@subject
	Actors        []string
	Checks        []Check
}

// Check asks whether an actor has a permission.
type Check struct {
	Object     string // resource:id
	Permission string
	Actor      string
	Want       bool // by set semantics
	Published  bool // what the published engine answered
}

// Algebra returns scenarios whose answers were worked out by set semantics.
func Algebra() ([]Scenario, error) {
	var file struct {
		Scenarios []struct {
			Scenario
			Checks [][5]any
		}
	}
	if err := decode("generated/algebra_scenarios.json", &file); err != nil {
		return nil, err
	}
	scenarios := make([]Scenario, len(file.Scenarios))
	for i, s := range file.Scenarios {
		scenarios[i] = s.Scenario
		for _, c := range s.Checks {
			object, _ := c[0].(string)
			permission, _ := c[1].(string)
			actor, _ := c[2].(float64)
			scenarios[i].Checks = append(scenarios[i].Checks,
				Check{object, permission, s.Actors[int(actor)], c[3] == 1.0, c[4] == 1.0})
		}
	}
	return scenarios, nil
}

// PolicyInput is a policy text and what the published engine made of it.
type PolicyInput struct {
	Name     string
	Policy   string
	Result   string `json:"published_result"` // ok or error
	PolicyID string `json:"published_policy_id"`
}

// PolicyInputs returns good and bad policies.
func PolicyInputs() ([]PolicyInput, error) {
	var file struct{ Scenarios []PolicyInput }
	err := decode("generated/policy_inputs.json", &file)
	return file.Scenarios, err
}

// Defects is a policy with facts and checks that the published engine answered wrongly.
type Defects struct {
	Policy string
	Setup  []string // "alice registers doc:1", "alice sets doc:1#writer@bob"
	Checks []struct {
		Object, Permission, Actor string
		Right                     bool
		Published                 bool
	}
}

// PublishedDefects returns wrong answers of the published engine beside the right ones.
func PublishedDefects() (Defects, error) {
	var d Defects
	err := decode("generated/published_defects.json", &d)
	return d, err
}
