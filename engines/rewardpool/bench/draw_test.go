package bench

import (
	"fmt"
	"testing"

	"assay/gocommon/meter"
	"assay/rewardpool/core"
)

// contender is one design of a reward pool, opened for one benchmark.
type contender interface {
	// draw asks for n draws and returns the indices of the items won, in order. The result has
	// n places and all memory it needs.
	draw(won []uint32) (n int, err error)
	// close ends the pool and returns its counters.
	close() (counters, error)
	// check opens what the pool left and compares it with the items won.
	check(won []uint32) error
}

// counters are what a pool says of itself at its end.
type counters struct {
	syncs    uint64
	walBytes int64 // of the logged draws
	fileSize int64 // of the log files, without space allocated ahead
}

type opener func(dir string, items []core.Item, durability string, commit, draws int) (contender, error)

type variant struct {
	design, durability string
	commit             int
}

var variants = []variant{
	{"direct", "none", 1}, {"direct", "none", 10_000},
	{"direct", "mmap", 1}, {"direct", "mmap", 10_000},
	{"direct", "file", 1}, {"direct", "file", 10_000},
	{"direct", "group", 10_000},
	{"direct", "each", 1},
	{"direct", "relaxed", 10_000},
	{"channel-text", "none", 1}, {"channel-text", "none", 10_000},
	{"channel-text", "mmap", 1}, {"channel-text", "relaxed-mmap", 10_000},
	{"channel-text", "file", 1}, {"channel-text", "relaxed", 10_000},
}

// BenchmarkDraw draws from ten items that never run out: every draw wins.
func BenchmarkDraw(b *testing.B) { benchmarkVariants(b, ampleCatalog()) }

// BenchmarkPublishedStock draws from the catalog of the published benchmarks, which is empty
// after a million draws; the empty draws are counted apart.
func BenchmarkPublishedStock(b *testing.B) { benchmarkVariants(b, publishedCatalog()) }

func benchmarkVariants(b *testing.B, items []core.Item) {
	openers := map[string]opener{"direct": openDirect, "channel-text": openPlain}
	for _, v := range variants {
		name := fmt.Sprintf("design=%s/durability=%s/commit=%d", v.design, v.durability, v.commit)
		b.Run(name, func(b *testing.B) {
			c, err := openers[v.design](b.TempDir(), items, v.durability, v.commit, b.N)
			if err != nil {
				b.Fatal(err)
			}
			benchmarkDraws(b, c)
		})
	}
}

func benchmarkDraws(b *testing.B, c contender) {
	won := make([]uint32, b.N)
	for i := range won {
		won[i] = core.NoItem // also makes the memory present
	}

	m := meter.Start(b)
	n, err := c.draw(won)
	usage := m.Stop(b)

	if err != nil {
		b.Fatal(err)
	}
	won = won[:n]
	end, err := c.close()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.check(won); err != nil {
		b.Fatalf("after the timed part: %v", err)
	}
	usage.Report(b, "draw", b.N)
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "draws/sec")
	b.ReportMetric(float64(usage.GCs), "gc_count")
	b.ReportMetric(float64(n), "ok_draws")
	b.ReportMetric(float64(b.N-n), "empty_draws")
	b.ReportMetric(float64(end.syncs), "syncs")
	b.ReportMetric(float64(end.walBytes)/float64(b.N), "wal_bytes/draw")
	b.ReportMetric(float64(end.fileSize), "wal_file_size")
}
