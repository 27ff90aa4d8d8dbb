package model_test

import (
	"fmt"
	"testing"

	"assay/acp/model"
	"assay/acp/policy"
	"assay/acp/testdata"
	"assay/acp/tuple"
)

func read(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse([]byte(text), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// TestAlgebra: the answers were worked out by others, by plain set semantics.
func TestAlgebra(t *testing.T) {
	checks := 0
	for _, s := range must[[]testdata.Scenario](t)(testdata.Algebra()) {
		m := model.New(read(t, s.Policy))
		for _, object := range s.Objects {
			o := must[tuple.Object](t)(tuple.ParseObject(object))
			m.Register(s.Owner, o.Resource, o.ID)
		}
		for _, text := range s.Relationships {
			m.Set(must[tuple.Relationship](t)(tuple.ParseRelationship(text)))
		}
		for _, c := range s.Checks {
			o := must[tuple.Object](t)(tuple.ParseObject(c.Object))
			if got := m.Check(c.Permission, c.Actor, o); got != c.Want {
				t.Errorf("%s: %s#%s@%s is %t, want %t", s.Name, c.Object, c.Permission, c.Actor, got, c.Want)
			}
			checks++
		}
	}
	if checks != 15_040 {
		t.Errorf("%d checks, want 15,040", checks)
	}
}

// TestPublishedDefects: where the published engine was wrong, the model is right.
func TestPublishedDefects(t *testing.T) {
	d := must[testdata.Defects](t)(testdata.PublishedDefects())
	m := model.New(read(t, d.Policy))
	for _, line := range d.Setup {
		var actor, verb, what string
		if _, err := fmt.Sscan(line, &actor, &verb, &what); err != nil {
			t.Fatal(err)
		}
		if verb == "registers" {
			what += "#owner@" + actor
		}
		m.Set(must[tuple.Relationship](t)(tuple.ParseRelationship(what)))
	}
	for _, c := range d.Checks {
		got := m.Check(c.Permission, c.Actor, must[tuple.Object](t)(tuple.ParseObject(c.Object)))
		if got != c.Right || c.Right == c.Published {
			t.Errorf("%s#%s@%s is %t, right is %t, published %t", c.Object, c.Permission, c.Actor, got, c.Right, c.Published)
		}
	}
	if len(d.Checks) != 6 {
		t.Errorf("%d checks, want 6", len(d.Checks))
	}
}
