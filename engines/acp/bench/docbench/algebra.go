package docbench

import (
	"errors"
	"fmt"

	"assay/acp/testdata"
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
	Published  bool // what the published engine answered
}

// Scenarios returns the scenarios of package testdata, sorted by category.
func Scenarios() ([]Scenario, error) {
	written, err := testdata.Algebra()
	if err != nil {
		return nil, err
	}
	scenarios := make([]Scenario, len(written))
	for i, w := range written {
		if scenarios[i], err = read(w); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", w.Name, err)
		}
	}
	return scenarios, nil
}

func read(w testdata.Scenario) (Scenario, error) {
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
	for _, c := range w.Checks {
		object, err := tuple.ParseObject(c.Object)
		if err != nil {
			return s, err
		}
		s.Checks = append(s.Checks, Check{object, c.Permission, c.Actor, c.Want, c.Published})
	}
	return s, nil
}

// ErrPolicyRefused is in the error of an Engine.Load whose language cannot say the policy.
var ErrPolicyRefused = errors.New("policy refused")

// Score is how many checks of scenarios an engine answered, and how. It answers none of a policy that
// it refuses.
type Score struct{ Checks, WronglyAllowed, WronglyRefused, Unanswered int }

// Right is the number of right answers.
func (s Score) Right() int { return s.Checks - s.WronglyAllowed - s.WronglyRefused - s.Unanswered }

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

// Add counts the answers to the checks; none for a policy that was refused.
func (s *Score) Add(checks []Check, answers []bool) {
	if answers == nil {
		s.Checks += len(checks)
		s.Unanswered += len(checks)
		return
	}
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

// algebra asks the checks of as many scenarios as the scale says, and counts the right
// answers. It does not fail at wrong ones: they are what it measures. An operation is a check, with its
// share of loading the policy and the relationships.
func algebra(s setting) {
	all, err := Scenarios()
	s.must(err)
	if len(all) < *scale {
		s.Fatalf("%d scenarios, expected %d", len(all), *scale)
	}
	var score Score
	var total Total
	total.Repeat(s.B, func() (int, error) {
		score = Score{}
		for i := range *scale {
			scenario := all[i*len(all) / *scale] // of all categories
			answers, err := Answer(s.engine, scenario)
			if err != nil && !errors.Is(err, ErrPolicyRefused) {
				return 0, err
			}
			score.Add(scenario.Checks, answers)
		}
		return score.Checks, nil
	})
	total.Report()
	s.ReportMetric(float64(score.Checks), "checks")
	s.ReportMetric(float64(score.Right()), "right")
	s.ReportMetric(float64(score.WronglyAllowed), "wrongly_allowed")
	s.ReportMetric(float64(score.WronglyRefused), "wrongly_refused")
	s.ReportMetric(float64(score.Unanswered), "unanswered")
}
