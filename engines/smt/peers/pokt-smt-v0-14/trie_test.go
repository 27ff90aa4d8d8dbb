package pokt

import (
	"testing"

	"github.com/pokt-network/smt"

	"assay/smt/bench/compare"
	"assay/smt/bench/triebench"
	"assay/smt/proof"
)

func TestTrie(t *testing.T) { triebench.Verify(t, engine) }

func TestRootsAndProofsAreThoseOfTheReference(t *testing.T) {
	for kind, format := range formats {
		compare.Engine(t, engine, kind, format, func(p triebench.Proof) *proof.Proof {
			return (*proof.Proof)(p.(*smt.SparseMerkleProof))
		})
	}
}

func BenchmarkTrie(b *testing.B) { triebench.Benchmark(b, engine) }
