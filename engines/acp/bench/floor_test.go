package bench

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"testing"

	"assay/acp/bench/docbench"
)

// BenchmarkFloor times what an operation cannot do without, each part by itself, for each document of
// the scale: an insert into a Go map, into open addressing with a byte slab, and a look-up in each; a
// record of 64 bytes appended to a log through a buffer, by a write of its own, and with a sync.
func BenchmarkFloor(b *testing.B) {
	docs := docbench.Docs(docbench.Scale())
	asked := docbench.Picks(docs, min(1<<16, 8*len(docs)))
	b.Run("part=map-insert", func(b *testing.B) {
		var m map[string]uint32
		var total docbench.Total
		total.Repeat(b, func() (int, error) {
			m = map[string]uint32{}
			for i, doc := range docs {
				m[doc] = uint32(i)
			}
			return len(docs), nil
		})
		total.Report()
		if len(m) != len(docs) {
			b.Fatalf("%d entries, expected %d", len(m), len(docs))
		}
	})
	b.Run("part=slab-insert", func(b *testing.B) {
		var t *slabTable
		var total docbench.Total
		total.Repeat(b, func() (int, error) {
			t = newSlabTable(len(docs))
			for _, doc := range docs {
				t.put(doc)
			}
			return len(docs), nil
		})
		total.Report()
		if n := len(t.ends) - 1; n != len(docs) {
			b.Fatalf("%d entries, expected %d", n, len(docs))
		}
	})
	b.Run("part=map-lookup", func(b *testing.B) {
		m := map[string]uint32{}
		for i, doc := range docs {
			m[doc] = uint32(i)
		}
		lookUp(b, asked, func(doc string) bool { _, ok := m[doc]; return ok })
	})
	b.Run("part=slab-lookup", func(b *testing.B) {
		t := newSlabTable(len(docs))
		for _, doc := range docs {
			t.put(doc)
		}
		lookUp(b, asked, func(doc string) bool { return t.slots[t.slot(doc)] != 0 })
	})
	b.Run("part=append", func(b *testing.B) { appendRecords(b, len(docs), 64<<10, false) })
	b.Run("part=write", func(b *testing.B) { appendRecords(b, len(docs), 0, false) })
	b.Run("part=sync", func(b *testing.B) { appendRecords(b, min(100, len(docs)), 0, true) })
}

func lookUp(b *testing.B, asked []string, has func(string) bool) {
	var total docbench.Total
	total.Repeat(b, docbench.Chunks(asked, func(docs []string) error {
		for _, doc := range docs {
			if !has(doc) {
				return fmt.Errorf("%s is not found", doc)
			}
		}
		return nil
	}))
	total.Report()
}

// slabTable numbers strings, which lie one behind the other in a slab, by open addressing.
type slabTable struct {
	seed  maphash.Seed
	slots []uint32 // number of a string plus 1, or 0
	slab  []byte
	ends  []uint32 // string i lies between ends[i] and ends[i+1]
}

func newSlabTable(count int) *slabTable {
	size := 1
	for size < 2*count {
		size *= 2
	}
	return &slabTable{
		seed:  maphash.MakeSeed(),
		slots: make([]uint32, size),
		slab:  make([]byte, 0, 8*count),
		ends:  make([]uint32, 1, count+1),
	}
}

// slot returns where a string is, or where it belongs.
func (t *slabTable) slot(text string) uint64 {
	mask := uint64(len(t.slots) - 1)
	at := maphash.String(t.seed, text) & mask
	for t.slots[at] != 0 {
		i := t.slots[at] - 1
		if string(t.slab[t.ends[i]:t.ends[i+1]]) == text {
			break
		}
		at = (at + 1) & mask
	}
	return at
}

func (t *slabTable) put(text string) {
	if at := t.slot(text); t.slots[at] == 0 {
		t.slab = append(t.slab, text...)
		t.ends = append(t.ends, uint32(len(t.slab)))
		t.slots[at] = uint32(len(t.ends) - 1)
	}
}

const recordBytes = 64

// appendRecords appends records to a file: through a buffer, or each by a write of its own when the
// buffer has no bytes.
func appendRecords(b *testing.B, count, buffer int, sync bool) {
	var total docbench.Total
	for total.Another(1) {
		appendOnce(b, &total, count, buffer, sync)
	}
	total.Report()
}

func appendOnce(b *testing.B, total *docbench.Total, count, buffer int, sync bool) {
	file, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	write := file.Write
	flush := func() error { return nil }
	if buffer > 0 {
		buffered := bufio.NewWriterSize(file, buffer)
		write, flush = buffered.Write, buffered.Flush
	}
	record := make([]byte, recordBytes)
	total.Time(b, count, func() error {
		for i := range count {
			binary.LittleEndian.PutUint64(record, uint64(i))
			if _, err := write(record); err != nil {
				return err
			}
			if sync {
				if err := file.Sync(); err != nil {
					return err
				}
			}
		}
		return flush()
	})
	written, err := os.ReadFile(file.Name())
	if err != nil {
		b.Fatal(err)
	}
	for i := range count {
		if got := binary.LittleEndian.Uint64(written[i*recordBytes:]); got != uint64(i) {
			b.Fatalf("record %d holds %d", i, got)
		}
	}
}
