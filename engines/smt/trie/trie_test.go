package trie

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/iotest"

	"assay/smt/format"
	"assay/smt/model"
	"assay/smt/proof"
	"assay/smt/sha256x"
)

func key(i int) []byte {
	h := sha256.Sum256(fmt.Append(nil, "key", i))
	return h[:]
}

// fill puts the keys from lo to hi.
func fill(t testing.TB, tr *Trie, lo, hi int) {
	t.Helper()
	var b Batch
	for i := lo; i < hi; i++ {
		b.Put(key(i), key(i+1), uint64(i))
	}
	if err := tr.Apply(&b); err != nil {
		t.Fatal(err)
	}
}

func TestBadInputIsRefusedAndChangesNothing(t *testing.T) {
	tr := newTrie(t, Config{Format: format.Format{Sum: format.SumCount, PathHasher: format.IdentityKey}, MaxValue: 10, StrictSum: true})
	good, other := key(0), key(1)
	if err := tr.Update(good, []byte("0123456789"), math.MaxUint64-5); err != nil {
		t.Fatal(err)
	}
	root := tr.Root()
	batch := func(fill func(b *Batch)) *Batch {
		b := new(Batch)
		b.Put(other, nil, 1)
		fill(b)
		return b
	}
	_, _, _, getErr := tr.Get([]byte("short"))
	_, closestErr := tr.ProveClosest(make([]byte, 31))
	_, _, rangeErr := tr.ProveRange(good, nil)
	_, multiErr := tr.ProveMulti([][]byte{good, nil})
	for name, c := range map[string]struct{ err, want error }{
		"update, short key":   {tr.Update([]byte("short"), nil, 0), format.ErrKeyLength},
		"update, long value":  {tr.Update(other, make([]byte, 11), 0), ErrValueTooLong},
		"update, overflow":    {tr.Update(other, nil, 6), ErrSumOverflow},
		"delete, short key":   {tr.Delete(nil), format.ErrKeyLength},
		"delete, absent":      {tr.Delete(other), ErrKeyNotFound},
		"batch, short key":    {tr.Apply(batch(func(b *Batch) { b.Delete(nil) })), format.ErrKeyLength},
		"batch, long value":   {tr.Apply(batch(func(b *Batch) { b.Put(key(2), make([]byte, 11), 0) })), ErrValueTooLong},
		"batch, overflow":     {tr.Apply(batch(func(b *Batch) { b.Put(key(2), nil, 5) })), ErrSumOverflow},
		"batch, absent":       {tr.Apply(batch(func(b *Batch) { b.Delete(key(2)) })), ErrKeyNotFound},
		"bulk, not empty":     {tr.BulkLoad(0, nil), ErrNotEmpty},
		"sorted, not empty":   {tr.LoadSorted(nil), ErrNotEmpty},
		"get":                 {getErr, format.ErrKeyLength},
		"closest":             {closestErr, ErrPathLength},
		"range":               {rangeErr, ErrPathLength},
		"multi":               {multiErr, format.ErrKeyLength},
		"get batch, lengths":  {tr.GetBatch([][]byte{good}, nil), ErrLength},
		"prove batch, length": {tr.ProveBatch([][]byte{good}, nil), ErrLength},
		"iterate":             {tr.Iterate([]byte{1}, nil), ErrPathLength},
		"rollback":            {tr.Rollback(root), ErrUnknownRoot},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, expected %v", name, c.err, c.want)
		}
	}
	if found := tr.Root(); !bytes.Equal(found, root) {
		t.Errorf("root %x, expected %x", found, root)
	}
	// What takes the weight of the old value into account is no overflow.
	if err := tr.Update(good, nil, 1); err != nil {
		t.Error(err)
	}
	if err := tr.Update(other, nil, math.MaxUint64-1); err != nil {
		t.Error(err)
	}
}

// Every pair of bounds at, before and behind leaves gives a proof that verifies, or is refused.
func TestRangesVerifyOrAreRefused(t *testing.T) {
	f := format.Format{PathHasher: format.IdentityKey}
	for _, count := range []int{0, 1, 3} {
		tr := newTrie(t, Config{Format: f})
		fill(t, tr, 0, count)
		bounds := [][]byte{make([]byte, f.HashSize()), bytes.Repeat([]byte{0xff}, f.HashSize())}
		if err := tr.Iterate(nil, func(path, _ []byte) bool {
			before, behind := bytes.Clone(path), bytes.Clone(path)
			before[len(path)-1]--
			behind[len(path)-1]++
			bounds = append(bounds, bytes.Clone(path), before, behind)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		snapshot, err := tr.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer snapshot.Release()
		for _, from := range bounds {
			for _, to := range bounds {
				for _, r := range []interface {
					ProveRange(from, to []byte) (*proof.Range, []proof.Leaf, error)
				}{tr, snapshot} {
					p, leaves, err := r.ProveRange(from, to)
					if bytes.Compare(from, to) > 0 {
						if !errors.Is(err, ErrOrder) || p != nil || leaves != nil {
							t.Errorf("from %x to %x: %v", from, to, err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if ok, err := proof.VerifyRange(f, tr.Root(), from, to, leaves, p); !ok || err != nil {
						t.Errorf("from %x to %x: the proof is refused (%v)", from, to, err)
					}
				}
			}
		}
	}
}

func TestConfigsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   error
	}{
		{Config{Format: format.Format{Sum: 9}}, format.ErrFormat},
		{Config{Workers: -1}, ErrConfig},
		{Config{KeepRoots: -1}, ErrConfig},
		{Config{MaxValue: -1}, ErrConfig},
		{Config{MaxValue: 1<<30 + 1}, ErrConfig},
		{Config{Hashing: 77}, sha256x.ErrUnavailable},
	} {
		if _, err := New(c.config); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, expected %v", c.config, err, c.want)
		}
	}
}

func TestClosedTrieServesNothing(t *testing.T) {
	tr := newTrie(t, Config{})
	fill(t, tr, 0, 10)
	snapshot, err := tr.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := snapshot.Get(key(3)); !ok || err != nil {
		t.Errorf("a snapshot outlives the trie: %v %v", ok, err)
	}
	snapshot.Release()
	_, _, _, getErr := tr.Get(key(3))
	_, proveErr := tr.Prove(key(3))
	_, commitErr := tr.Commit()
	_, snapshotErr := tr.Snapshot()
	for i, err := range []error{
		getErr, proveErr, commitErr, snapshotErr, tr.Update(nil, nil, 0), tr.Delete(nil), tr.Apply(new(Batch)),
		tr.Close(), tr.Check(), tr.Rollback(nil), tr.Export(io.Discard), tr.Import(nil), tr.LoadSorted(nil),
		tr.Nodes(nil, nil), tr.Iterate(nil, nil),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if tr.Root() != nil || tr.Count() != 0 {
		t.Error("root or count of a closed trie")
	}
}

func TestInputIsNeitherKeptNorWrittenTo(t *testing.T) {
	for _, f := range allFormats {
		tr := newTrie(t, Config{Format: f})
		k := bytes.Repeat([]byte{7}, f.HashSize())
		value := append(make([]byte, 0, 200), "value"...)
		spare := value[:cap(value)]
		if err := tr.Update(k, value, 3); err != nil {
			t.Fatal(err)
		}
		value[0], k[0] = 'X', 9
		if !bytes.Equal(spare[5:], make([]byte, 195)) {
			t.Error("the capacity of a value was written to")
		}
		k[0] = 7
		want := f.AppendLeafValue(nil, []byte("value"), 3)
		if found, weight, ok, _ := tr.Get(k); !ok || !bytes.Equal(found, want) || f.Sum != format.NoSum && weight != 3 {
			t.Errorf("%+v: %x weight %d, expected %x", f, found, weight, want)
		}
	}
}

// memoryLog applies the changes of every commit to a map, like a log that is read again.
type memoryLog struct {
	t      *testing.T
	leaves map[string][]byte
	last   string
	err    error
}

func (l *memoryLog) Append(changes *Changes, root []byte) error {
	n := 0
	l.last = ""
	for path, value := range changes.All() {
		if n++; l.last >= string(path) && n > 1 {
			l.t.Error("changes out of order")
		}
		l.last = string(path)
		if value == nil {
			delete(l.leaves, string(path))
		} else {
			l.leaves[string(path)] = bytes.Clone(value)
		}
	}
	if n != changes.Len() {
		l.t.Errorf("%d changes, Len says %d", n, changes.Len())
	}
	return l.err
}

func TestLogGetsWhatChanged(t *testing.T) {
	for _, f := range allFormats[:3] {
		tr, m := newTrie(t, Config{Format: f}), model.New(f)
		log := &memoryLog{t: t, leaves: map[string][]byte{}}
		for round := range 5 {
			for i := range 40 {
				k := key((i + 10*round) % 60)
				if err := errors.Join(tr.Update(k, key(round), 1), m.Update(k, key(round), 1)); err != nil {
					t.Fatal(err)
				}
				if i%3 == 0 {
					if err := errors.Join(tr.Delete(k), m.Delete(k)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := tr.CommitTo(log); err != nil {
				t.Fatal(err)
			}
			if len(log.leaves) != m.Len() {
				t.Fatalf("round %d: the log has %d leaves, expected %d", round, len(log.leaves), m.Len())
			}
			for _, leaf := range m.Leaves() {
				if !bytes.Equal(log.leaves[string(leaf.Path)], leaf.LeafValue) {
					t.Fatalf("round %d: path %x differs", round, leaf.Path)
				}
			}
		}
		log.err = errors.New("disk full")
		if _, err := tr.CommitTo(log); !errors.Is(err, ErrFailed) || !errors.Is(err, log.err) {
			t.Errorf("failed log: %v", err)
		}
		if err := tr.Update(nil, nil, 0); !errors.Is(err, ErrFailed) {
			t.Errorf("after a failed log: %v", err)
		}
	}
}

func TestLoadSortedRefuses(t *testing.T) {
	leaf := func(first byte, size int) proof.Leaf {
		return proof.Leaf{Path: append([]byte{first}, make([]byte, 31)...), LeafValue: make([]byte, size)}
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		leaves []proof.Leaf
		end    error
		want   error
	}{
		"descending":   {[]proof.Leaf{leaf(2, 32), leaf(3, 32), leaf(1, 32)}, io.EOF, ErrOrder},
		"twice":        {[]proof.Leaf{leaf(2, 32), leaf(2, 32)}, io.EOF, ErrOrder},
		"short path":   {[]proof.Leaf{leaf(2, 32), {Path: []byte{3}, LeafValue: make([]byte, 32)}}, io.EOF, ErrPathLength},
		"short value":  {[]proof.Leaf{leaf(2, 32), leaf(3, 31)}, io.EOF, ErrLeafValue},
		"broken input": {[]proof.Leaf{leaf(2, 32), leaf(3, 32)}, broken, broken},
	} {
		tr := newTrie(t, Config{})
		err := tr.LoadSorted(func() ([]byte, []byte, error) {
			if len(c.leaves) == 0 {
				return nil, nil, c.end
			}
			next := c.leaves[0]
			c.leaves = c.leaves[1:]
			return next.Path, next.LeafValue, nil
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, expected %v", name, err, c.want)
		}
		if tr.Count() != 0 || tr.store.leaves.live != 0 || tr.store.branches.live != 0 {
			t.Errorf("%s: leaves something behind", name)
		}
	}
}

func TestImportRefusesEveryDamage(t *testing.T) {
	for _, f := range allFormats[:3] {
		tr := newTrie(t, Config{Format: f})
		fill(t, tr, 0, 5)
		var buf bytes.Buffer
		if err := tr.Export(&buf); err != nil {
			t.Fatal(err)
		}
		export := buf.Bytes()
		fresh := newTrie(t, Config{Format: f})
		for i := range export {
			damaged := bytes.Clone(export)
			damaged[i] ^= 0x10
			if err := fresh.Import(bytes.NewReader(damaged)); err == nil {
				t.Fatalf("byte %d of %d damaged, and accepted", i, len(export))
			}
			if err := fresh.Import(bytes.NewReader(export[:i])); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("cut off at %d: %v", i, err)
			}
		}
		broken := errors.New("connection reset")
		for name, more := range map[string][]byte{"a byte": {0}, "another export": export, "much": make([]byte, 100<<10)} {
			if err := fresh.Import(bytes.NewReader(slices.Concat(export, more))); !errors.Is(err, ErrCorrupt) {
				t.Errorf("followed by %s: %v", name, err)
			}
		}
		if err := fresh.Import(io.MultiReader(bytes.NewReader(export), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("an error at the end: %v", err)
		}
		if fresh.Count() != 0 || !bytes.Equal(fresh.Root(), f.Placeholder()) {
			t.Error("refused imports left something behind")
		}
		if err := fresh.Import(bytes.NewReader(export)); err != nil || !bytes.Equal(fresh.Root(), tr.Root()) {
			t.Errorf("import: %v", err)
		}
	}
}

// Readers of a snapshot see its state, and the race detector no race, while the
// trie commits and reuses what it may.
func TestSnapshotsAreReadDuringCommits(t *testing.T) {
	const keys, readers, rounds = 2000, 3, 30
	tr := newTrie(t, Config{Workers: 2, KeepRoots: 2, Format: format.Format{Sum: format.SumCount}})
	fill(t, tr, 0, keys)
	var group sync.WaitGroup
	defer group.Wait()
	for round := range rounds {
		snapshot, err := tr.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		root, f := snapshot.Root(), tr.Format()
		group.Go(func() {
			defer snapshot.Release()
			var inner sync.WaitGroup
			for r := range readers {
				inner.Go(func() {
					var p proof.Proof
					for i := r; i < 200; i += readers {
						k := i * 7 % keys
						if err := snapshot.ProveInto(&p, key(k)); err != nil {
							t.Error(err)
							return
						}
						value := key(k + 1)
						if k%30 < round {
							value = key(k + k%30)
						}
						if ok, err := proof.Verify(f, root, key(k), value, uint64(k), &p); !ok {
							t.Errorf("round %d key %d: refused (%v)", round, k, err)
							return
						}
					}
				})
			}
			inner.Wait()
		})
		for k := round; k < keys; k += 30 {
			if err := tr.Update(key(k), key(k+k%30), uint64(k)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := tr.Commit(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	tr := newTrie(t, Config{Workers: 1, Format: format.Format{Sum: format.SumCount}})
	fill(t, tr, 0, 5000)
	tr.Root()
	var (
		buf     = make([]byte, 0, 200)
		keys    = [][]byte{key(1), key(2), []byte("absent")}
		missing = []byte("missing")
		out     = make([]Entry, len(keys))
		ps      = make([]proof.Proof, len(keys))
		p       proof.Proof
		next    int
	)
	for name, do := range map[string]func(){
		"get":         func() { buf, _, _, _ = tr.AppendGet(buf[:0], keys[0]) },
		"get batch":   func() { tr.GetBatch(keys, out) },
		"prove":       func() { tr.ProveInto(&p, keys[next%3]); next++ },
		"prove batch": func() { tr.ProveBatch(keys, ps) },
		"delete of an absent key": func() {
			if !errors.Is(tr.Delete(missing), ErrKeyNotFound) {
				t.Error("an absent key was deleted")
			}
		},
		"update and root": func() {
			next++
			tr.Update(keys[next%3], keys[0], uint64(next))
			buf, _ = tr.AppendRoot(buf[:0])
		},
	} {
		for range 20 {
			do() // grows the buffers
		}
		if n := testing.AllocsPerRun(100, do); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Hash counts tell more exactly than times whether only what must be is hashed.
func TestHashCounts(t *testing.T) {
	const n = 20_000
	tr := newTrie(t, Config{})
	fill(t, tr, 0, n)
	tr.Root()
	perKey := float64(tr.Stats().NodeHashes) / n
	if math.Abs(perKey-2.4427) > 0.02 {
		t.Errorf("bulk fill: %.4f node hashes a key, expected 2.4427", perKey)
	}
	before := tr.Stats().NodeHashes
	for i := range 100 {
		tr.Update(key(i), nil, 0)
		tr.Root()
	}
	perKey = float64(tr.Stats().NodeHashes-before) / 100
	if want := math.Log2(n) + 2.3; math.Abs(perKey-want) > 0.5 {
		t.Errorf("single updates: %.2f node hashes each, expected %.2f", perKey, want)
	}
	before = tr.Stats().NodeHashes
	tr.Root()
	if tr.Stats().NodeHashes != before {
		t.Error("an unchanged trie was hashed")
	}
}

// A path that differs from another in its last bit only makes chains of all depths.
func TestDeepChains(t *testing.T) {
	for _, f := range []format.Format{{PathHasher: format.IdentityKey}, {PathHasher: format.IdentityKey, Hash: format.SHA512, Sum: format.Sum8}} {
		tr, m := newTrie(t, Config{Format: f, Workers: 2}), model.New(f)
		for i := range 8 * f.HashSize() {
			k := make([]byte, f.HashSize())
			k[i/8] ^= 0x80 >> (i % 8)
			if i%3 == 0 {
				k = make([]byte, f.HashSize())
				k[len(k)-1] = byte(i)
			}
			if err := errors.Join(tr.Update(k, k, 1), m.Update(k, k, 1)); err != nil {
				t.Fatal(err)
			}
			if i%31 == 0 {
				tr.Root()
			}
		}
		if !bytes.Equal(tr.Root(), m.Root()) {
			t.Errorf("%+v: root differs", f)
		}
	}
}

func TestMemoryComesBack(t *testing.T) {
	tr := newTrie(t, Config{Format: format.Format{ValueHasher: format.RawValue}, KeepRoots: 1})
	var first int
	for round := range 6 {
		for i := range 1000 {
			tr.Update(key(i), bytes.Repeat([]byte{1}, 50+i%100), 0)
		}
		tr.Commit()
		for i := range 1000 {
			tr.Delete(key(i))
		}
		tr.Commit()
		tr.Commit() // the version with the keys goes
		if round == 0 {
			first = tr.store.used()
		}
	}
	if tr.store.leaves.live != 0 || tr.store.branches.live != 0 || tr.store.used() > first*3/2 {
		t.Errorf("%d leaves, %d branches live, %d bytes after %d", tr.store.leaves.live, tr.store.branches.live, tr.store.used(), first)
	}
}
