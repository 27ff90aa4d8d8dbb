package openfga

import (
	"testing"

	"assay/acp/bench/docbench"
)

func TestAccess(t *testing.T) { docbench.Verify(t, engine) }

func TestAnswers(t *testing.T) { docbench.VerifyAnswers(t, engine, 4) }

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, engine) }
