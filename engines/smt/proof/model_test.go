package proof_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"assay/smt/format"
	"assay/smt/model"
)

// formats are the formats of the property tests. Identity paths have long common
// prefixes, see world.key.
var formats = map[string]format.Format{
	"smt":          {},
	"smt raw deep": {ValueHasher: format.RawValue, PathHasher: format.IdentityKey},
	"smst":         {Sum: format.SumCount},
	"smst deep":    {Sum: format.SumCount, PathHasher: format.IdentityKey, ValueHasher: format.RawValue},
	"sum8":         {Sum: format.Sum8},
	"sha512":       {Hash: format.SHA512, Sum: format.SumCount},
}

// world is a random trie and what it should hold.
type world struct {
	f      format.Format
	rng    *rand.Rand
	model  *model.Model
	values map[string]entry // by key
}

type entry struct {
	value  []byte
	weight uint64
}

func newWorld(t testing.TB, f format.Format, seed uint64, keys int) *world {
	t.Helper()
	w := &world{f, rand.New(rand.NewPCG(seed, 1)), model.New(f), map[string]entry{}}
	for range keys {
		w.put(t, w.key(), w.entry())
	}
	return w
}

// key is one of about 200 keys. As paths they are 0 but for two bits.
func (w *world) key() []byte {
	if w.f.PathHasher == format.HashKey {
		return binary.AppendUvarint(nil, w.rng.Uint64N(200))
	}
	key := make([]byte, w.f.HashSize())
	for _, bit := range []int{w.rng.IntN(10), 8*len(key) - 1 - w.rng.IntN(20)} {
		key[bit/8] |= 0x80 >> (bit % 8)
	}
	return key
}

func (w *world) entry() entry {
	value := make([]byte, w.rng.IntN(4)) // empty values too
	for i := range value {
		value[i] = byte(w.rng.Uint32())
	}
	return entry{value, w.rng.Uint64()}
}

func (w *world) put(t testing.TB, key []byte, e entry) {
	t.Helper()
	if err := w.model.Update(key, e.value, e.weight); err != nil {
		t.Fatal(err)
	}
	w.values[string(key)] = e
}

func (w *world) delete(t testing.TB, key []byte) {
	t.Helper()
	if err := w.model.Delete(key); err != nil {
		t.Fatal(err)
	}
	delete(w.values, string(key))
}

// sizes are the numbers of keys put in the property tests; some keys are one.
var sizes = []int{0, 1, 2, 3, 10, 60, 300}
