package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/acp/convert"
	"assay/acp/convert/openfga"
)

// openFGA asserts what the tests of an OpenFGA store file do.
func (r *testResult) openFGA(file string) error {
	f, store, err := openOpenFGA(file)
	if err != nil {
		return err
	}
	for _, t := range store.Tests {
		more, err := factsOf(t.Tuples)
		if err != nil {
			return err
		}
		w, err := newWorld(&foreign{f.im, append(slices.Clone(f.facts), more...)})
		if err != nil {
			return err
		}
		if err := r.storeTest(w, &t); err != nil {
			return fmt.Errorf("test %q: %w", t.Name, err)
		}
	}
	return nil
}

func (r *testResult) storeTest(w *world, t *openfga.Test) error {
	for _, c := range t.Check {
		for _, user := range oneOrMany(c.User, c.Users) {
			for _, object := range oneOrMany(c.Object, c.Objects) {
				for _, relation := range slices.Sorted(maps.Keys(c.Assertions)) {
					what := fmt.Sprintf("%s: %s#%s@%s", t.Name, object, relation, user)
					if r.refusesContext(what, c.Context) {
						continue
					}
					err := r.expect(what, c.Assertions[relation], func() (bool, error) {
						fact, err := openfga.Tuple{User: user, Relation: relation, Object: object}.Fact()
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
		}
	}
	for _, l := range t.ListObjects {
		for _, relation := range slices.Sorted(maps.Keys(l.Assertions)) {
			what := fmt.Sprintf("%s: list of %s#%s@%s", t.Name, l.Type, relation, l.User)
			if r.refusesContext(what, l.Context) {
				continue
			}
			asker, err := openfga.ParseUser(l.User)
			if err != nil {
				return err
			}
			err = r.expectList(what, l.Assertions[relation], func() ([]string, error) {
				return w.listObjects(l.Type, relation, asker)
			})
			if err != nil {
				return err
			}
		}
	}
	for _, l := range t.ListUsers {
		for _, relation := range slices.Sorted(maps.Keys(l.Assertions)) {
			what := fmt.Sprintf("%s: users of %s#%s", t.Name, l.Object, relation)
			if r.refusesContext(what, l.Context) {
				continue
			}
			object, err := openfga.ParseObject(l.Object)
			if err != nil {
				return err
			}
			err = r.expectList(what, l.Assertions[relation].Users, func() ([]string, error) {
				return w.listUsers(object, relation, l.UserFilter)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func oneOrMany(one string, many []string) []string {
	if one != "" {
		return append([]string{one}, many...)
	}
	return many
}

// refusesContext counts an assertion whose answer depends on values that come with the question.
func (r *testResult) refusesContext(what string, context map[string]any) bool {
	if len(context) > 0 {
		r.Refused = append(r.Refused, what+": "+convert.Conditions)
	}
	return len(context) > 0
}

// expectList counts an assertion on a list, whose order does not matter.
func (r *testResult) expectList(what string, want []string, list func() ([]string, error)) error {
	want = slices.Sorted(slices.Values(want))
	var got []string
	before := len(r.Failed)
	err := r.expect(what, true, func() (bool, error) {
		var err error
		got, err = list()
		return slices.Equal(got, want), err
	})
	if len(r.Failed) > before {
		r.Failed[before] = fmt.Sprintf("%s is %s, expected %s", what, strings.Join(got, " "), strings.Join(want, " "))
	}
	return err
}

// listUsers returns the users that pass one of the filters, sorted.
func (w *world) listUsers(object convert.Ref, relation string, filters []openfga.UserFilter) ([]string, error) {
	var found []string
	for _, filter := range filters {
		of := convert.Subject{Type: filter.Type, Relation: filter.Relation}
		q, err := w.im.ListActors(object, relation, of)
		if err != nil {
			return nil, err
		}
		actors, err := w.snapshot.ListActors(q.Object, q.Name, "", 0)
		if err != nil {
			return nil, err
		}
		some, err := w.im.Actors(object.Type, relation, of, actors.Actors, actors.Everyone)
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
