package explain

import (
	"iter"
	"slices"

	"assay/acp"
	"assay/acp/tuple"
)

// NewFacts returns a list of relationships as facts, for example a list that was exported.
func NewFacts(relationships []tuple.Relationship) Facts {
	l := list{has: map[tuple.Relationship]bool{}, subjects: map[Node][]tuple.Subject{}}
	for _, r := range relationships {
		if !l.has[r] {
			l.has[r] = true
			n := Node{r.Object, r.Relation}
			l.subjects[n] = append(l.subjects[n], r.Subject)
		}
	}
	return l
}

type list struct {
	has      map[tuple.Relationship]bool
	subjects map[Node][]tuple.Subject
}

func (l list) Has(r tuple.Relationship) bool { return l.has[r] }

func (l list) Subjects(object tuple.Object, relation string) iter.Seq[tuple.Subject] {
	return slices.Values(l.subjects[Node{object, relation}])
}

// Of returns a snapshot of the engine as a view.
func Of(s *acp.Snapshot) View { return snapshot{s} }

type snapshot struct{ *acp.Snapshot }

func (s snapshot) Subjects(object tuple.Object, relation string) iter.Seq[tuple.Subject] {
	subjects, _, _ := s.Others(object, relation) // a relation that the policy lacks has none
	return slices.Values(subjects)
}
