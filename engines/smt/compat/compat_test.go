package compat_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"
	"maps"
	"slices"
	"testing"

	"assay/smt/compat"
	"assay/smt/format"
	"assay/smt/internal/vectors"
)

// identity is the path hasher of keys that are paths.
type identity struct{ size int }

func (identity) Path(key []byte) []byte { return key }
func (h identity) PathSize() int        { return h.size }

// options are those of a format, and its hash.
func options(f format.Format) (hash.Hash, []compat.TrieSpecOption) {
	var o []compat.TrieSpecOption
	if f.PathHasher == format.IdentityKey {
		o = append(o, compat.WithPathHasher(identity{f.HashSize()}))
	}
	if f.ValueHasher == format.RawValue {
		o = append(o, compat.WithValueHasher(nil))
	}
	if f.Hash == format.SHA512 {
		return sha512.New(), o
	}
	return sha256.New(), o
}

// trie is either sort of trie with one set of methods.
type trie struct {
	smt  *compat.SMT
	smst *compat.SMST
}

func open(f format.Format, nodes compat.MapStore, root []byte) trie {
	h, o := options(f)
	switch {
	case f.Sum == format.NoSum && root == nil:
		return trie{smt: compat.NewSparseMerkleTrie(nodes, h, o...)}
	case f.Sum == format.NoSum:
		return trie{smt: compat.ImportSparseMerkleTrie(nodes, h, root, o...)}
	case root == nil:
		return trie{smst: compat.NewSparseMerkleSumTrie(nodes, h, o...)}
	}
	return trie{smst: compat.ImportSparseMerkleSumTrie(nodes, h, root, o...)}
}

func (t trie) Update(key, value []byte, weight uint64) error {
	if t.smt != nil {
		return t.smt.Update(key, value)
	}
	return t.smst.Update(key, value, weight)
}

func (t trie) Delete(key []byte) error {
	if t.smt != nil {
		return t.smt.Delete(key)
	}
	return t.smst.Delete(key)
}

func (t trie) Commit() error {
	if t.smt != nil {
		return t.smt.Commit()
	}
	return t.smst.Commit()
}

func (t trie) Root() []byte {
	if t.smt != nil {
		return t.smt.Root()
	}
	return t.smst.Root()
}

func (t trie) Prove(key []byte) (*compat.SparseMerkleProof, error) {
	if t.smt != nil {
		return t.smt.Prove(key)
	}
	return t.smst.Prove(key)
}

func (t trie) Spec() *compat.TrieSpec {
	if t.smt != nil {
		return t.smt.Spec()
	}
	return t.smst.Spec()
}

func TestHistoriesWithCommitAndImport(t *testing.T) {
	cases := vectors.Cases(t, min(1200, vectors.MaxKeys(t)))
	stores := map[string]vectors.Store{}
	for _, s := range vectors.Stores(t) {
		stores[s.Case] = s
	}
	for _, c := range cases {
		f := c.Format()
		m := map[string][]byte{}
		nodes := compat.NewSimpleMapWithMap(m)
		trie := open(f, nodes, nil)
		for i, s := range c.Steps {
			c.Apply(t, s, trie)
			if s.Op == "commit" || s.Op == "reimport" {
				if err := trie.Commit(); err != nil {
					t.Fatal(err)
				}
			}
			if s.Op == "reimport" {
				trie = open(f, nodes, s.Root)
			}
			if !bytes.Equal(trie.Root(), s.Root) {
				t.Fatalf("%s, step %d: root %x, expected %x", c.ID, i, trie.Root(), s.Root)
			}
			if s.StoreLen != nil && len(m) != *s.StoreLen {
				t.Errorf("%s, step %d: %d nodes stored, expected %d", c.ID, i, len(m), *s.StoreLen)
			}
		}
		if store, ok := stores[c.ID]; ok {
			if err := trie.Commit(); err != nil {
				t.Fatal(err)
			}
			equalStore(t, f, m, store)
		}
	}
}

func equalStore(t *testing.T, f format.Format, m map[string][]byte, want vectors.Store) {
	t.Helper()
	if len(m) != len(want.Nodes) {
		t.Errorf("%s: %d nodes, expected %d", want.Case, len(m), len(want.Nodes))
	}
	for _, node := range want.Nodes {
		preimage := []byte(node.Preimage)
		if n, err := f.Parse(preimage); err != nil {
			t.Fatal(err)
		} else if n.Kind == format.Extension {
			preimage = f.AppendExtension(nil, n.Start, n.End, n.Path, n.Child)
		}
		if !bytes.Equal(m[string(node.Digest)], preimage) {
			t.Errorf("%s, node %x: %x, expected %x", want.Case, node.Digest, m[string(node.Digest)], preimage)
		}
	}
}

// The published stores have arbitrary bits in extensions, and after deletes chains
// in several forms; they are read, and written anew by the next commit.
func TestImportOfAPublishedStore(t *testing.T) {
	cases := vectors.CaseMap(t)
	for _, store := range vectors.Stores(t) {
		c := cases[store.Case]
		f := c.Format()
		m := map[string][]byte{}
		for _, n := range store.Nodes {
			m[string(n.Digest)] = n.Preimage
		}
		before := maps.Clone(m)
		trie := open(f, compat.NewSimpleMapWithMap(m), store.Root)
		if _, err := trie.Prove(c.Key(0)); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if !maps.EqualFunc(m, before, bytes.Equal) {
			t.Errorf("%s: reading changed the store", c.ID)
		}
		if err := trie.Commit(); err != nil {
			t.Fatal(err)
		}
		equalStore(t, f, m, store)
	}
}

func TestImportRefuses(t *testing.T) {
	nodes := map[string][]byte{}
	trie := compat.NewSparseMerkleTrie(compat.NewSimpleMapWithMap(nodes), sha256.New())
	for i := range byte(20) {
		if err := trie.Update([]byte{i}, []byte{i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := trie.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		root []byte
		err  error
	}{
		{"unknown root", make([]byte, 31), compat.ErrKVStoreKeyNotFound},
		{"nil root", nil, compat.ErrKVStoreEmptyKey},
	} {
		_, err := compat.ImportSparseMerkleTrie(compat.NewSimpleMapWithMap(nodes), sha256.New(), c.root).Get([]byte("key"))
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, expected %v", c.name, err, c.err)
		}
	}
	for digest, preimage := range nodes { // a damaged store
		bad := maps.Clone(nodes)
		bad[digest] = slices.Clone(preimage)
		bad[digest][len(preimage)-1] ^= 1
		_, err := compat.ImportSparseMerkleTrie(compat.NewSimpleMapWithMap(bad), sha256.New(), trie.Root()).Get([]byte("key"))
		if !errors.Is(err, compat.ErrStore) {
			t.Fatalf("%v, expected ErrStore", err)
		}
	}
}

func TestGetAndTotals(t *testing.T) {
	trie := compat.NewSparseMerkleSumTrie(compat.NewSimpleMap(), sha256.New(), compat.WithValueHasher(nil))
	for i := range byte(5) {
		if err := trie.Update([]byte{i}, []byte{'v', i}, uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	value, weight, err := trie.Get([]byte{3})
	if string(value) != "v\x03" || weight != 3 || err != nil {
		t.Errorf("%q, %d, %v", value, weight, err)
	}
	value, weight, err = trie.Get([]byte("absent"))
	if value != nil || weight != 0 || err != nil {
		t.Errorf("absent: %q, %d, %v", value, weight, err)
	}
	if trie.MustSum() != 10 || trie.MustCount() != 5 {
		t.Errorf("sum %d and count %d, expected 10 and 5", trie.MustSum(), trie.MustCount())
	}
	if err := trie.Delete([]byte("absent")); !errors.Is(err, compat.ErrKeyNotFound) {
		t.Errorf("%v, expected ErrKeyNotFound", err)
	}
	if _, err := trie.ProveClosest([]byte("short")); !errors.Is(err, compat.ErrInvalidClosestPath) {
		t.Errorf("%v, expected ErrInvalidClosestPath", err)
	}
}

func TestUnsupportedHashers(t *testing.T) {
	trie := compat.NewSparseMerkleTrie(compat.NewSimpleMap(), sha256.New224())
	if err := trie.Update([]byte("key"), nil); !errors.Is(err, compat.ErrHasher) {
		t.Errorf("SHA-224: %v, expected ErrHasher", err)
	}
	if trie.Root() != nil {
		t.Errorf("root %x of a trie that has no hash", trie.Root())
	}
	for _, o := range []compat.TrieSpecOption{compat.WithPathHasher(nil), compat.WithPathHasher(constant{}), compat.WithValueHasher(constant{})} {
		trie := compat.NewSparseMerkleTrie(compat.NewSimpleMap(), sha256.New(), o)
		if _, err := trie.Get([]byte("key")); !errors.Is(err, compat.ErrHasher) {
			t.Errorf("%v, expected ErrHasher", err)
		}
	}
}

type constant struct{}

func (constant) Path([]byte) []byte      { return make([]byte, 32) }
func (constant) PathSize() int           { return 32 }
func (constant) HashValue([]byte) []byte { return make([]byte, 32) }
func (constant) ValueHashSize() int      { return 32 }
