package acp

import (
	"iter"

	"assay/acp/tuple"
)

// Archived returns the archived documents, each with its owner. They have no relationships.
func (s *Snapshot) Archived() iter.Seq2[tuple.Object, string] { return s.view.ArchivedObjects() }
