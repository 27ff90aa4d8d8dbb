package triebench

import (
	"encoding/binary"
	"flag"
	"io"
	"math/rand/v2"
	"strconv"

	"assay/gocommon/seed"
)

// keyCount is the scale of all benchmarks.
var keyCount = flag.Int("keys", 1000, "number of keys in the trie")

// KeyCount returns the number of keys in the trie as it was given.
func KeyCount() int { return *keyCount }

// Entries are keys with their values and weights, in order, without pointers.
type Entries struct {
	data    []byte
	starts  []uint32 // of key 0, value 0, key 1, value 1, and so on; then the end of the last value
	weights []uint64
}

// Len returns the number of keys.
func (e Entries) Len() int { return len(e.weights) }

// Bytes returns the length of all keys and values together.
func (e Entries) Bytes() int { return int(e.starts[len(e.starts)-1] - e.starts[0]) }

// At returns the i-th entry. The slices must not be changed.
func (e Entries) At(i int) (key, value []byte, weight uint64) {
	k, v, end := e.starts[2*i], e.starts[2*i+1], e.starts[2*i+2]
	return e.data[k:v:v], e.data[v:end:end], e.weights[i]
}

// Key returns the i-th key, which must not be changed.
func (e Entries) Key(i int) []byte {
	k, v := e.starts[2*i], e.starts[2*i+1]
	return e.data[k:v:v]
}

// Slice returns the entries from the index from up to, without, the index to.
func (e Entries) Slice(from, to int) Entries {
	return Entries{e.data, e.starts[2*from : 2*to+1], e.weights[from:to]}
}

// Reader returns a function that gives one entry after the other, then io.EOF.
func (e Entries) Reader() func() (key, value []byte, weight uint64, err error) {
	i := -1
	return func() (key, value []byte, weight uint64, err error) {
		if i++; i >= e.Len() {
			return nil, nil, 0, io.EOF
		}
		key, value, weight = e.At(i)
		return key, value, weight, nil
	}
}

// Keys returns the keys as slices.
func (e Entries) Keys() [][]byte {
	keys := make([][]byte, e.Len())
	for i := range keys {
		keys[i] = e.Key(i)
	}
	return keys
}

func makeEntries(count, bytesPerEntry int) Entries {
	return Entries{
		data:    make([]byte, 0, count*bytesPerEntry),
		starts:  append(make([]uint32, 0, 2*count+1), 0),
		weights: make([]uint64, 0, count),
	}
}

func (e *Entries) add(key, value []byte, weight uint64) {
	e.data = append(e.data, key...)
	middle := len(e.data)
	e.data = append(e.data, value...)
	e.starts = append(e.starts, uint32(middle), uint32(len(e.data)))
	e.weights = append(e.weights, weight)
}

// addAll adds all entries of more.
func (e *Entries) addAll(more Entries) {
	for i := range more.Len() {
		e.add(more.At(i))
	}
}

const randomBytes = 32 // length of random keys, and of their values

// stream names an independent sequence of random numbers.
type stream byte

const (
	present  stream = iota + 1 // the keys in the trie, with their values
	absent                     // keys that are not in the trie
	changed                    // new values
	shuffled                   // orders
)

func (s stream) source() *rand.ChaCha8 {
	key := seed.Bytes()
	key[31] = byte(s)
	return rand.NewChaCha8(key)
}

// randomEntries returns keys of 32 random bytes with values of 32 random bytes and weights of 32
// bits. The first keys of a stream do not depend on how many there are.
func randomEntries(s stream, count int) Entries {
	source := s.source()
	entries := makeEntries(count, 2*randomBytes)
	var key, value [randomBytes]byte
	for range count {
		source.Read(key[:])
		source.Read(value[:])
		entries.add(key[:], value[:], source.Uint64()>>32)
	}
	return entries
}

// PresentEntries returns the keys in the trie of the honest workloads.
func PresentEntries(count int) Entries { return randomEntries(present, count) }

// Sample returns count of the entries in random order, none twice.
func (e Entries) Sample(count int) Entries {
	order := rand.New(shuffled.source()).Perm(e.Len())[:count]
	chosen := makeEntries(count, 2*randomBytes)
	for _, i := range order {
		chosen.add(e.At(i))
	}
	return chosen
}

// Rewritten returns count of the entries in random order, none twice, with new values and weights,
// and all entries as they are after these updates.
func (e Entries) Rewritten(count int) (updates, after Entries) {
	order := rand.New(shuffled.source()).Perm(e.Len())[:count]
	values := randomEntries(changed, count)
	updates = makeEntries(count, 2*randomBytes)
	place := make(map[int]int, count)
	for i, old := range order {
		_, value, weight := values.At(i)
		updates.add(e.Key(old), value, weight)
		place[old] = i
	}
	after = makeEntries(e.Len(), 2*randomBytes)
	for i := range e.Len() {
		if n, ok := place[i]; ok {
			after.add(updates.At(n))
		} else {
			after.add(e.At(i))
		}
	}
	return updates, after
}

// without returns count of the entries in random order, none twice, and all others.
func (e Entries) without(count int) (removed, after Entries) {
	order := rand.New(shuffled.source()).Perm(e.Len())
	removed, after = makeEntries(count, 2*randomBytes), makeEntries(e.Len()-count, 2*randomBytes)
	for i, old := range order {
		if i < count {
			removed.add(e.At(old))
		} else {
			after.add(e.At(old))
		}
	}
	return removed, after
}

// PublishedEntries returns the first keys of the published benchmark, with their values and weights.
func PublishedEntries(count int) Entries { return decimalEntries(0, count) }

// decimalEntries returns the published keys: from..to-1 in decimal digits, each its own value, with
// the number as its weight.
func decimalEntries(from, to int) Entries {
	entries := makeEntries(max(0, to-from), 16)
	for i := from; i < to; i++ {
		key := []byte(strconv.Itoa(i))
		entries.add(key, key, uint64(i))
	}
	return entries
}

// littleEndianEntries returns the keys of the published operations on the sum trie: 0..count-1 in 8
// bytes, the lowest first.
func littleEndianEntries(count int) Entries {
	entries := makeEntries(count, 16)
	for i := range count {
		key := binary.LittleEndian.AppendUint64(nil, uint64(i))
		entries.add(key, key, uint64(i))
	}
	return entries
}

// bigEndianEntries returns the keys of the published proof sizes: 0..count-1 in 8 bytes, the
// highest first.
func bigEndianEntries(count int) Entries {
	entries := makeEntries(count, 16)
	for i := range count {
		key := binary.BigEndian.AppendUint64(nil, uint64(i))
		entries.add(key, key, uint64(i))
	}
	return entries
}
