package bench

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"assay/gocommon/seed"
	"assay/gocommon/vfs"
)

// floorBytes is the size of what a floor stores or writes: a logged single draw.
const floorBytes = 16

// BenchmarkFloor times what a draw cannot do without, each part by itself: an uncontended lock, a
// 64-bit random number, a checksummed store into mapped memory, a write, and a write with its sync.
func BenchmarkFloor(b *testing.B) {
	parts := map[string]func(*testing.B){
		"lock": floorLock, "random": floorRandom, "store": floorStore,
		"write": func(b *testing.B) { floorWrite(b, false) },
		"sync":  func(b *testing.B) { floorWrite(b, true) },
	}
	for name, part := range parts {
		b.Run("part="+name, part)
	}
}

func floorLock(b *testing.B) {
	var mu sync.Mutex
	n := 0
	for range b.N {
		mu.Lock()
		n++
		mu.Unlock()
	}
	if n != b.N {
		b.Fatalf("%d of %d", n, b.N)
	}
}

func floorRandom(b *testing.B) {
	random := rand.NewChaCha8(seed.Bytes())
	var ones uint64
	for range b.N {
		ones += random.Uint64() >> 63
	}
	if ones > uint64(b.N) {
		b.Fatal("more than one leading bit a number")
	}
}

func floorStore(b *testing.B) {
	file, size := floorFile(b)
	memory, err := file.Map()
	if err != nil {
		b.Fatal(err)
	}
	defer file.Unmap(memory)
	table := crc32.MakeTable(crc32.Castagnoli)
	b.ResetTimer()
	for i := range b.N {
		record := memory[i*floorBytes:][:floorBytes]
		binary.LittleEndian.PutUint64(record, uint64(i))
		binary.LittleEndian.PutUint32(record[12:], crc32.Checksum(record[:12], table))
	}
	b.StopTimer()
	checkFloor(b, memory[:size])
}

func floorWrite(b *testing.B, sync bool) {
	file, size := floorFile(b)
	record := make([]byte, floorBytes)
	b.ResetTimer()
	for i := range b.N {
		binary.LittleEndian.PutUint64(record, uint64(i))
		if _, err := file.WriteAt(record, int64(i)*floorBytes); err != nil {
			b.Fatal(err)
		}
		if !sync {
			continue
		}
		if err := file.Datasync(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	written := make([]byte, size)
	if _, err := file.ReadAt(written, 0); err != nil {
		b.Fatal(err)
	}
	checkFloor(b, written)
}

// floorFile makes a file of zeros with room for b.N records, as the log does with its segments.
func floorFile(b *testing.B) (vfs.File, int64) {
	file, err := vfs.OS{}.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	size := int64(b.N) * floorBytes
	if err := file.Allocate(size); err != nil {
		b.Fatal(err)
	}
	if err := file.Datasync(); err != nil {
		b.Fatal(err)
	}
	return file, size
}

// checkFloor fails unless record i holds its number.
func checkFloor(b *testing.B, records []byte) {
	for i := range b.N {
		if got := binary.LittleEndian.Uint64(records[i*floorBytes:]); got != uint64(i) {
			b.Fatalf("record %d holds %d", i, got)
		}
	}
}
