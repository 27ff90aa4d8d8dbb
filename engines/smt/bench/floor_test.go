package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"assay/gocommon/seed"
	"assay/gocommon/vfs"
	"assay/smt/bench/triebench"
	"assay/smt/sha256x"
)

// BenchmarkFloor times what an operation cannot do without, each part by itself: the hash of a node
// (65 bytes are two blocks) and of a key (one block), a look-up of a line of memory whose address
// the line before tells, a write of a leaf of 64 bytes, and a write with its sync.
func BenchmarkFloor(b *testing.B) {
	b.Run("part=hash-std", func(b *testing.B) { floorHash(b, sha256x.Std, 65) })
	b.Run("part=hash-shani", func(b *testing.B) { floorHash(b, sha256x.SHANI, 65) })
	b.Run("part=sha-key", func(b *testing.B) { floorHash(b, sha256x.Auto, 32) })
	b.Run("part=load", floorLoad)
	b.Run("part=write", func(b *testing.B) { floorWrite(b, 100_000, false) })
	b.Run("part=sync", func(b *testing.B) { floorWrite(b, 100, true) })
}

// report sets the time of an operation, as a benchmark chooses its number of operations itself.
func report(b *testing.B, operations int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(operations), "ns/op")
}

// floorHash hashes messages that do not depend on each other.
func floorHash(b *testing.B, implementation sha256x.Implementation, size int) {
	const count = 1 << 20
	hasher, err := sha256x.New(implementation)
	if err != nil {
		b.Skip(err)
	}
	const stride = 80
	messages, digests := make([]byte, count*stride), make([]byte, count*sha256x.Size)
	rand.NewChaCha8(seed.Bytes()).Read(messages)
	b.ResetTimer()
	hasher.SumFixed(digests, sha256x.Size, messages, stride, size, count)
	b.StopTimer()
	report(b, count)
	for i := 0; i < count; i += 1000 {
		want := sha256.Sum256(messages[i*stride:][:size])
		if got := digests[i*sha256x.Size:][:sha256x.Size]; !bytes.Equal(got, want[:]) {
			b.Fatalf("digest %d is %x, expected %x", i, got, want)
		}
	}
}

const (
	line         = 64 // bytes
	trieBytesKey = 160
)

// floorLoad follows a random cycle through all lines of as much memory as a trie takes.
func floorLoad(b *testing.B) {
	lines := triebench.KeyCount() * trieBytesKey / line
	memory := make([]uint32, lines*line/4)
	order := rand.New(rand.NewChaCha8(seed.Bytes())).Perm(lines)
	for i, at := range order {
		memory[at*line/4] = uint32(order[(i+1)%lines] * line / 4)
	}
	steps, at := 0, uint32(0)
	b.ResetTimer()
	for {
		at = memory[at]
		if steps++; at == 0 {
			break
		}
	}
	b.StopTimer()
	report(b, steps)
	if steps != lines {
		b.Fatalf("%d loads, expected %d", steps, lines)
	}
}

const leafBytes = 64

func floorWrite(b *testing.B, count int, sync bool) {
	file, err := vfs.OS{}.Create(filepath.Join(b.TempDir(), "floor"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	leaf := make([]byte, leafBytes)
	b.ResetTimer()
	for i := range count {
		binary.LittleEndian.PutUint64(leaf, uint64(i))
		if _, err := file.WriteAt(leaf, int64(i)*leafBytes); err != nil {
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
	report(b, count)
	written := make([]byte, count*leafBytes)
	if _, err := file.ReadAt(written, 0); err != nil {
		b.Fatal(err)
	}
	for i := range count {
		if got := binary.LittleEndian.Uint64(written[i*leafBytes:]); got != uint64(i) {
			b.Fatalf("leaf %d holds %d", i, got)
		}
	}
}
