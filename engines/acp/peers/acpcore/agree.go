package acpcore

import (
	"strings"
	"testing"

	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
	"assay/acp/policy"
	"assay/acp/testdata"
)

// Agree compares this engine with the reference: both answer all scenarios of package testdata, or with
// -short one in 8. They must agree wherever the policy has only unions; elsewhere this engine may be
// wrong, the reference may not.
func Agree(t *testing.T) {
	scenarios, err := docbench.Scenarios()
	if err != nil {
		t.Fatal(err)
	}
	var theirs, unions docbench.Score
	for n, scenario := range scenarios {
		if testing.Short() && n%8 != 0 { // still some of each category: they are sorted by it
			continue
		}
		ours, err := docbench.Answer(reference.Keyed, scenario)
		if err != nil {
			t.Fatal(err)
		}
		got, err := docbench.Answer(Engine, scenario)
		if err != nil {
			t.Fatal(err)
		}
		theirs.Add(scenario.Checks, got)
		onlyUnions := !hasOther(t, scenario.Policy)
		if onlyUnions {
			unions.Add(scenario.Checks, got)
		}
		for i, c := range scenario.Checks {
			if ours[i] != c.Want {
				t.Errorf("%s: the reference says %t to %s %s %s, expected %t",
					scenario.Name, ours[i], c.Actor, c.Permission, c.Object, c.Want)
			}
			if onlyUnions && got[i] != ours[i] {
				t.Errorf("%s, only unions: %t to %s %s %s, the reference says %t",
					scenario.Name, got[i], c.Actor, c.Permission, c.Object, ours[i])
			}
			if got[i] != c.Published {
				t.Errorf("%s: %t to %s %s %s, expected the wrong answer known of it, %t",
					scenario.Name, got[i], c.Actor, c.Permission, c.Object, c.Published)
			}
		}
	}
	if unions.Checks == 0 || unions.Checks == theirs.Checks {
		t.Errorf("%d of %d checks are of unions only, expected some", unions.Checks, theirs.Checks)
	}
	t.Logf("of %d checks %d are wrongly allowed and %d wrongly refused; the reference is right in all; %d of unions only agree",
		theirs.Checks, theirs.WronglyAllowed, theirs.WronglyRefused, unions.Checks)
}

// hasOther tells whether a permission of the policy has an intersection or a difference.
func hasOther(t *testing.T, text string) bool {
	p, err := policy.Parse([]byte(text), policy.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, resource := range p.Resources {
		for _, permission := range resource.Permissions {
			if strings.ContainsAny(strings.ReplaceAll(permission.Text, "->", ""), "&-") {
				return true
			}
		}
	}
	return false
}

// SamePolicyIDs compares the ids that this engine and the reference give to policies.
func SamePolicyIDs(t *testing.T) {
	texts := []string{docbench.Policy}
	scenarios, err := testdata.Algebra()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range scenarios {
		texts = append(texts, scenario.Policy)
	}
	inputs, err := testdata.PolicyInputs()
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range inputs {
		const readInTime = 4000 // bytes; this engine takes quadratic time to read a policy
		if input.Result == "ok" && len(input.Policy) <= readInTime {
			texts = append(texts, input.Policy)
		}
	}
	for _, text := range texts {
		want, err := PolicyID(text)
		if err != nil {
			t.Fatalf("%v: %.200s", err, text)
		}
		p, err := policy.Parse([]byte(text), policy.Options{Lenient: true})
		if err != nil {
			t.Fatalf("%v: %.200s", err, text)
		}
		if got := policy.ID(p, policy.FirstNumber); got != want {
			t.Errorf("policy id %s, expected %s: %.200s", got, want, text)
		}
	}
	t.Logf("%d policies have the same ids", len(texts))
}
