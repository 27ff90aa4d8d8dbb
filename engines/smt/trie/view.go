package trie

import (
	"fmt"
	"unsafe"

	"assay/smt/format"
)

// view is a state that can be read: the newest one until the next change, or a
// frozen one.
type view struct {
	s      *store
	root   ref
	digest []byte // of the root
	// directory is that of the newest state, or nil
	directory *directory
}

// now is the newest state, valid until the next change.
func (t *Trie) now() view {
	v := view{s: &t.store, root: *t.store.child(rootSlot), digest: t.store.digestAt(rootSlot)}
	if t.directory.depth > 0 {
		v.directory = &t.directory
	}
	return v
}

// clone is the view of a state that will be frozen.
func (v view) clone() view {
	v.digest = append([]byte(nil), v.digest...)
	v.directory = nil
	return v
}

// seek is the leaf a walk by the bits of path alone ends at: no other leaf shares
// more leading bits with path. The trie must not be empty.
func (v view) seek(path []byte) uint32 {
	r := v.start(path)
	for !r.isLeaf() {
		b := v.s.branch(r.index())
		r = b.child[format.Bit(path, int(b.depth))]
	}
	return r.index()
}

// lanes is how many walks go side by side.
const lanes = 16

// find is the leaf value of path, with sum and count; part of the store.
func (v view) find(path []byte) (leafValue []byte, ok bool) {
	if v.root == 0 {
		return nil, false
	}
	i := v.seek(path)
	if string(v.s.path(i)) != string(path) {
		return nil, false
	}
	return v.s.leafValue(i), true
}

func (s *store) weight(leafValue []byte) uint64 {
	weight, _ := s.Meta(leafValue)
	return weight
}

func (v view) appendGet(dst, key []byte) ([]byte, uint64, bool, error) {
	var buf pathBuffer
	path := buf[:v.s.hash]
	if err := v.s.pathOf(path, key); err != nil {
		return dst, 0, false, err
	}
	leafValue, ok := v.find(path)
	if !ok {
		return dst, 0, false, nil
	}
	return append(dst, leafValue...), v.s.weight(leafValue), true, nil
}

func (v view) get(key []byte) ([]byte, uint64, bool, error) {
	value, weight, ok, err := v.appendGet(nil, key)
	if ok && value == nil {
		value = []byte{}
	}
	return value, weight, ok, err
}

// Entry is a result of GetBatch.
type Entry struct {
	LeafValue []byte // hash of the value or the value itself, then sum and count
	Weight    uint64
	Found     bool
}

func (v view) getBatch(keys [][]byte, out []Entry) error {
	if len(keys) != len(out) {
		return fmt.Errorf("%w: %d keys, %d entries", ErrLength, len(keys), len(out))
	}
	var w walks
	for len(keys) > 0 {
		n := min(lanes, len(keys))
		if err := v.hashGroup(&w, keys[:n]); err != nil {
			return err
		}
		v.seekGroup(&w, n)
		for i := range n {
			e := &out[i]
			*e = Entry{LeafValue: e.LeafValue[:0]}
			if leafValue, ok := v.found(&w, i); ok {
				*e = Entry{append(e.LeafValue, leafValue...), v.s.weight(leafValue), true}
			}
		}
		keys, out = keys[n:], out[n:]
	}
	return nil
}

// walks are the walks of a group of keys.
type walks struct {
	paths [lanes * len(pathBuffer{})]byte // one after the other, of the format's size
	at    [lanes]ref                      // leaves where they end, if the trie is not empty
}

func (v view) pathIn(w *walks, i int) []byte { return w.paths[i*v.s.hash:][:v.s.hash] }

// hashGroup writes the paths of up to lanes keys.
func (v view) hashGroup(w *walks, keys [][]byte) error {
	if v.s.PathHasher == format.HashKey && v.s.Hash == format.SHA256 {
		v.s.sha.SumMany(unsafe.Slice((*[32]byte)(w.paths[:]), len(keys)), keys)
		return nil
	}
	for i, key := range keys {
		if err := v.s.pathOf(v.pathIn(w, i), key); err != nil {
			return err
		}
	}
	return nil
}

// seekGroup is seek for the first n paths: the cache misses of a step overlap.
func (v view) seekGroup(w *walks, n int) {
	if v.root == 0 {
		return
	}
	for i := range n {
		w.at[i] = v.start(w.paths[i*v.s.hash:])
	}
	for i := 0; i < n; i += 2 {
		prefetch(v.s.place(w.at[i]), v.s.place(w.at[min(i+1, n-1)]))
	}
	for walking := true; walking; {
		walking = false
		for i, r := range w.at[:n] {
			if !r.isLeaf() {
				b := v.s.branch(r.index())
				r = b.child[format.Bit(w.paths[i*v.s.hash:], int(b.depth))]
				w.at[i] = r
				place := v.s.place(r)
				prefetch(place, place)
				walking = true
			}
		}
	}
}

// found is find for path i after seekGroup.
func (v view) found(w *walks, i int) (leafValue []byte, ok bool) {
	if v.root == 0 {
		return nil, false
	}
	leaf := w.at[i].index()
	if string(v.s.path(leaf)) != string(v.pathIn(w, i)) {
		return nil, false
	}
	return v.s.leafValue(leaf), true
}

// walk calls fn for the leaves of a subtree in path order until it says false.
func (v view) walk(r ref, fn func(leaf uint32) bool) bool {
	if r == 0 {
		return true
	}
	if r.isLeaf() {
		return fn(r.index())
	}
	children := v.s.branch(r.index()).child
	return v.walk(children[0], fn) && v.walk(children[1], fn)
}

// walkFrom is walk of the whole trie from a path on.
func (v view) walkFrom(from []byte, fn func(leaf uint32) bool) {
	if v.root == 0 {
		return
	}
	match := format.CommonPrefix(from, v.s.path(v.seek(from)))
	v.walkAfter(v.root, from, match, fn)
}

// walkAfter is walkFrom in a subtree that shares the bits of from as far as its
// branches above match tell.
func (v view) walkAfter(r ref, from []byte, match int, fn func(leaf uint32) bool) bool {
	if !r.isLeaf() {
		if b := v.s.branch(r.index()); int(b.depth) < match {
			if format.Bit(from, int(b.depth)) == 1 {
				return v.walkAfter(b.child[1], from, match, fn)
			}
			return v.walkAfter(b.child[0], from, match, fn) && v.walk(b.child[1], fn)
		}
	}
	// All of the subtree is on one side of from, or is the leaf at from.
	if match == v.s.PathBits() || format.Bit(from, match) == 0 {
		return v.walk(r, fn)
	}
	return true
}

func (v view) iterate(from []byte, fn func(path, leafValue []byte) bool) error {
	if len(from) == 0 {
		from = make([]byte, v.s.hash)
	}
	if err := v.checkPath(from); err != nil {
		return err
	}
	v.walkFrom(from, func(i uint32) bool { return fn(v.s.path(i), v.s.leafValue(i)) })
	return nil
}

func (v view) checkPath(path []byte) error {
	if len(path) != v.s.hash {
		return fmt.Errorf("%w: %d bytes, expected %d", ErrPathLength, len(path), v.s.hash)
	}
	return nil
}
