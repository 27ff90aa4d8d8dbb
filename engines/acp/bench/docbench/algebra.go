package docbench

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"assay/acp/tuple"
)

// Scenario is a policy with relationships and checks, whose answers are known from set semantics.
type Scenario struct {
	Name          string
	Category      string
	Policy        string
	Relationships []tuple.Relationship // with those of the owner of all objects first
	Checks        []Check
}

// Check is a question of a scenario.
type Check struct {
	Object     tuple.Object
	Permission string
	Actor      string
	Want       bool // by set semantics
	Observed   bool // what the published engine answered when the scenarios were made
}

// Scenarios reads the scenarios in a file in the format acp-algebra-scenarios/1.
func Scenarios(path string) ([]Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Format    string
		Scenarios []written
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if file.Format != "acp-algebra-scenarios/1" || len(file.Scenarios) == 0 {
		return nil, fmt.Errorf("%s: format %q with %d scenarios, expected acp-algebra-scenarios/1 with some",
			path, file.Format, len(file.Scenarios))
	}
	scenarios := make([]Scenario, len(file.Scenarios))
	for i, w := range file.Scenarios {
		if scenarios[i], err = w.scenario(); err != nil {
			return nil, fmt.Errorf("%s: scenario %s: %w", path, w.Name, err)
		}
	}
	return scenarios, nil
}

// written is a scenario as the file has it.
type written struct {
	Name, Category, Policy, Owner  string
	Objects, Relationships, Actors []string
	Checks                         [][]any // object, permission, index of the actor, want, observed
}

func (w written) scenario() (Scenario, error) {
	s := Scenario{Name: w.Name, Category: w.Category, Policy: w.Policy}
	var objects []tuple.Object
	for _, text := range w.Objects {
		object, err := tuple.ParseObject(text)
		if err != nil {
			return s, err
		}
		objects = append(objects, object)
	}
	var relationships []tuple.Relationship
	for _, text := range w.Relationships {
		r, err := tuple.ParseRelationship(text)
		if err != nil {
			return s, err
		}
		relationships = append(relationships, r)
	}
	s.Relationships = owned(w.Owner, objects, relationships)
	for _, fields := range w.Checks {
		check, err := readCheck(fields, w.Actors)
		if err != nil {
			return s, err
		}
		s.Checks = append(s.Checks, check)
	}
	return s, nil
}

func readCheck(fields []any, actors []string) (c Check, err error) {
	if len(fields) != 5 {
		return c, fmt.Errorf("check of %d fields, expected 5", len(fields))
	}
	object, ok1 := fields[0].(string)
	permission, ok2 := fields[1].(string)
	actor, ok3 := fields[2].(float64)
	want, ok4 := fields[3].(float64)
	observed, ok5 := fields[4].(float64)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || actor < 0 || int(actor) >= len(actors) {
		return c, fmt.Errorf("check %v, expected object, permission, index of an actor, 0 or 1, 0 or 1", fields)
	}
	c.Object, err = tuple.ParseObject(object)
	c.Permission, c.Actor, c.Want, c.Observed = permission, actors[int(actor)], want == 1, observed == 1
	return c, err
}

// Score is how many answers an engine gave to the checks of scenarios, and how.
type Score struct{ Checks, WronglyAllowed, WronglyRefused int }

// Right is the number of right answers.
func (s Score) Right() int { return s.Checks - s.WronglyAllowed - s.WronglyRefused }

// Answer loads a scenario and asks its checks in order.
func Answer(engine Engine, s Scenario) ([]bool, error) {
	graph, err := engine.Load(s.Policy, s.Relationships)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	answers := make([]bool, len(s.Checks))
	for i, c := range s.Checks {
		if answers[i], err = graph.Check(c.Object, c.Permission, c.Actor); err != nil {
			return nil, fmt.Errorf("scenario %s: %s of %s: %w", s.Name, c.Permission, c.Object, err)
		}
	}
	return answers, graph.Close()
}

// Add counts the answers to the checks.
func (s *Score) Add(checks []Check, answers []bool) {
	for i, c := range checks {
		s.Checks++
		switch {
		case answers[i] && !c.Want:
			s.WronglyAllowed++
		case !answers[i] && c.Want:
			s.WronglyRefused++
		}
	}
}

// algebra asks the checks of the first scenarios, as many as the scale says, and counts the right
// answers. It does not fail at wrong ones: they are what it measures. An operation is a check, with
// its share of loading the policy and the relationships.
func algebra(s setting) {
	all, err := Scenarios(*scenarios)
	s.must(err)
	if len(all) < *scale {
		s.Fatalf("%d scenarios, expected %d", len(all), *scale)
	}
	// The scenarios are sorted by category: take them from all of it.
	chosen := make([]Scenario, *scale)
	for i := range chosen {
		chosen[i] = all[i*len(all) / *scale]
	}
	var score Score
	var total Total
	total.Time(s.B, func() error {
		for _, scenario := range chosen {
			answers, err := Answer(s.engine, scenario)
			if err != nil {
				return err
			}
			score.Add(scenario.Checks, answers)
		}
		return nil
	})
	total.Report(score.Checks)
	report(s.B, score)
}

func report(b *testing.B, s Score) {
	b.ReportMetric(float64(s.Checks), "checks")
	b.ReportMetric(float64(s.Right()), "right")
	b.ReportMetric(float64(s.WronglyAllowed), "wrongly_allowed")
	b.ReportMetric(float64(s.WronglyRefused), "wrongly_refused")
}
