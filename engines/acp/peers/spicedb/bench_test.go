package spicedb

import (
	"testing"

	"assay/acp/bench/docbench"
)

func TestAccess(t *testing.T) { docbench.Verify(t, engine) }

func TestAnswers(t *testing.T) { docbench.VerifyAnswers(t, engine, 0) }

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, engine) }
