package bench

import (
	"fmt"
	"testing"

	"assay/smt/bench/triebench"
	"assay/smt/sha256x"
	"assay/smt/trie"
)

// BenchmarkFillHow is the workload fill with each implementation of the hash, on one processor and
// on two.
func BenchmarkFillHow(b *testing.B) {
	for _, hash := range []sha256x.Implementation{sha256x.Std, sha256x.SHANI} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("trie=smt/hash=%s/workers=%d", hash, workers), func(b *testing.B) {
				configured := engine
				configured.New = func(triebench.Kind) (triebench.Trie, error) {
					return open(trie.Config{Hashing: hash, Workers: workers})
				}
				triebench.Fill(b, configured, triebench.SMT)
			})
		}
	}
}
