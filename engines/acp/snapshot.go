package acp

import (
	"iter"

	"assay/acp/graph"
	"assay/acp/policy"
	"assay/acp/tuple"
)

// Snapshot is a policy and its relationships as they were at one moment. It does not change, and needs
// no release.
type Snapshot struct {
	view  graph.View
	lists graph.Lister
}

func newSnapshot(v graph.View) *Snapshot {
	return &Snapshot{view: v, lists: graph.Lister{View: v}}
}

// Snapshot returns what is there now under a policy.
func (e *Engine) Snapshot(id string) (*Snapshot, error) {
	_, g, err := e.entry(id)
	if err != nil {
		return nil, err
	}
	return newSnapshot(g.View()), nil
}

// Policy returns the policy, which is not to be changed.
func (s *Snapshot) Policy() *policy.Policy { return s.view.Policy() }

// Revision is how many changes were made under the policy before. It never falls.
func (s *Snapshot) Revision() uint64 { return s.view.Revision() }

// Check tells whether an actor has a permission, or a relation, on an object. Errors: ErrNotFound, no
// such resource or permission.
func (s *Snapshot) Check(permission, actor string, object tuple.Object) (bool, error) {
	held, _, err := s.CheckCost(permission, actor, object)
	return held, err
}

// Cost is what a check looked at, exactly.
type Cost = graph.Cost

// CheckCost is Check and tells what it looked at.
func (s *Snapshot) CheckCost(permission, actor string, object tuple.Object) (bool, Cost, error) {
	held, cost, err := s.view.CheckCost(permission, actor, object)
	return held, cost, classify(err)
}

// Question is the arguments of Check.
type Question = graph.Question

// CheckMany answers questions, in their order, all of the same moment. What one shares with the one
// before is looked up once. The error is that of the first question that has one.
func (s *Snapshot) CheckMany(questions []Question) ([]bool, error) {
	answers, err := s.view.CheckMany(questions)
	return answers, classify(err)
}

// Filter selects relationships; what is zero selects all.
type Filter = graph.Filter

// Relationships returns the relationships that a filter selects.
func (s *Snapshot) Relationships(f Filter) iter.Seq[tuple.Relationship] {
	return s.view.Relationships(f)
}

// Subjects returns who and what has a relation to an object by a relationship of its own. Errors:
// ErrNotFound, no such resource or relation.
func (s *Snapshot) Subjects(object tuple.Object, relation string) ([]tuple.Subject, error) {
	subjects, err := s.view.Subjects(object, relation)
	return subjects, classify(err)
}

// Others is Subjects without the actors: *, objects and usersets. However many actors there are, it
// looks at none of them; the cost tells what it looked at.
func (s *Snapshot) Others(object tuple.Object, relation string) ([]tuple.Subject, Cost, error) {
	subjects, cost, err := s.view.Others(object, relation)
	return subjects, cost, classify(err)
}

// Has tells whether a relationship is there, by one look-up. What has no place in the policy is not.
func (s *Snapshot) Has(r tuple.Relationship) bool { return s.view.HasRelationship(r) }

// ListObjects returns the ids of the objects of a resource on which an actor has a permission, all of
// them by and by: at most limit at once (0: all), those behind the cursor ("": from the start), and
// the cursor for the rest ("": there is none). Of one snapshot, the pages together have every id once,
// and cost little more than one page with all, unless other lists of the snapshot are taken in between.
// A cursor is good for another snapshot of the policy too, which walks anew: all pages together have
// every id once that was there all the time, and none twice. An edit of the policy ends that.
// Errors: ErrNotFound, no such resource or permission; ErrBadInput, not a cursor.
func (s *Snapshot) ListObjects(resource, permission, actor, cursor string, limit int) (ids []string, next string, err error) {
	ids, next, err = s.lists.ListObjects(resource, permission, actor, cursor, limit)
	return ids, next, classify(err)
}

// Actors is who has a permission on an object.
type Actors = graph.Actors

// ListActors returns who has a permission on an object, in pages as ListObjects does; the first page costs as
// much as all together. The work grows with the relationships that lead to the object, unless & or - stands over
// many sets of actors that differ everywhere, and is bounded: about 2 seconds and 128 MiB, and 30 microseconds
// and 1 KiB for each such relationship, see graph.Lister. Errors besides: ErrLimit, that does not suffice.
func (s *Snapshot) ListActors(object tuple.Object, permission, cursor string, limit int) (Actors, error) {
	actors, err := s.lists.ListActors(object, permission, cursor, limit)
	return actors, classify(err)
}

// With returns what the snapshot would be under another policy (nil: the same), with relationships
// deleted and then added. It costs as much as all relationships together and changes nothing else.
// ErrBadInput or ErrNotFound: a relationship has no place in the policy.
func (s *Snapshot) With(p *policy.Policy, remove, add []tuple.Relationship) (*Snapshot, error) {
	if p == nil {
		p = s.Policy()
	}
	g, err := s.view.With(p, remove, add)
	if err != nil {
		return nil, classify(err)
	}
	return newSnapshot(g.View()), nil
}
