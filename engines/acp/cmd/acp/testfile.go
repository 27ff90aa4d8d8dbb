package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"assay/acp"
	"assay/acp/convert"
	"assay/acp/convert/spicedb"
	"assay/acp/convert/yamltext"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// testCreator creates the policies of tests.
const testCreator = "did:acp:test"

// testFile is the form of our own tests.
type testFile struct {
	Policy        string   `yaml:"policy"`
	PolicyFile    string   `yaml:"policy_file"` // beside the test file, instead of policy
	Relationships []string `yaml:"relationships"`
	Yes           []string `yaml:"yes"` // questions, object#permission@actor
	No            []string `yaml:"no"`
}

// testResult is what became of the assertions of a file.
type testResult struct {
	File    string   `json:"file"`
	Passed  int      `json:"passed"`
	Failed  []string `json:"failed"`
	Refused []string `json:"refused"` // what is not supported, by name
}

func runTest(c *call) error {
	if err := c.parse(1, -1); err != nil {
		return err
	}
	var results []*testResult
	verdict := error(nil)
	for _, file := range c.args {
		r := &testResult{File: file, Failed: []string{}, Refused: []string{}}
		var unsupported *convert.Unsupported
		if err := r.run(file); errors.As(err, &unsupported) {
			r.Refused = append(r.Refused, unsupported.Error())
		} else if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if len(r.Failed)+len(r.Refused) > 0 {
			verdict = errNo
		}
		results = append(results, r)
	}
	err := c.print(results, func(w io.Writer) {
		for _, r := range results {
			for _, f := range r.Failed {
				fmt.Fprintf(w, "%s: failed: %s\n", r.File, f)
			}
			for _, f := range r.Refused {
				fmt.Fprintf(w, "%s: %s\n", r.File, f)
			}
			fmt.Fprintf(w, "%s: %d passed, %d failed, %d not supported\n", r.File, r.Passed, len(r.Failed), len(r.Refused))
		}
	})
	if err != nil {
		return err
	}
	return verdict
}

// run finds out by the keys of a file whose form it has.
func (r *testResult) run(file string) error {
	data, err := readFile(file)
	if err != nil {
		return err
	}
	var keys map[string]any
	if err := yaml.Unmarshal(data, &keys); err != nil {
		return usageError(err.Error())
	}
	has := func(key string) bool { return keys[key] != nil }
	switch {
	case has("policy") || has("policy_file"):
		return r.own(file, data)
	case has("model") || has("model_file"):
		return asInput(r.openFGA(file))
	case has("schema") || has("schemaFile"):
		return asInput(r.spiceDB(file))
	}
	return usageError("expected a key policy or policy_file, model or model_file (OpenFGA), or schema or schemaFile (SpiceDB)")
}

// expect counts an assertion.
func (r *testResult) expect(what string, want bool, ask func() (bool, error)) error {
	got, err := ask()
	var unsupported *convert.Unsupported
	switch {
	case errors.As(err, &unsupported):
		r.Refused = append(r.Refused, what+": "+unsupported.Error())
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	case got == want:
		r.Passed++
	case want:
		r.Failed = append(r.Failed, what+" is refused, expected to be allowed")
	default:
		r.Failed = append(r.Failed, what+" is allowed, expected to be refused")
	}
	return nil
}

func (r *testResult) own(file string, data []byte) error {
	var t testFile
	if err := yamltext.Read(data, &t); err != nil {
		return usageError(err.Error())
	}
	switch {
	case t.Policy != "" && t.PolicyFile != "":
		return usageError("expected policy or policy_file, found both")
	case t.PolicyFile != "":
		folder, err := openFolder(filepath.Dir(file))
		if err != nil {
			return err
		}
		defer folder.Close()
		text, err := folder.ReadFile(t.PolicyFile)
		if err != nil {
			return err
		}
		t.Policy = string(text)
	}
	var all []tuple.Relationship
	for _, text := range t.Relationships {
		relationship, err := parseRelationship(text)
		if err != nil {
			return err
		}
		all = append(all, relationship)
	}
	s, err := snapshotOf(t.Policy, false, all)
	if err != nil {
		return err
	}
	for want, questions := range map[bool][]string{true: t.Yes, false: t.No} {
		for _, text := range questions {
			q, err := parseQuestion(text)
			if err != nil {
				return err
			}
			if err := r.expect(text, want, func() (bool, error) { return s.Check(q.Permission, q.Actor, q.Object) }); err != nil {
				return err
			}
		}
	}
	slices.Sort(r.Failed)
	return nil
}

// snapshotOf is a policy with relationships, in memory.
func snapshotOf(text string, lenient bool, relationships []tuple.Relationship) (*acp.Snapshot, error) {
	e, err := acp.Open(acp.Options{Lenient: lenient})
	if err != nil {
		return nil, err
	}
	id, err := e.AddPolicy(testCreator, text)
	if err == nil {
		err = e.Load(id, relationships, nil)
	}
	if err != nil {
		return nil, err
	}
	return e.Snapshot(id)
}

// world answers questions in the terms of another system.
type world struct {
	im       *convert.Import
	snapshot *acp.Snapshot
}

func newWorld(f *foreign) (*world, error) {
	all, err := f.relationships()
	if err != nil {
		return nil, err
	}
	s, err := snapshotOf(policy.Format(f.im.Policy), true, all)
	return &world{f.im, s}, err
}

// given is the snapshot with what a question needs to be set before.
func (w *world) given(q convert.Question) (*acp.Snapshot, error) {
	if len(q.Given) == 0 {
		return w.snapshot, nil
	}
	return w.snapshot.With(nil, nil, q.Given)
}

func (w *world) check(f convert.Fact) (bool, error) {
	q, err := w.im.Question(f)
	if err != nil || q.Never {
		return false, err
	}
	s, err := w.given(q)
	if err != nil {
		return false, err
	}
	return s.Check(q.Name, q.Actor, q.Object)
}

// listObjects returns type:id, sorted.
func (w *world) listObjects(of, relation string, asker convert.Ref) ([]string, error) {
	q, err := w.im.ListObjects(of, relation, asker)
	if err != nil || q.Never {
		return nil, err
	}
	s, err := w.given(q)
	if err != nil {
		return nil, err
	}
	ids, _, err := s.ListObjects(q.Object.Resource, q.Name, q.Actor, "", 0)
	for i := range ids {
		ids[i] = of + ":" + ids[i]
	}
	slices.Sort(ids)
	return ids, err
}

func (r *testResult) spiceDB(file string) error {
	f, validation, err := openSpiceDB(file)
	if err != nil {
		return err
	}
	w, err := newWorld(f)
	if err != nil {
		return err
	}
	for want, texts := range map[bool][]string{true: validation.Assertions.True, false: validation.Assertions.False} {
		for _, text := range texts {
			err := r.expect(text, want, func() (bool, error) {
				fact, err := spicedb.ParseRelationship(text)
				if err != nil {
					return false, err
				}
				return w.check(fact)
			})
			if err != nil {
				return err
			}
		}
	}
	for _, text := range validation.Assertions.Caveated {
		r.Refused = append(r.Refused, text+": "+convert.Conditions)
	}
	for question := range validation.Validation {
		r.Refused = append(r.Refused, question+": the key validation")
	}
	slices.Sort(r.Failed)
	slices.Sort(r.Refused)
	return nil
}
