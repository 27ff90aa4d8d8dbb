package geth

import (
	"testing"

	"assay/smt/bench/triebench"
)

func TestTrie(t *testing.T) { triebench.Verify(t, engine) }

func BenchmarkTrie(b *testing.B) { triebench.Benchmark(b, engine) }
