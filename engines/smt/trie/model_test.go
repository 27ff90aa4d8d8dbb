package trie

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/smt/format"
	"assay/smt/model"
	"assay/smt/proof"
	"assay/smt/sha256x"
)

var allFormats = []format.Format{
	{},
	{Sum: format.SumCount},
	{Sum: format.Sum8, ValueHasher: format.RawValue},
	{PathHasher: format.IdentityKey},
	{PathHasher: format.IdentityKey, ValueHasher: format.RawValue, Sum: format.SumCount},
	{Hash: format.SHA512, Sum: format.SumCount},
	{Hash: format.SHA512, PathHasher: format.IdentityKey, ValueHasher: format.RawValue},
}

type content struct {
	value  []byte
	weight uint64
}

type contents map[string]content

func (c contents) model(t testing.TB, f format.Format) *model.Model {
	m := model.New(f)
	for key, e := range c {
		if err := m.Update([]byte(key), e.value, e.weight); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// world is a history that several tries go through, with what they should hold.
type world struct {
	t         testing.TB
	f         format.Format
	rng       *rand.Rand
	keys      [][]byte
	now       contents
	tries     []*Trie
	kept      []contents // of the last commits, newest last
	snapshots []snapshots
}

type snapshots struct {
	of   []*Snapshot // one a trie
	want contents
}

const keepRoots = 3

func newWorld(t testing.TB, f format.Format, seed uint64, keys int) *world {
	w := &world{t: t, f: f, rng: rand.New(rand.NewPCG(seed, 1)), now: contents{}}
	prefix := w.bytes(f.HashSize())
	for range keys {
		key := w.bytes(w.rng.IntN(40))
		if f.PathHasher == format.IdentityKey { // many share long prefixes
			key = bytes.Clone(prefix)
			from := w.rng.IntN(8 * len(key))
			key[from/8] ^= 0x80 >> (from % 8)
			if w.rng.IntN(2) == 0 {
				copy(key[from/8+1:], w.bytes(len(key)))
			}
		}
		w.keys = append(w.keys, key)
	}
	for _, c := range []Config{
		{Workers: 1, Hashing: sha256x.Std},
		{Workers: 2, KeepRoots: keepRoots},
		{Workers: 3, KeepRoots: keepRoots, Hashing: sha256x.Best()},
	} {
		c.Format = f
		w.tries = append(w.tries, newTrie(t, c))
	}
	return w
}

func (w *world) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.rng.Uint32())
	}
	return b
}

func (w *world) key() []byte { return w.keys[w.rng.IntN(len(w.keys))] }

// change makes n random changes, one by one in the first trie, as a batch in the others.
func (w *world) change(n, deletes int) {
	var b Batch
	before := maps.Clone(w.now)
	for range n {
		key := w.key()
		_, there := w.now[string(key)]
		if w.rng.IntN(100) < deletes {
			err := w.tries[0].Delete(key)
			if there != (err == nil) || err != nil && !errors.Is(err, ErrKeyNotFound) {
				w.t.Fatalf("delete of a key, present %v: %v", there, err)
			}
			if there {
				b.Delete(key)
				delete(w.now, string(key))
			}
			continue
		}
		e := content{w.bytes(w.rng.IntN(90)), w.rng.Uint64()}
		if err := w.tries[0].Update(key, e.value, e.weight); err != nil {
			w.t.Fatal(err)
		}
		b.Put(key, e.value, e.weight)
		w.now[string(key)] = e
	}
	for _, tr := range w.tries[1:] {
		if absent := w.absent(before); absent != nil { // refused as a whole
			bad := Batch{data: slices.Clone(b.data), ops: slices.Clone(b.ops)}
			bad.Put(absent, nil, 0)
			bad.Delete(absent)
			bad.Delete(absent)
			var op *OpError
			if err := tr.Apply(&bad); !errors.As(err, &op) || op.Index != bad.Len()-1 || !errors.Is(err, ErrKeyNotFound) {
				w.t.Fatalf("bad batch: %v", err)
			}
		}
		if err := tr.Apply(&b); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) absent(c contents) []byte {
	for range 5 {
		if key := w.key(); c[string(key)].value == nil && w.now[string(key)].value == nil {
			return key
		}
	}
	return nil
}

func (w *world) commit() {
	for _, tr := range w.tries {
		if _, err := tr.Commit(); err != nil {
			w.t.Fatal(err)
		}
	}
	w.kept = append(w.kept, maps.Clone(w.now))
	w.kept = w.kept[max(0, len(w.kept)-keepRoots):]
}

func (w *world) rollback() {
	if len(w.kept) == 0 {
		return
	}
	i := w.rng.IntN(len(w.kept))
	root := w.kept[i].model(w.t, w.f).Root()
	for j := len(w.kept) - 1; j > i; j-- { // equal roots: the newest
		if bytes.Equal(w.kept[j].model(w.t, w.f).Root(), root) {
			i = j
		}
	}
	for _, tr := range w.tries[1:] {
		if err := tr.Rollback(root); err != nil {
			w.t.Fatal(err)
		}
	}
	// The first trie keeps no roots: it gets there by changes.
	for key := range w.now {
		if _, stays := w.kept[i][key]; !stays {
			if err := w.tries[0].Delete([]byte(key)); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	for key, e := range w.kept[i] {
		if err := w.tries[0].Update([]byte(key), e.value, e.weight); err != nil {
			w.t.Fatal(err)
		}
	}
	w.now, w.kept = maps.Clone(w.kept[i]), w.kept[:i+1]
}

func (w *world) snapshot() {
	s := snapshots{want: maps.Clone(w.now)}
	for _, tr := range w.tries {
		one, err := tr.Snapshot()
		if err != nil {
			w.t.Fatal(err)
		}
		s.of = append(s.of, one)
	}
	w.snapshots = append(w.snapshots, s)
}

func (w *world) release(i int) {
	for _, s := range w.snapshots[i].of {
		s.Release()
		if _, _, _, err := s.Get(nil); !errors.Is(err, ErrReleased) {
			w.t.Fatalf("get after release: %v", err)
		}
	}
	w.snapshots = slices.Delete(w.snapshots, i, i+1)
}

// reader is what tries and snapshots have in common.
type reader interface {
	Get(key []byte) ([]byte, uint64, bool, error)
	GetBatch(keys [][]byte, out []Entry) error
	Prove(key []byte) (*proof.Proof, error)
	ProveBatch(keys [][]byte, out []proof.Proof) error
	ProveClosest(path []byte) (*proof.Closest, error)
	ProveMulti(keys [][]byte) (*proof.Multi, error)
	ProveRange(from, to []byte) (*proof.Range, []proof.Leaf, error)
	Iterate(from []byte, fn func(path, leafValue []byte) bool) error
	Nodes(known func(digest []byte) bool, fn func(digest, preimage []byte) error) error
	Count() uint64
	Root() []byte
}

// check compares everything with the model.
func (w *world) check() {
	w.t.Helper()
	m := w.now.model(w.t, w.f)
	for i, tr := range w.tries {
		w.compare(fmt.Sprintf("trie %d", i), tr, m)
		if err := tr.Check(); err != nil {
			w.t.Fatal(err)
		}
		w.accounts(tr)
	}
	for _, s := range w.snapshots {
		m := s.want.model(w.t, w.f)
		for i, one := range s.of {
			w.compare(fmt.Sprintf("snapshot of trie %d", i), one, m)
		}
	}
}

func (w *world) compare(what string, r reader, m *model.Model) {
	w.t.Helper()
	root := m.Root()
	if found := r.Root(); !bytes.Equal(found, root) {
		w.t.Fatalf("%s: root %x, model %x", what, found, root)
	}
	if r.Count() != uint64(m.Len()) {
		w.t.Fatalf("%s: %d keys, model %d", what, r.Count(), m.Len())
	}
	same := func(part string, found, want any, err error) {
		w.t.Helper()
		if err != nil || fmt.Sprintf("%x", found) != fmt.Sprintf("%x", want) {
			w.t.Fatalf("%s, %s: %x, model %x (%v)", what, part, found, want, err)
		}
	}
	keys := [][]byte{w.key(), w.key(), w.key()}
	entries, proofs := make([]Entry, len(keys)), make([]proof.Proof, len(keys))
	if err := errors.Join(r.GetBatch(keys, entries), r.ProveBatch(keys, proofs)); err != nil {
		w.t.Fatal(err)
	}
	for i, key := range keys {
		value, _, ok, err := r.Get(key)
		want, present := m.Get(key)
		same("get", value, want, err)
		same("get batch", entries[i].LeafValue, want, nil)
		if ok != present || entries[i].Found != present {
			w.t.Fatalf("%s: found %v and %v, model %v", what, ok, entries[i].Found, present)
		}
		p, err := r.Prove(key)
		if err != nil {
			w.t.Fatal(err)
		}
		wantProof, _ := m.Prove(key)
		if err := errors.Join(sameProof(w.f, p, wantProof), sameProof(w.f, &proofs[i], wantProof)); err != nil {
			w.t.Fatalf("%s: %v", what, err)
		}
		path := w.bytes(w.f.HashSize())
		if i == 0 && w.f.PathHasher == format.IdentityKey {
			path = key
		}
		c, err := r.ProveClosest(path)
		same("closest", c.ClosestProof.SiblingData, m.ProveClosest(path).ClosestProof.SiblingData, err)
		if ok, err := proof.VerifyClosest(w.f, root, c); !ok && m.Len() > 0 || err != nil {
			w.t.Fatalf("%s: closest proof refused (%v)", what, err)
		}
	}
	multi, err := r.ProveMulti(keys)
	wantMulti, _ := m.ProveMulti(keys)
	same("multi", *multi, *wantMulti, err)
	bounds := [][]byte{w.bytes(w.f.HashSize()), w.bytes(w.f.HashSize())}
	if w.f.PathHasher == format.IdentityKey {
		bounds = [][]byte{w.key(), w.key()}
	}
	slices.SortFunc(bounds, bytes.Compare)
	span, leaves, err := r.ProveRange(bounds[0], bounds[1])
	wantSpan, wantLeaves := m.ProveRange(bounds[0], bounds[1])
	same("range leaves", leaves, wantLeaves, err)
	same("range side nodes", span.SideNodes, wantSpan.SideNodes, nil)
	if ok, err := proof.VerifyRange(w.f, root, bounds[0], bounds[1], leaves, span); !ok || err != nil {
		w.t.Fatalf("%s: range proof refused (%v)", what, err)
	}
	var after []proof.Leaf
	err = r.Iterate(bounds[0], func(path, leafValue []byte) bool {
		after = append(after, proof.Leaf{Path: bytes.Clone(path), LeafValue: bytes.Clone(leafValue)})
		return true
	})
	_, wantAfter := m.ProveRange(bounds[0], bytes.Repeat([]byte{0xff}, w.f.HashSize()))
	same("iterate", after, wantAfter, err)
	nodes := map[string][]byte{}
	err = r.Nodes(nil, func(digest, preimage []byte) error {
		nodes[string(digest)] = bytes.Clone(preimage)
		return nil
	})
	same("nodes", nodes, m.Nodes(), err)
}

// accounts checks that no memory is lost: what is live in the arenas is what the
// states reach.
func (w *world) accounts(tr *Trie) {
	w.t.Helper()
	reached := map[ref]bool{}
	var visit func(r ref)
	visit = func(r ref) {
		if r == 0 || reached[r] {
			return
		}
		reached[r] = true
		if !r.isLeaf() {
			visit(tr.store.branch(r.index()).child[0])
			visit(tr.store.branch(r.index()).child[1])
		}
	}
	tr.reclaim()
	visit(tr.now().root)
	for _, v := range tr.history.frozen {
		visit(v.root)
	}
	leaves, values := 0, 0
	for r := range reached {
		if r.isLeaf() {
			leaves++
		}
	}
	for _, a := range tr.store.values {
		if a != nil {
			values += a.live
		}
	}
	if tr.store.leaves.live != leaves || tr.store.branches.live != len(reached)-leaves || values > leaves {
		w.t.Fatalf("%d leaves, %d branches and %d values are live, %d and %d are reached",
			tr.store.leaves.live, tr.store.branches.live, values, leaves, len(reached)-leaves)
	}
}

// run takes steps that the bytes of a script choose.
func (w *world) run(script []byte) {
	for _, step := range script {
		switch n := int(step >> 3); step & 7 {
		case 0, 1:
			w.change(n+1, 30)
		case 2:
			w.change(8*n+1, 60)
		case 3:
			w.commit()
		case 4:
			w.check()
		case 5:
			w.snapshot()
		case 6:
			if len(w.snapshots) > 0 {
				w.release(n % len(w.snapshots))
			}
		case 7:
			w.rollback()
		}
		if len(w.snapshots) > 4 {
			w.release(int(step) % len(w.snapshots))
		}
	}
	w.check()
	for len(w.snapshots) > 0 {
		w.release(0)
	}
	w.check()
}

func TestHistoriesAgreeWithTheModel(t *testing.T) {
	for i, f := range allFormats {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%d/%d", i, seed), func(t *testing.T) {
				w := newWorld(t, f, seed, 60)
				w.run(w.bytes(40))
			})
		}
	}
}

func FuzzHistory(f *testing.F) {
	f.Add(uint8(0), uint64(1), []byte{0, 3, 5, 10, 3, 7, 4, 6, 255})
	f.Fuzz(func(t *testing.T, form uint8, seed uint64, script []byte) {
		w := newWorld(t, allFormats[int(form)%len(allFormats)], seed, 30)
		w.run(script[:min(len(script), 60)])
	})
}
