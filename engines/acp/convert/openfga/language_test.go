package openfga_test

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"assay/acp/convert"
	"assay/acp/convert/internal/worlds"
	"assay/acp/convert/openfga"
	"assay/acp/testdata"
)

func cases(t *testing.T, name string, into any) {
	t.Helper()
	data, err := testdata.Read("openfga-language/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// TestLanguage: what the language's own parser and validator refuse is refused, and what they accept
// is accepted or refused by the name of a feature.
func TestLanguage(t *testing.T) {
	tally := worlds.Tally{}
	for _, name := range []string{"dsl-semantic-validation-cases", "dsl-syntax-validation-cases"} {
		var all []struct {
			Name   string
			DSL    string
			Skip   bool  // upstream does not hold itself to it
			Errors []any `yaml:"expected_errors"`
		}
		cases(t, name, &all)
		for _, c := range all {
			_, err := load(c.DSL)
			feature := worlds.Feature(err)
			switch {
			case c.Skip:
				tally["skipped upstream"]++
			case len(c.Errors) > 0 && err == nil:
				t.Errorf("%s: accepted, expected %v\n%s", c.Name, c.Errors[0], c.DSL)
			case len(c.Errors) > 0:
				tally["refused"]++
			case feature != "":
				tally[feature]++
			case err != nil:
				t.Errorf("%s: %v\n%s", c.Name, err, c.DSL)
			default:
				tally["accepted"]++
			}
		}
	}
	if diff := tally.Diff(worlds.Tally{
		"accepted":         21,
		"refused":          91,
		"skipped upstream": 4,
		convert.Conditions: 1,
	}); diff != "" {
		t.Error(diff)
	}
}

func TestObjectIDs(t *testing.T) {
	var all []struct {
		Name     string
		ObjectID string `yaml:"object_id"`
		Valid    bool
	}
	cases(t, "object-id-validation-cases", &all)
	if len(all) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range all {
		if got := openfga.ValidObjectID(c.ObjectID); got != c.Valid {
			t.Errorf("%s: %q: valid: %t, want %t", c.Name, c.ObjectID, got, c.Valid)
		}
	}
}
