package bench

import (
	"testing"

	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
)

func TestAccess(t *testing.T) {
	t.Run("index=keyed", func(t *testing.T) { docbench.Verify(t, reference.Keyed) })
	t.Run("index=scan", func(t *testing.T) { docbench.Verify(t, reference.Scan) })
}

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, reference.Keyed) }

func BenchmarkScan(b *testing.B) { docbench.Benchmark(b, reference.Scan) }
