package bench

import (
	"errors"
	"flag"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/gocommon/meter"
	"assay/rewardpool/bench/drawtest"
)

var clientCount = flag.Int("clients", 8, "number of clients of BenchmarkConcurrent")

// BenchmarkConcurrent lets clients draw singly from a pool of durability group: each draw is
// acknowledged when it is durable, and clients that wait together share a sync. Each client makes
// b.N draws; the metrics count single draws.
func BenchmarkConcurrent(b *testing.B) {
	draws := b.N * *clientCount
	opened, err := openPool(b.TempDir(), drawtest.AmpleCatalog(), "group", 1, draws)
	if err != nil {
		b.Fatal(err)
	}
	d := opened.(*drawPool)
	won := make([]uint32, draws)
	latencies := make([]time.Duration, draws)
	errs := make([]error, *clientCount)

	m := meter.Start(b)
	var clients sync.WaitGroup
	for c := range *clientCount {
		clients.Go(func() {
			for i := c; i < draws && errs[c] == nil; i += *clientCount {
				start := time.Now()
				won[i], errs[c] = d.pool.Draw()
				latencies[i] = time.Since(start)
			}
		})
	}
	clients.Wait()
	usage := m.Stop(b)

	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
	end, err := d.Close()
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Check(won); err != nil {
		b.Fatalf("after the timed part: %v", err)
	}
	usage.Report(b, "draw", draws)
	slices.Sort(latencies)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(draws), "ns/op")
	b.ReportMetric(float64(draws)/b.Elapsed().Seconds(), "draws/sec")
	b.ReportMetric(float64(end.Syncs), "syncs")
	b.ReportMetric(float64(quantile(latencies, 0.5)), "ack_p50_ns")
	// One client makes 100 draws: a higher percentile would have fewer than 5 of them beyond it.
	b.ReportMetric(float64(quantile(latencies, 0.95)), "ack_p95_ns")
}

// quantile returns the smallest value that a share q of the sorted values does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}

func TestQuantile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for q, want := range map[float64]time.Duration{0.5: 50, 0.99: 99, 1: 100} {
		if got := quantile(hundred, q); got != want {
			t.Errorf("quantile %v of 1 to 100 is %d, expected %d", q, got, want)
		}
	}
}
