package casbin

import (
	"testing"

	"assay/acp/bench/docbench"
)

func TestAccess(t *testing.T) {
	t.Run("model=roles", func(t *testing.T) { docbench.Verify(t, roles) })
	t.Run("model=rules", func(t *testing.T) { docbench.Verify(t, rules) })
}

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, roles) }

func BenchmarkRules(b *testing.B) { docbench.Benchmark(b, rules) }
