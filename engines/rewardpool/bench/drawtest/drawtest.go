// Package drawtest measures and checks reward pools that draw items.
//
// Every pool, ours and each peer's, is driven by this package through a thin adapter, with the same
// catalogs, the same number of draws and the same check: after the timed part the pool is closed, and
// what it left is compared with the items that it said were won.
package drawtest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"assay/gocommon/meter"
)

// Pool is a reward pool opened for one benchmark.
type Pool interface {
	// Draw asks for a draw for each place of won, whose first n places get the indices of the items
	// won, in order.
	Draw(won []uint32) (n int, err error)
	// Close ends the pool and returns its counters.
	Close() (Counters, error)
	// Check opens what the pool left and compares it with the items won.
	Check(won []uint32) error
}

// Counters are what a pool says of itself at its end.
type Counters struct {
	Syncs    uint64
	WALBytes int64 // of the logged draws
	FileSize int64 // of the log files, without space allocated ahead
}

// Engine is one implementation of a reward pool.
type Engine struct {
	// Open makes a new pool in dir, an empty directory, with room for the draws. What the pool
	// allocates here lies before the timed part.
	Open func(dir string, items []Item, durability string, commit, draws int) (Pool, error)
	// Durabilities are the modes that the pool has, by the draws of a commit.
	Durabilities map[int][]string
}

// BenchmarkDraw draws from ten items that never run out: every draw wins.
func BenchmarkDraw(b *testing.B, engine Engine) { benchmark(b, engine, AmpleCatalog()) }

// BenchmarkPublishedStock draws from the catalog of the published benchmarks, which is empty
// after a million draws; the empty draws are counted apart.
func BenchmarkPublishedStock(b *testing.B, engine Engine) { benchmark(b, engine, publishedCatalog()) }

func benchmark(b *testing.B, engine Engine, items []Item) {
	for commit, durabilities := range engine.Durabilities {
		for _, durability := range durabilities {
			b.Run(name(durability, commit), func(b *testing.B) {
				pool, err := engine.Open(b.TempDir(), items, durability, commit, b.N)
				if err != nil {
					b.Fatal(err)
				}
				benchmarkDraws(b, pool)
			})
		}
	}
}

func name(durability string, commit int) string {
	return fmt.Sprintf("durability=%s/commit=%d", durability, commit)
}

func benchmarkDraws(b *testing.B, pool Pool) {
	won := make([]uint32, b.N)
	for i := range won {
		won[i] = math.MaxUint32 // no item; also makes the memory present
	}

	m := meter.Start(b)
	n, err := pool.Draw(won)
	usage := m.Stop(b)

	if err != nil {
		b.Fatal(err)
	}
	won = won[:n]
	end, err := pool.Close()
	if err != nil {
		b.Fatal(err)
	}
	if err := pool.Check(won); err != nil {
		b.Fatalf("after the timed part: %v", err)
	}
	usage.Report(b, "draw", b.N)
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "draws/sec")
	b.ReportMetric(float64(usage.GCs), "gc_count")
	b.ReportMetric(float64(n), "ok_draws")
	b.ReportMetric(float64(b.N-n), "empty_draws")
	b.ReportMetric(float64(end.Syncs), "syncs")
	b.ReportMetric(float64(end.WALBytes)/float64(b.N), "wal_bytes/draw")
	b.ReportMetric(float64(end.FileSize), "wal_file_size")
}

// Verify tests that a pool leaves what it acknowledges, in every variant, and that its check finds a
// draw that was lost or of another item.
func Verify(t *testing.T, engine Engine) {
	for commit, durabilities := range engine.Durabilities {
		for _, durability := range durabilities {
			t.Run(name(durability, commit), func(t *testing.T) { verify(t, engine, durability, commit) })
		}
	}
}

func verify(t *testing.T, engine Engine, durability string, commit int) {
	const draws = 200 // 50 more than the stock
	items := []Item{{ID: "gold", Quantity: 70, Weight: 1}, {ID: "silver", Quantity: 80, Weight: 9}}
	pool, err := engine.Open(t.TempDir(), items, durability, commit, draws)
	if err != nil {
		t.Fatal(err)
	}
	won := make([]uint32, draws)
	n, err := pool.Draw(won)
	if err != nil || n != 150 {
		t.Fatalf("%d draws won, %v; expected 150", n, err)
	}
	if _, err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	if err := pool.Check(won[:n]); err != nil {
		t.Error(err)
	}
	if err := pool.Check(won[:n-1]); err == nil {
		t.Error("a draw that was not acknowledged is not found")
	}
	won[0] ^= 1
	if err := pool.Check(won[:n]); err == nil || strings.Contains(err.Error(), "draws") {
		t.Errorf("an item that was not acknowledged is not found: %v", err)
	}
}
