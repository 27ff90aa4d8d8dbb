// Package worlds lets the importers' tests put a question to the engine and to the model at once.
package worlds

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"assay/acp"
	"assay/acp/convert"
	"assay/acp/model"
	"assay/acp/policy"
	"assay/acp/tuple"
)

const creator = "did:key:importer"

// World decides access from an import and facts. The engine and the model have to agree.
type World struct {
	im     *convert.Import
	model  *model.Model
	engine *acp.Engine
	policy string
}

// New returns a world with the facts.
func New(im *convert.Import, facts []convert.Fact) (*World, error) {
	engine, err := acp.Open(acp.Options{Lenient: true})
	if err != nil {
		return nil, err
	}
	w := &World{im: im, model: model.New(im.Policy), engine: engine}
	if w.policy, err = engine.AddPolicy(creator, policy.Format(im.Policy)); err != nil {
		return nil, err
	}
	for _, f := range facts {
		relationships, err := im.Relationships(f)
		if err != nil {
			return nil, err
		}
		if err := w.set(relationships); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *World) set(relationships []tuple.Relationship) error {
	for _, r := range relationships {
		w.model.Set(r)
	}
	return w.engine.Load(w.policy, relationships, nil)
}

// Check answers a check.
func (w *World) Check(f convert.Fact) (bool, error) {
	q, s, err := w.prepare(w.im.Question(f))
	if err != nil || q.Never {
		return false, err
	}
	has, err := s.Check(q.Name, q.Actor, q.Object)
	if want := w.model.Check(q.Name, q.Actor, q.Object); err == nil && has != want {
		err = fmt.Errorf("%s: the engine says %t, the model %t", f, has, want)
	}
	return has, err
}

func (w *World) prepare(q convert.Question, err error) (convert.Question, *acp.Snapshot, error) {
	if err == nil {
		err = w.set(q.Given)
	}
	if err != nil {
		return q, nil, err
	}
	s, err := w.engine.Snapshot(w.policy)
	return q, s, err
}

// ListObjects answers with type:id, sorted.
func (w *World) ListObjects(resource, relation string, asker convert.Ref) ([]string, error) {
	q, s, err := w.prepare(w.im.ListObjects(resource, relation, asker))
	if err != nil || q.Never {
		return nil, err
	}
	ids, _, err := s.ListObjects(q.Object.Resource, q.Name, q.Actor, "", 0)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	if want := w.model.ListObjects(q.Object.Resource, q.Name, q.Actor); !slices.Equal(ids, want) {
		return nil, fmt.Errorf("list %s#%s of %s: the engine says %v, the model %v", resource, relation, asker, ids, want)
	}
	for i, id := range ids {
		ids[i] = resource + ":" + id
	}
	return ids, nil
}

// ListActors answers with those of a kind that have a relation on an object, sorted.
func (w *World) ListActors(object convert.Ref, relation string, of convert.Subject) ([]string, error) {
	q, s, err := w.prepare(w.im.ListActors(object, relation, of))
	if err != nil {
		return nil, err
	}
	listed, err := s.ListActors(q.Object, q.Name, "", 0)
	if err != nil {
		return nil, err
	}
	actors, all := w.model.ListActors(q.Object, q.Name)
	agree := all == listed.Everyone
	if !all {
		agree = agree && slices.Equal(actors, slices.Sorted(slices.Values(listed.Actors)))
	}
	for _, except := range listed.Except {
		agree = agree && !slices.Contains(actors, except)
	}
	if !agree {
		return nil, fmt.Errorf("list %s#%s: the engine says %+v, the model %v and for all: %t", object, relation, listed, actors, all)
	}
	return w.im.Actors(object.Type, relation, of, actors, all)
}

// Feature returns the feature that an error refuses, or "".
func Feature(err error) string {
	var u *convert.Unsupported
	if errors.As(err, &u) {
		return u.Feature
	}
	return ""
}

// Tally counts assertions by what became of them: passed, or the feature that was refused.
type Tally map[string]int

// Diff tells how the counts differ from those expected, or "".
func (t Tally) Diff(want Tally) string {
	if maps.Equal(t, want) {
		return ""
	}
	text := "\n"
	for _, k := range slices.Sorted(maps.Keys(t)) {
		text += fmt.Sprintf("%q: %d,\n", k, t[k])
	}
	return text
}
