package openfga_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"assay/acp/convert"
	"assay/acp/convert/internal/worlds"
	"assay/acp/convert/openfga"
	"assay/acp/policy"
	"assay/acp/testdata"
)

// suite is one of OpenFGA's own test files. The stages of a test follow each other in one store.
type suite struct {
	Tests []struct {
		Name   string
		Stages []stage
	}
}

type stage struct {
	Model           string
	Tuples          []openfga.Tuple
	CheckAssertions []struct {
		Tuple            openfga.Tuple
		ContextualTuples []openfga.Tuple `yaml:"contextualTuples"`
		Expectation      bool
		ErrorCode        int `yaml:"errorCode"`
	} `yaml:"checkAssertions"`
	ListObjectsAssertions []struct {
		Request struct {
			User, Type, Relation string
		}
		ContextualTuples []openfga.Tuple `yaml:"contextualTuples"`
		Expectation      []string
		ErrorCode        int `yaml:"errorCode"`
	} `yaml:"listObjectsAssertions"`
	ListUsersAssertions []struct {
		Request struct {
			Filters          []string
			Object, Relation string
		}
		ContextualTuples []openfga.Tuple `yaml:"contextualTuples"`
		Expectation      []string
		ErrorCode        int `yaml:"errorCode"`
	} `yaml:"listUsersAssertions"`
}

// tooComplex is the code of the error that OpenFGA's limit of depth gives.
const tooComplex = 2002

// asserted is one assertion of any kind.
type asserted struct {
	what       string
	contextual []openfga.Tuple
	code       int // of the error that OpenFGA gives, or 0
	// holds puts the question and tells whether the answer is the expected one.
	holds func(w *worlds.World) (bool, error)
}

func check(f openfga.Tuple, want bool) func(*worlds.World) (bool, error) {
	return func(w *worlds.World) (bool, error) {
		fact, err := f.Fact()
		if err != nil {
			return false, err
		}
		got, err := w.Check(fact)
		return got == want, err
	}
}

func listObjects(user, resource, relation string, want []string) func(*worlds.World) (bool, error) {
	return func(w *worlds.World) (bool, error) {
		asker, err := convert.ParseRef(user)
		if err != nil {
			return false, err
		}
		got, err := w.ListObjects(resource, relation, asker)
		return slices.Equal(got, slices.Sorted(slices.Values(want))), err
	}
}

// listUsers compares lists of users. Where everybody has a relation, OpenFGA lists only those whom it
// met besides on its way; then those whom it lists must have it, and everybody else may.
func listUsers(object, relation string, filters []openfga.UserFilter, want []string) func(*worlds.World) (bool, error) {
	return func(w *worlds.World) (bool, error) {
		o, err := convert.ParseRef(object)
		if err != nil {
			return false, err
		}
		var got []string
		for _, filter := range filters {
			some, err := w.ListActors(o, relation, convert.Subject{Type: filter.Type, Relation: filter.Relation})
			if err != nil {
				return false, err
			}
			got = append(got, some...)
		}
		isAll := func(user string) bool { return strings.HasSuffix(user, ":*") }
		all := slices.ContainsFunc(got, isAll)
		if all != slices.ContainsFunc(want, isAll) {
			return false, nil
		}
		missing := func(from []string) func(string) bool {
			return func(user string) bool { return !slices.Contains(from, user) }
		}
		return !slices.ContainsFunc(want, missing(got)) && (all || !slices.ContainsFunc(got, missing(want))), nil
	}
}

func (s stage) assertions() []asserted {
	var all []asserted
	for _, a := range s.CheckAssertions {
		all = append(all, asserted{"check " + a.Tuple.Object + "#" + a.Tuple.Relation + "@" + a.Tuple.User,
			a.ContextualTuples, a.ErrorCode, check(a.Tuple, a.Expectation)})
	}
	for _, a := range s.ListObjectsAssertions {
		r := a.Request
		all = append(all, asserted{"list " + r.Type + "#" + r.Relation + " of " + r.User,
			a.ContextualTuples, a.ErrorCode, listObjects(r.User, r.Type, r.Relation, a.Expectation)})
	}
	for _, a := range s.ListUsersAssertions {
		r := a.Request
		var filters []openfga.UserFilter
		for _, filter := range r.Filters {
			of, relation, _ := strings.Cut(filter, "#")
			filters = append(filters, openfga.UserFilter{Type: of, Relation: relation})
		}
		all = append(all, asserted{"users of " + r.Object + "#" + r.Relation + " among " + strings.Join(r.Filters, " "),
			a.ContextualTuples, a.ErrorCode, listUsers(r.Object, r.Relation, filters, a.Expectation)})
	}
	return all
}

// run asserts, and counts what passed and what was refused by which feature.
func run(t *testing.T, tally worlds.Tally, read func() (*openfga.Model, error), tuples []openfga.Tuple, earlier int, assertions []asserted) {
	t.Helper()
	im, err := imported(read())
	if feature := worlds.Feature(err); feature != "" {
		tally[feature] += len(assertions)
		return
	}
	if err != nil {
		t.Errorf("%s: %v", t.Name(), err)
		return
	}
	for _, a := range assertions {
		held, err := assert(im, tuples, earlier, a)
		feature := worlds.Feature(err)
		switch {
		case feature != "":
			tally[feature]++
		case a.code == tooComplex && err == nil:
			tally["answered, which is too deep for OpenFGA"]++
		case a.code != 0 && err != nil:
			tally["refused as expected"]++
		case a.code != 0, err != nil, !held:
			t.Errorf("%s: %s: holds: %t, error: %v, error code expected: %d", t.Name(), a.what, held, err, a.code)
		default:
			tally["passed"]++
		}
	}
}

func load(text string) (*convert.Import, error) { return imported(openfga.ReadModel(text)) }

func imported(m *openfga.Model, err error) (*convert.Import, error) {
	if err != nil {
		return nil, err
	}
	return openfga.Import(m, "test")
}

// assert makes a world for one assertion. Tuples of an earlier stage that the model does not allow any
// more are without effect.
func assert(im *convert.Import, tuples []openfga.Tuple, earlier int, a asserted) (bool, error) {
	var facts []convert.Fact
	for i, tuple := range slices.Concat(tuples, a.contextual) {
		fact, err := tuple.Fact()
		if err != nil {
			return false, err
		}
		if _, err := im.Relationships(fact); err != nil && i < earlier {
			continue
		}
		facts = append(facts, fact)
	}
	w, err := worlds.New(im, facts)
	if err != nil {
		return false, err
	}
	return a.holds(w)
}

func runSuite(t *testing.T, name string) worlds.Tally {
	t.Helper()
	data, err := testdata.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	var s suite
	if err := yaml.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	tally := worlds.Tally{}
	for _, test := range s.Tests {
		t.Run(test.Name, func(t *testing.T) {
			var tuples []openfga.Tuple
			for _, stage := range test.Stages {
				earlier := len(tuples)
				tuples = append(tuples, stage.Tuples...)
				run(t, tally, func() (*openfga.Model, error) { return openfga.ReadModel(stage.Model) }, tuples, earlier, stage.assertions())
			}
		})
	}
	return tally
}

func TestConsolidated(t *testing.T) {
	tally := runSuite(t, "openfga/consolidated_1_1_tests.yaml")
	if diff := tally.Diff(worlds.Tally{
		"passed":              481,
		"refused as expected": 18,
		"answered, which is too deep for OpenFGA": 2,
		convert.ListOfUsersets:                    28,
		convert.NegatedCycle:                      2,
	}); diff != "" {
		t.Error(diff)
	}
}

func TestConditionsAreRefused(t *testing.T) {
	tally := runSuite(t, "openfga/abac_tests.yaml")
	if diff := tally.Diff(worlds.Tally{convert.Conditions: 180}); diff != "" {
		t.Error(diff)
	}
}

func TestSampleStores(t *testing.T) {
	tally := worlds.Tally{}
	err := fs.WalkDir(testdata.Files, "openfga-sample-stores", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".fga.yaml") {
			return err
		}
		s, err := openfga.ReadStore(testdata.Files, name)
		if err != nil {
			return err
		}
		t.Run(path.Base(path.Dir(name))+"/"+path.Base(name), func(t *testing.T) {
			for _, test := range s.Tests {
				run(t, tally, s.ReadModel, slices.Concat(s.Tuples, test.Tuples), 0, storeAssertions(test))
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := tally.Diff(worlds.Tally{
		"passed":               87,
		convert.Conditions:     64,
		convert.ListOfUsersets: 2,
	}); diff != "" {
		t.Error(diff)
	}
}

func storeAssertions(test openfga.Test) []asserted {
	var all []asserted
	for _, c := range test.Check {
		for _, user := range append(slices.DeleteFunc([]string{c.User}, empty), c.Users...) {
			for _, object := range append(slices.DeleteFunc([]string{c.Object}, empty), c.Objects...) {
				for relation, want := range c.Assertions {
					f := openfga.Tuple{User: user, Relation: relation, Object: object}
					all = append(all, asserted{what: "check " + object + "#" + relation + "@" + user, holds: check(f, want)})
				}
			}
		}
	}
	for _, l := range test.ListObjects {
		for relation, want := range l.Assertions {
			all = append(all, asserted{what: "list " + l.Type + "#" + relation + " of " + l.User, holds: listObjects(l.User, l.Type, relation, want)})
		}
	}
	for _, l := range test.ListUsers {
		for relation, want := range l.Assertions {
			all = append(all, asserted{what: "users of " + l.Object + "#" + relation, holds: listUsers(l.Object, relation, l.UserFilter, want.Users)})
		}
	}
	return all
}

func empty(text string) bool { return text == "" }

func policyText(im *convert.Import) string { return policy.Format(im.Policy) }
