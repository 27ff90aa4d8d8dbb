package triebench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"time"

	"assay/gocommon/meter"
)

// Shot is one measured run: a trie that is filled, worked on while the timer runs, and checked.
type Shot struct {
	*testing.B
	setting
	Trie     Trie
	heap     uint64 // bytes live before the trie was made
	elapsed  time.Duration
	rootTime time.Duration // of the Root that follows the timed part
}

// NewShot makes the shot of a benchmark beside the common workloads. It is called when all input is
// made, so that what lives beyond it is the trie.
func NewShot(b *testing.B, engine Engine, kind Kind) *Shot {
	return newShot(b, setting{engine, kind, *keyCount})
}

// newShot is called when all input is made, so that what lives beyond it is the trie.
func newShot(b *testing.B, s setting) *Shot {
	shot := &Shot{B: b, setting: s, heap: liveHeap()}
	b.Cleanup(func() {
		if shot.Trie != nil {
			shot.Must(shot.Trie.Close())
		}
	})
	return shot
}

// Start makes an empty trie.
func (s *Shot) Start() {
	trie, err := s.New(s.kind)
	s.Must(err)
	s.Trie = trie
}

// StartWith makes a trie that holds the entries, committed.
func (s *Shot) StartWith(entries Entries) {
	s.Start()
	s.Must(load(s.Trie, entries))
}

// Measure runs work with the timer on and reports what each operation used, and the hashes and
// written bytes that the trie counted.
func (s *Shot) Measure(operations int, work func() error) {
	counter, ok := s.Trie.(Counter)
	if !ok {
		s.Time(operations, work)
		return
	}
	before := counter.Counts()
	s.Time(operations, work)
	after := counter.Counts()
	s.ReportMetric(float64(after.NodeHashes-before.NodeHashes)/float64(operations), "hashes/operation")
	s.ReportMetric(float64(after.WrittenBytes-before.WrittenBytes)/float64(operations), "written_bytes/operation")
}

// Time is Measure for work that is not done by the trie.
func (s *Shot) Time(operations int, work func() error) {
	m := meter.Start(s.B)
	err := work()
	usage := m.Stop(s.B)
	s.Must(err)
	s.elapsed = s.Elapsed()
	s.ReportMetric(float64(s.elapsed.Nanoseconds())/float64(operations), "ns/op")
	s.ReportMetric(float64(usage.GCs), "gc_count")
	usage.Report(s.B, "operation", operations)
}

// Finish reports the memory of the trie with its root hashed, for each key that it has or had, and
// fails unless the root is that of a fresh trie of the entries. It returns the root.
func (s *Shot) Finish(entries Entries) []byte {
	begin := time.Now()
	got, err := s.Trie.Root()
	s.rootTime = time.Since(begin)
	s.Must(err)
	got = bytes.Clone(got)
	memory := float64(liveHeap()) - float64(s.heap)
	if user, ok := s.Trie.(MemoryUser); ok {
		memory = float64(user.Memory())
	}
	s.ReportMetric(memory/float64(max(s.keys, entries.Len())), "memory_bytes/key")
	want, err := s.Engine.Root(s.kind, entries)
	s.Must(err)
	if !bytes.Equal(got, want) {
		s.Fatalf("root %x of %d keys, expected %x", got, entries.Len(), want)
	}
	s.ReportMetric(rootPrefix(got), "root_prefix")
	return got
}

// reportWithRoot reports the time of an operation including its share of the Root that Finish asked
// for: a trie may have put off work to then.
func (s *Shot) reportWithRoot(operations int) {
	s.ReportMetric(float64((s.elapsed+s.rootTime).Nanoseconds())/float64(operations), "ns_with_root/operation")
}

// CheckProofs fails unless a sample of the entries is found and proved, with its values when they
// are present, else as absent.
func (s *Shot) CheckProofs(root []byte, entries Entries, present bool) {
	for i := range min(entries.Len(), 50) {
		key, value, weight := entries.At(i)
		if !present {
			value, weight = nil, 0
		}
		got, err := s.Trie.Get(key)
		s.Must(err)
		s.Must(checkValue(s.Engine, value, got))
		proof, err := s.Trie.Prove(key)
		s.Must(err)
		s.Must(s.Verify(s.kind, root, key, value, weight, proof))
	}
}

// Must fails the benchmark when there is an error.
func (s *Shot) Must(err error) {
	if err != nil {
		s.Fatal(err)
	}
}

// checkValue compares what Get returned with the value, nil when the key is absent.
func checkValue(engine Engine, value, got []byte) error {
	var want []byte
	if value != nil {
		want = engine.Stored(value)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("value %x, expected %x", got, want)
	}
	return nil
}

// load fills an empty trie in its fastest way and commits it.
func load(trie Trie, entries Entries) error {
	var err error
	if loader, ok := trie.(BulkLoader); ok {
		err = loader.BulkLoad(entries)
	} else {
		err = updateAll(trie, entries)
	}
	if err != nil {
		return err
	}
	_, err = trie.Commit()
	return err
}

// updateAll writes the entries, as a batch where the trie has batches.
func updateAll(trie Trie, entries Entries) error {
	if batcher, ok := trie.(Batcher); ok && entries.Len() > 1 {
		return batcher.UpdateBatch(entries)
	}
	return updateEach(trie, entries)
}

func updateEach(trie Trie, entries Entries) error {
	for i := range entries.Len() {
		if err := trie.Update(entries.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// deleteAll deletes the keys of the entries, as a batch where the trie has batches.
func deleteAll(trie Trie, entries Entries) error {
	if batcher, ok := trie.(Batcher); ok && entries.Len() > 1 {
		return batcher.DeleteBatch(entries)
	}
	return deleteEach(trie, entries)
}

func deleteEach(trie Trie, entries Entries) error {
	for i := range entries.Len() {
		if err := trie.Delete(entries.Key(i)); err != nil {
			return err
		}
	}
	return nil
}

// rootPrefix returns the first 6 bytes of a root as a number, which a float64 holds exactly.
func rootPrefix(root []byte) float64 {
	var bits [8]byte
	copy(bits[2:], root[:6])
	return float64(binary.BigEndian.Uint64(bits[:]))
}

func liveHeap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
