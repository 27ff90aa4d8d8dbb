package rosedb

import (
	"testing"

	"assay/rewardpool/bench/appendtest"
)

func TestAppend(t *testing.T) { appendtest.Verify(t, engine) }

func BenchmarkAppend(b *testing.B) { appendtest.Benchmark(b, engine) }
