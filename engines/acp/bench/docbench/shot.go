package docbench

import (
	"runtime"
	"testing"
	"time"

	"assay/gocommon/meter"
)

// Total sums up the timed parts of a benchmark.
type Total struct {
	b       *testing.B
	elapsed time.Duration
	usage   meter.Usage
	parts   int
}

// Time runs work with the timer on, after a garbage collection, and fails when it does.
func (t *Total) Time(b *testing.B, work func() error) {
	t.b = b
	m := meter.Start(b)
	err := work()
	used := m.Stop(b)
	if err != nil {
		b.Fatal(err)
	}
	t.parts++
	t.elapsed += b.Elapsed()
	t.usage.HeapBytes += used.HeapBytes
	t.usage.Allocs += used.Allocs
	t.usage.GCs += used.GCs
	t.usage.CPU += used.CPU
}

// Report reports what each of the operations took.
func (t *Total) Report(operations int) {
	t.b.ReportMetric(float64(t.elapsed.Nanoseconds())/float64(operations), "ns/op")
	t.usage.Report(t.b, "operation", operations)
}

// another tells whether one more part fits: at least least parts are timed, then as many as the
// budget for them allows, at most ten as published.
func (t *Total) another(least int, begin time.Time, budget time.Duration) bool {
	spent := time.Since(begin)
	return t.parts < least || t.parts < 10 && spent+spent/time.Duration(t.parts) < budget
}

// Repeat times work again and again until the time is enough to be told from noise. It returns how
// many operations work said to have done.
func (t *Total) Repeat(b *testing.B, work func() (operations int, err error)) int {
	done := 0
	t.Time(b, func() (err error) {
		done, err = repeat(work)
		return err
	})
	return done
}

func repeat(work func() (operations int, err error)) (done int, err error) {
	const enough = 50 * time.Millisecond
	for begin := time.Now(); done == 0 || time.Since(begin) < enough; {
		n, err := work()
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Chunks returns work for Repeat: calls of each with 64 inputs at a time, again from the first after
// the last. An operation is an input.
func Chunks[T any](inputs []T, each func(chunk []T) error) func() (int, error) {
	next := 0
	return func() (int, error) {
		chunk := inputs[next:min(next+64, len(inputs))]
		next = (next + len(chunk)) % len(inputs)
		return len(chunk), each(chunk)
	}
}

// timerNanoseconds is what the timer shows when nothing is timed: the least of 100 readings.
func timerNanoseconds(b *testing.B) float64 {
	least := time.Hour
	for range 100 {
		b.ResetTimer()
		b.StartTimer()
		b.StopTimer()
		least = min(least, b.Elapsed())
	}
	return float64(least.Nanoseconds())
}

// liveHeap returns the bytes in use after a garbage collection.
func liveHeap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// open opens an empty store.
func (s setting) open() Store {
	s.Helper()
	var store Store
	var err error
	if s.persistent {
		store, err = s.engine.OpenDir(s.TempDir())
	} else {
		store, err = s.engine.Open()
	}
	s.must(err)
	return store
}

// openUntilEnd opens an empty store, which is closed when the benchmark ends.
func (s setting) openUntilEnd() Store {
	s.Helper()
	store := s.open()
	s.Cleanup(func() { s.must(store.Close()) })
	return store
}

// filled opens a store in which the first actor has registered the documents of the scale.
func filled(s setting) Store {
	store := s.openUntilEnd()
	s.must(registerAll(store, Actors(1)[0], Docs(*scale)))
	return store
}

// registerAll registers the documents in the fastest way.
func registerAll(store Store, owner string, docs []string) error {
	if batcher, ok := store.(BatchRegisterer); ok {
		return batcher.RegisterBatch(owner, docs)
	}
	return registerEach(store, owner, docs)
}

func registerEach(store Store, owner string, docs []string) error {
	for _, doc := range docs {
		if err := store.Register(owner, doc); err != nil {
			return err
		}
	}
	return nil
}

func (s setting) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// as returns the store as an optional interface, and skips the benchmark when it lacks it.
func as[T any](s setting, store Store) T {
	found, ok := store.(T)
	if !ok {
		s.Skipf("%T does not do this", store)
	}
	return found
}
