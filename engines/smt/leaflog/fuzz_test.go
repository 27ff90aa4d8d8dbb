package leaflog

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"path"
	"runtime/metrics"
	"testing"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

const fuzzID = 0x0102030405060708

// fuzzed returns a directory whose checkpoint or log holds anything behind a
// valid header. For blocks to get past their checksums, those are made right.
func fuzzed(t testing.TB, f format.Format, name, magic string, number uint64, blocks []byte) *vfs.Mem {
	h := header{id: fuzzID, number: number, format: f}
	mem := vfs.NewMem()
	mem.MkdirAll(testDir)
	write := func(name string, b []byte) {
		f, err := mem.Create(path.Join(testDir, name))
		if err != nil {
			t.Fatal(err)
		}
		f.WriteAt(b, 0)
	}
	if number > 0 {
		write(fileName(logPrefix, number, logSuffix), h.encode(logMagic))
	}
	write(name, append(h.encode(magic), repaired(blocks)...))
	return mem
}

// repaired makes the checksums of the blocks right, as far as their sizes allow.
func repaired(blocks []byte) []byte {
	out := bytes.Clone(blocks)
	for b := out; len(b) >= blockHeader; {
		size := min(int(b[28])|int(b[29])<<8, len(b)-blockHeader)
		block{
			id:      fuzzID,
			commit:  uint64(b[8]),
			index:   uint32(b[16]),
			kind:    uint32(b[20]),
			records: uint32(b[24]) | uint32(b[25])<<8,
		}.seal(b[:blockHeader+size])
		b = b[blockHeader+size:]
	}
	return out
}

// opens requires an error of the right type or a disk, and memory in proportion
// to the input.
func opens(t *testing.T, mem *vfs.Mem, f format.Format, input int) {
	before := allocated()
	s, err := openSession(mem, f)
	if got := allocated() - before; got > uint64(4<<20+100*input) {
		t.Fatalf("%d bytes allocated for %d", got, input)
	}
	var corrupt *CorruptError
	if err != nil {
		if !errors.As(err, &corrupt) {
			t.Fatal(err)
		}
		return
	}
	if err := errors.Join(s.commit(changes{string(make([]byte, f.HashSize())): make([]byte, recordsOf(f).minLeaf)}), s.close()); err != nil {
		t.Fatal(err)
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// seeds adds the blocks of the file of number 0 or 2 of a small store.
func seeds(f *testing.F, prefix, suffix string, number uint64) {
	for _, raw := range []bool{false, true} {
		mem := vfs.NewMem()
		s, err := openSession(mem, formatOf(raw))
		if err != nil {
			f.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(6, 6))
		for range 2 {
			if err := s.commit(randomChanges(s.format, rng, 60)); err != nil {
				f.Fatal(err)
			}
		}
		if number > 0 {
			if err := s.checkpointNow(); err != nil {
				f.Fatal(err)
			}
		}
		b := readFile(f, mem, fileName(prefix, number, suffix))
		f.Add(bytes.TrimRight(b[headerBytes:], "\x00"), raw)
	}
	f.Add([]byte{}, false)
	f.Add(bytes.Repeat([]byte{8, 7, 6, 5, 4, 3, 2, 1}, 40), false)
}

func formatOf(raw bool) format.Format {
	if raw {
		return format.Format{ValueHasher: format.RawValue, Sum: format.SumCount}
	}
	return format.Format{}
}

func FuzzLog(f *testing.F) {
	seeds(f, logPrefix, logSuffix, 0)
	f.Fuzz(func(t *testing.T, blocks []byte, raw bool) {
		form := formatOf(raw)
		mem := fuzzed(t, form, fileName(logPrefix, 0, logSuffix), logMagic, 0, blocks)
		opens(t, mem, form, len(blocks))
	})
}

func FuzzCheckpoint(f *testing.F) {
	seeds(f, checkpointPrefix, checkpointSuffix, 2)
	f.Fuzz(func(t *testing.T, blocks []byte, raw bool) {
		form := formatOf(raw)
		mem := fuzzed(t, form, fileName(checkpointPrefix, 2, checkpointSuffix), checkpointMagic, 2, blocks)
		opens(t, mem, form, len(blocks))
	})
}
