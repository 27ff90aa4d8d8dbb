package bench

import (
	"fmt"
	"testing"

	"assay/smt/bench/triebench"
	"assay/smt/proof"
)

// multiproven is how many keys BenchmarkMultiproof proves at most.
const multiproven = 50_000

// BenchmarkMultiproof makes one proof for many random keys that are present. An operation is a key.
func BenchmarkMultiproof(b *testing.B) {
	for _, kind := range engine.Kinds {
		for _, size := range []int{16, 256} {
			b.Run(fmt.Sprintf("trie=%s/keys=%d", kind, size), func(b *testing.B) { multiproof(b, kind, size) })
		}
	}
}

func multiproof(b *testing.B, kind triebench.Kind, size int) {
	entries := triebench.PresentEntries(triebench.KeyCount())
	proven := entries.Sample(min(multiproven, entries.Len()) / size * size)
	keys := proven.Keys()
	shot := triebench.NewShot(b, engine, kind)
	shot.StartWith(entries)
	tree := shot.Trie.(*reference)
	shot.Measure(len(keys), func() error {
		for from := 0; from < len(keys); from += size {
			if _, err := tree.ProveMulti(keys[from : from+size]); err != nil {
				return err
			}
		}
		return nil
	})
	root := shot.Finish(entries)
	made, err := tree.ProveMulti(keys[:size])
	shot.Must(err)
	claims := make([]proof.Claim, size)
	for i := range claims {
		key, value, weight := proven.At(i)
		claims[i] = proof.Claim{Key: key, Value: value, Weight: weight, Present: true}
	}
	shot.Must(verdict(proof.VerifyMulti(formats[kind], root, claims, made)))
	claims[size/2].Value = claims[0].Value
	if ok, _ := proof.VerifyMulti(formats[kind], root, claims, made); ok {
		b.Fatal("the proof is accepted for another value")
	}
}
