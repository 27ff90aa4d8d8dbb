// Package compare tests engines of our format against the vectors and the reference engine.
package compare

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"assay/smt/bench/triebench"
	"assay/smt/format"
	"assay/smt/internal/vectors"
	"assay/smt/proof"
	"assay/smt/trie"
)

// largest is the number of keys of the largest vectors that are compared.
const largest = 10_000

// Engine compares the roots after every step of a vector, and proofs at its end. The function ours
// makes a proof of the engine one of ours.
func Engine(t *testing.T, engine triebench.Engine, kind triebench.Kind, f format.Format, ours func(triebench.Proof) *proof.Proof) {
	for _, c := range vectors.Cases(t, largest) {
		if c.Format() == f {
			t.Run(c.ID, func(t *testing.T) { compareCase(t, engine, kind, c, ours) })
		}
	}
	if f.Sum == format.Sum8 {
		for _, c := range vectors.Sum8s(t) {
			if c.N > largest {
				continue
			}
			t.Run(c.ID, func(t *testing.T) { compareSum8(t, engine, kind, c, ours) })
		}
	}
}

// pair is a trie of the engine and the reference, with the same contents.
type pair struct {
	*testing.T
	triebench.Trie
	reference *trie.Trie
	ours      func(triebench.Proof) *proof.Proof
}

func newPair(t *testing.T, engine triebench.Engine, kind triebench.Kind, f format.Format, ours func(triebench.Proof) *proof.Proof) *pair {
	p := &pair{T: t, ours: ours}
	var err error
	p.Trie, err = engine.New(kind)
	p.must(err)
	p.reference, err = trie.New(trie.Config{Format: f})
	p.must(err)
	t.Cleanup(func() { p.must(p.reference.Close()) })
	return p
}

func (p *pair) must(err error) {
	if err != nil {
		p.Helper()
		p.Fatal(err)
	}
}

// Update and Delete write to both.
func (p *pair) Update(key, value []byte, weight uint64) error {
	if err := p.reference.Update(key, value, weight); err != nil {
		return err
	}
	return p.Trie.Update(key, value, weight)
}

func (p *pair) Delete(key []byte) error {
	if err := p.reference.Delete(key); err != nil {
		return err
	}
	return p.Trie.Delete(key)
}

// check compares both roots with the one expected.
func (p *pair) check(what string, want []byte) {
	p.Helper()
	got, err := p.Trie.Root()
	p.must(err)
	if ours := p.reference.Root(); !bytes.Equal(got, want) || !bytes.Equal(ours, want) {
		p.Fatalf("%s: root %x, of the reference %x, expected %x", what, got, ours, want)
	}
}

// compare compares the proofs of a key. The sibling data may be of another form of the same node,
// as the bits of an extension behind its end are free.
func (p *pair) compare(key []byte) {
	p.Helper()
	made, err := p.Trie.Prove(key)
	p.must(err)
	got := p.ours(made)
	want, err := p.reference.Prove(key)
	p.must(err)
	if !slices.EqualFunc(got.SideNodes, want.SideNodes, bytes.Equal) ||
		!bytes.Equal(got.NonMembershipLeafData, want.NonMembershipLeafData) {
		p.Fatalf("key %x: proof %+v, expected %+v", key, got, want)
	}
	p.must(got.Check(p.reference.Format()))
}

func compareCase(t *testing.T, engine triebench.Engine, kind triebench.Kind, c *vectors.Case, ours func(triebench.Proof) *proof.Proof) {
	p := newPair(t, engine, kind, c.Format(), ours)
	for i, step := range c.Steps {
		c.Apply(t, step, p)
		if step.Op == "commit" {
			_, err := p.Trie.Commit()
			p.must(err)
		}
		p.check(fmt.Sprintf("step %d %s", i, step.Op), step.Root)
	}
	for i := range min(c.Size()+20, 200) {
		p.compare(c.Key(i))
	}
}

func compareSum8(t *testing.T, engine triebench.Engine, kind triebench.Kind, c vectors.Sum8, ours func(triebench.Proof) *proof.Proof) {
	p := newPair(t, engine, kind, c.Format(), ours)
	for i := range c.N {
		p.must(p.Update(c.Key(i), c.Value(i, 0), c.Weight(i, 0)))
	}
	p.check("all keys", c.Root)
	for i := range min(c.N+20, 200) {
		p.compare(c.Key(i))
	}
}
