package bench

import (
	"testing"

	"assay/acp/bench/docbench"
	"assay/acp/peers/acpcore"
)

func TestAccess(t *testing.T) { docbench.Verify(t, acpcore.Engine) }

func BenchmarkAccess(b *testing.B) { docbench.Benchmark(b, acpcore.Engine) }
