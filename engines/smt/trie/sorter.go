package trie

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"assay/smt/format"
)

// item is one operation on its way into the trie.
type item struct {
	prefix uint64 // first 8 bytes of the path, big-endian
	op     uint32 // in the batch
	match  uint16 // bits of the path that the trie has already, see locate
	delete bool
}

const (
	itemSize = int(unsafe.Sizeof(item{}))
	opSize   = int(unsafe.Sizeof(op{}))
)

// sorter turns a batch into records, path then leaf value, and items in path
// order. Its buffers serve one batch after the other.
type sorter struct {
	s       *store
	batch   *Batch
	records []byte // of op i at i*s.record; a delete and a raw value have the path only
	base    int    // operation that is the first of batch
	staging bool   // the records are in the lines of as many new branches
	run     uint32 // the first of these branches, 0 if there are none yet
	items   []item // sorted, one a path
	spare   []item
	counts  []uint32
}

func (w *sorter) used() int {
	return cap(w.records) + (cap(w.items)+cap(w.spare))*itemSize + 4*cap(w.counts)
}

func (w *sorter) record(op uint32) []byte {
	if w.run != 0 {
		return w.s.line(w.run + op)[:w.s.record]
	}
	return w.records[int(op)*w.s.record:][:w.s.record]
}

// prefetch is for a record that is read soon.
func (w *sorter) prefetch(op uint32) {
	record := w.record(op)
	prefetch(unsafe.Pointer(&record[0]), unsafe.Pointer(&record[len(record)-1]))
}

// row is the memory of the records of op and at most n-1 that follow, stride apart.
func (w *sorter) row(op, n int) (records []byte, stride, rows int) {
	if w.run == 0 {
		return w.records[op*w.s.record:], w.s.record, n
	}
	first := w.run + uint32(op)
	stride, rows = 2*w.s.digest, min(n, w.s.branches.rest(first))
	return unsafe.Slice((*byte)(w.s.branches.b(first)), rows*stride), stride, rows
}

func (w *sorter) path(it *item) []byte { return w.record(it.op)[:w.s.hash] }

// check refuses operations that the format or the configuration does not allow.
func (t *Trie) check(b *Batch) error {
	for i := range b.ops {
		o := &b.ops[i]
		if err := t.store.checkKey(b.key(i)); err != nil {
			return &OpError{i, err}
		}
		if err := t.checkValue(o.value); err != nil {
			return &OpError{i, err}
		}
	}
	return t.checkRoom(b.Len())
}

func (t *Trie) checkValue(size int) error {
	if size > t.config.MaxValue {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrValueTooLong, size, t.config.MaxValue)
	}
	return nil
}

// checkRoom refuses n puts more than fit, queued ones counted.
func (t *Trie) checkRoom(n int) error {
	room := min(t.store.leaves.room(), t.store.branches.room()) - t.queue.Len()
	if n > room {
		return fmt.Errorf("%w: %d operations, room for %d", ErrFull, n, room)
	}
	return nil
}

// begin makes the sorter ready for about n operations. The records of a bulk load
// lie where the digests of its branches will be: to touch fresh memory costs more
// than to hash what goes there.
func (w *sorter) begin(t *Trie, n int) {
	w.s = &t.store
	w.staging = n >= 1024 && t.stats.Leaves == 0 && w.s.ValueHasher == format.HashValue
	w.items = resize(w.items, n)[:0]
}

// add hashes a batch that check allows. Only if the records are staged there may
// be several.
func (w *sorter) add(t *Trie, b *Batch) {
	n := b.Len()
	w.batch, w.base = b, len(w.items)
	if w.staging {
		first := w.s.branches.allocRun(n) // follows the one before
		if w.run == 0 {
			w.run = first
		}
	} else {
		w.records = resize(w.records, n*w.s.record)
	}
	w.items = slices.Grow(w.items, n)[:w.base+n]
	if n < 1024 {
		w.hash(w.base, w.base+n)
	} else {
		t.split(n, 512, func(lo, hi int) { w.hash(w.base+lo, w.base+hi) })
	}
	if w.s.PathHasher == format.HashKey {
		t.stats.PathHashes += uint64(n)
	}
	for i := range b.ops {
		if b.ops[i].value != isDelete && w.s.ValueHasher == format.HashValue {
			t.stats.ValueHashes++
		}
	}
}

// hash makes the records and items of the operations lo to hi, those of equal
// lengths in one call, unless these are too many for the cache.
func (w *sorter) hash(lo, hi int) {
	s := w.s
	for lo < hi {
		records, stride, rows := w.row(lo, min(hi-lo, 256))
		ops := w.batch.ops[lo-w.base:]
		first, n := ops[0], 1
		for n < rows && ops[n].key == first.key && ops[n].value == first.value {
			n++
		}
		size := first.key + max(0, first.value)
		data := w.batch.data[first.offset:]
		if s.PathHasher == format.HashKey {
			s.sumFixed(records, stride, data, size, first.key, n)
		} else {
			for i := range n {
				copy(records[i*stride:][:s.hash], data[i*size:])
			}
		}
		if first.value != isDelete && s.ValueHasher == format.HashValue {
			s.sumFixed(records[s.hash:], stride, data[first.key:], size, first.value, n)
			if s.meta > 0 {
				for i := range n {
					s.AppendMeta(records[i*stride+2*s.hash:][:0], ops[i].weight, 1)
				}
			}
		}
		for i := range n {
			w.items[lo+i] = item{binary.BigEndian.Uint64(records[i*stride:]), uint32(lo + i), 0, first.value == isDelete}
		}
		lo += n
	}
}

// unstage ends the use of the new branches but for the first n, which are in the
// trie now.
func (w *sorter) unstage(n int) {
	if w.run != 0 {
		w.s.branches.cut(w.run + uint32(n))
		w.run = 0
	}
}

func (w *sorter) compare(a, b item) int {
	if a.prefix != b.prefix {
		if a.prefix < b.prefix {
			return -1
		}
		return 1
	}
	if c := bytes.Compare(w.path(&a), w.path(&b)); c != 0 {
		return c
	}
	return int(a.op) - int(b.op)
}

// sort orders the items by path, those of equal paths by operation: one counting pass on the top bits, about 4 items a bucket, then a sort
// of each bucket. Where paths agree in their top bits far more often than hashes
// do, that is a comparison sort and n log n is the worst.
func (w *sorter) sort(t *Trie) {
	n := len(w.items)
	if n < 64 {
		slices.SortFunc(w.items, w.compare)
		return
	}
	parts := 1
	if n >= 1<<15 {
		parts = len(t.hashers)
	}
	shift := 64 - min(20, bits.Len(uint(n))-2)
	buckets := 1 << (64 - shift)
	w.counts = resize(w.counts, parts*buckets) // of bucket b in part p at p*buckets+b
	w.spare = resize(w.spare, n)
	t.each(parts, func(_, p int) {
		counts := w.counts[p*buckets:][:buckets]
		clear(counts)
		for _, it := range w.items[p*n/parts : (p+1)*n/parts] {
			counts[it.prefix>>shift]++
		}
	})
	from := uint32(0)
	for b := range buckets {
		for p := range parts {
			c := &w.counts[p*buckets+b]
			from, *c = from+*c, from
		}
	}
	t.each(parts, func(_, p int) {
		counts := w.counts[p*buckets:][:buckets]
		for _, it := range w.items[p*n/parts : (p+1)*n/parts] {
			place := &counts[it.prefix>>shift]
			w.spare[*place] = it
			*place++ // of the last part: becomes the end of the bucket
		}
	})
	w.items, w.spare = w.spare, w.items
	ends := w.counts[(parts-1)*buckets:]
	t.split(buckets, 1<<10, func(lo, hi int) {
		from := uint32(0)
		if lo > 0 {
			from = ends[lo-1]
		}
		for _, end := range ends[lo:hi] {
			w.sortBucket(w.items[from:end])
			from = end
		}
	})
}

func (w *sorter) sortBucket(items []item) {
	if len(items) > 24 {
		slices.SortFunc(items, w.compare)
		return
	}
	for i := 1; i < len(items); i++ {
		it, j := items[i], i
		for j > 0 && (it.prefix < items[j-1].prefix || it.prefix == items[j-1].prefix && w.compare(it, items[j-1]) < 0) {
			items[j] = items[j-1]
			j--
		}
		items[j] = it
	}
}

// resize gives a slice of n elements with any content, from buf if it is large enough.
func resize[T any](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n, n+n/4)
	}
	return buf[:n]
}
