package vectors

import (
	"slices"
	"testing"

	"assay/smt/format"
)

// Case is a history of a trie with its root after every step.
type Case struct {
	Generator
	ID          string `json:"id"`
	Kind        string `json:"kind"` // smt, smst
	Hasher      string `json:"hasher"`
	PathHasher  string `json:"path_hasher"`
	ValueHasher string `json:"value_hasher"`
	Steps       []Step `json:"steps"`
}

// Step applies Op to the indices From, From+Step, ... below To.
type Step struct {
	Op       string `json:"op"` // put, del, commit or reimport (commit and open again from the root)
	From     int    `json:"from"`
	To       int    `json:"to"`
	Step     int    `json:"step"`
	Gen      int    `json:"gen"`
	Root     Hex    `json:"root"`       // after the step
	Sum      uint64 `json:"sum,string"` // of a sum trie
	Count    uint64 `json:"count"`      // of a sum trie
	StoreLen *int   `json:"store_len"`  // number of nodes after some commits
}

// Format is the byte format of the case.
func (c *Case) Format() format.Format {
	return formatOf(c.Kind, c.Hasher, c.PathHasher, c.ValueHasher)
}

// Size is the largest number of keys the case puts.
func (c *Case) Size() int {
	return slices.MaxFunc(c.Steps, func(a, b Step) int { return a.To - b.To }).To
}

// Writer takes the operations of a step.
type Writer interface {
	Update(key, value []byte, weight uint64) error
	Delete(key []byte) error
}

// Apply makes the puts and deletes of step number s of the case; a commit or
// reimport is left to the caller.
func (c *Case) Apply(tb testing.TB, s Step, w Writer) {
	tb.Helper()
	if s.Op != "put" && s.Op != "del" {
		return
	}
	for i := s.From; i < s.To; i += max(s.Step, 1) {
		var err error
		if s.Op == "put" {
			err = w.Update(c.Key(i), c.Value(i, s.Gen), c.Weight(i, s.Gen))
		} else {
			err = w.Delete(c.Key(i))
		}
		if err != nil {
			tb.Fatalf("case %s, %s of index %d: %v", c.ID, s.Op, i, err)
		}
	}
}

// Fill applies all steps of the case, for its final contents.
func (c *Case) Fill(tb testing.TB, w Writer) {
	tb.Helper()
	for _, s := range c.Steps {
		c.Apply(tb, s, w)
	}
}

// Cases are all cases of at most maxSize keys.
func Cases(tb testing.TB, maxSize int) []*Case {
	tb.Helper()
	all := load[*Case](tb, "roots.jsonl")
	return slices.DeleteFunc(all, func(c *Case) bool { return c.Size() > maxSize })
}

// CaseMap are all cases by their ID.
func CaseMap(tb testing.TB) map[string]*Case {
	tb.Helper()
	m := map[string]*Case{}
	for _, c := range load[*Case](tb, "roots.jsonl") {
		m[c.ID] = c
	}
	return m
}

// Store is the whole node store of a case's final contents.
type Store struct {
	Case  string `json:"case"`
	Root  Hex    `json:"root"`
	Nodes []struct {
		Digest   Hex `json:"digest"`
		Preimage Hex `json:"preimage"` // bits of an extension past its end are arbitrary
	} `json:"nodes"`
}

// Stores are all node stores.
func Stores(tb testing.TB) []Store {
	tb.Helper()
	return load[Store](tb, "nodes.jsonl.gz")
}
