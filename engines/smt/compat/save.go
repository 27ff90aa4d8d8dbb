package compat

import (
	"bytes"
	"errors"
	"fmt"
	"maps"

	"assay/smt/format"
	"assay/smt/trie"
)

// set is a set of digests.
type set map[string]struct{}

func (s set) has(digest []byte) bool {
	_, ok := s[string(digest)]
	return ok
}

func (s set) add(digest []byte) { s[string(digest)] = struct{}{} }

// contents is what a trie knows to be in its store.
type contents struct {
	root []byte // nil: only loose nodes are there
	good set    // canonical nodes, all below which are in the store and canonical too
	// loose nodes are not canonical, or of a commit that failed. The next one writes all nodes, and
	// deletes the loose ones that are none.
	loose set
}

// distrust makes all nodes loose.
func (c *contents) distrust() {
	if c.loose == nil {
		c.loose = set{}
	}
	maps.Copy(c.loose, c.good)
	c.root, c.good = nil, nil
}

// save makes the store hold exactly the nodes of t, of those this trie knows. It
// looks at what changed only: a node that was saved has all below it saved.
func (b *base) save(t *trie.Trie) error {
	err := b.change(t)
	if err != nil {
		b.saved.distrust()
	}
	return err
}

func (b *base) change(t *trie.Trie) error {
	c, kept := &b.saved, set{}
	if c.good == nil {
		c.good = set{}
	}
	err := t.Nodes(func(digest []byte) bool {
		known := c.good.has(digest)
		if known {
			kept.add(digest)
		}
		return known
	}, func(digest, preimage []byte) error {
		if err := b.nodes.Set(bytes.Clone(digest), bytes.Clone(preimage)); err != nil {
			return err
		}
		c.good.add(digest)
		return nil
	})
	if err != nil {
		return err
	}
	if c.root != nil {
		if err := b.prune(c.root, kept); err != nil {
			return err
		}
	}
	for digest := range c.loose {
		if !c.good.has([]byte(digest)) {
			if err := b.nodes.Delete([]byte(digest)); err != nil {
				return err
			}
		}
		delete(c.loose, digest)
	}
	c.root = t.Root()
	return nil
}

// prune deletes a saved node and all below it, but what is kept with all below.
func (b *base) prune(digest []byte, kept set) error {
	if b.f.IsPlaceholder(digest) || kept.has(digest) {
		return nil
	}
	preimage, err := b.nodes.Get(digest)
	if err != nil {
		return err
	}
	n, err := b.f.Parse(preimage)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStore, err)
	}
	switch n.Kind {
	case format.Inner:
		err = errors.Join(b.prune(n.Left, kept), b.prune(n.Right, kept))
	case format.Extension:
		err = b.prune(n.Child, kept)
	}
	if err != nil {
		return err
	}
	if err := b.nodes.Delete(digest); err != nil {
		return err
	}
	delete(b.saved.good, string(digest))
	return nil
}
