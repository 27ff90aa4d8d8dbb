package docbench

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"assay/gocommon/meter"
)

// Total gathers what the timed parts of a benchmark took, by rounds.
type Total struct {
	b          *testing.B
	begin      time.Time // of the first part, with its preparation
	rounds     []float64 // nanoseconds of an operation
	operations int
	usage      meter.Usage
}

// Time runs work as a round of its own, with the timer on, after a garbage collection, and fails when
// it does.
func (t *Total) Time(b *testing.B, operations int, work func() error) {
	t.part(b, func() (err error) {
		begin := time.Now()
		err = work()
		t.add(operations, time.Since(begin))
		return err
	})
}

// The rounds of work that is repeated. One is long enough for a collection of the garbage that it makes.
const (
	round  = 20 * time.Millisecond
	enough = 250 * time.Millisecond // for all
)

// Repeat times work again and again, in rounds. work returns how many operations it did.
func (t *Total) Repeat(b *testing.B, work func() (operations int, err error)) {
	t.part(b, func() error {
		for first := time.Now(); t.operations == 0 || time.Since(first) < enough; {
			begin := time.Now()
			done, err := lasting(round, work)
			if err != nil {
				return err
			}
			t.add(done, time.Since(begin))
		}
		return nil
	})
}

func (t *Total) part(b *testing.B, work func() error) {
	t.b = b
	m := meter.Start(b)
	err := work()
	used := m.Stop(b)
	if err != nil {
		b.Fatal(err)
	}
	t.usage.HeapBytes += used.HeapBytes
	t.usage.Allocs += used.Allocs
	t.usage.GCs += used.GCs
	t.usage.CPU += used.CPU
}

func (t *Total) add(operations int, elapsed time.Duration) {
	t.operations += operations
	t.rounds = append(t.rounds, float64(elapsed.Nanoseconds())/float64(operations))
}

// lasting does work until so much time has passed, and returns how many operations that were.
func lasting(d time.Duration, work func() (operations int, err error)) (done int, err error) {
	for begin := time.Now(); done == 0 || time.Since(begin) < d; {
		n, err := work()
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// PerOperation returns the nanoseconds of an operation: the lower quartile of the rounds. Others on the
// machine take a part of a core or a cache away for a tenth of a second at a time, which doubles the
// rounds that fall into it, and makes none shorter.
func (t *Total) PerOperation() float64 {
	return slices.Sorted(slices.Values(t.rounds))[(len(t.rounds)-1)/4]
}

// Mean returns the nanoseconds of an operation when all rounds count.
func (t *Total) Mean() float64 {
	sum := 0.0
	for _, r := range t.rounds {
		sum += r
	}
	return sum / float64(len(t.rounds))
}

// Report reports what an operation took and used.
func (t *Total) Report() {
	t.b.ReportMetric(t.PerOperation(), "ns/op")
	t.usage.Report(t.b, "operation", t.operations)
}

// Another tells whether one more part fits: at least least parts are timed, then as many as 300 ms with
// their preparation allow, at most ten as published. Ask before the first part is prepared, too.
func (t *Total) Another(least int) bool {
	const budget = 300 * time.Millisecond
	if t.begin.IsZero() {
		t.begin = time.Now()
	}
	parts, spent := len(t.rounds), time.Since(t.begin)
	return parts < least || parts < 10 && spent+spent/time.Duration(parts) < budget
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
