package triebench

import (
	"bytes"
	"runtime"
	"testing"
)

const (
	// sizedProofs is how many proofs are sized at most: every key up to so many, beyond that keys
	// at equal distances.
	sizedProofs = 100_000
	// timedProofs is how many of them are encoded again while the timer runs.
	timedProofs = 5000
)

// proofSize encodes proofs of the published keys, and reports the average length, rounded down as
// published, the least and the greatest. An operation is the encoding of a proof.
func proofSize(b *testing.B, s setting) {
	for codec, encode := range s.Codecs {
		b.Run("codec="+codec, func(b *testing.B) {
			entries := bigEndianEntries(s.keys)
			timed := entries.everyNth(timedProofs)
			shot := newShot(b, s)
			shot.StartWith(entries)
			root, err := shot.Trie.Root()
			shot.Must(err)
			root = bytes.Clone(root)

			sized := entries.everyNth(sizedProofs)
			sum, least, greatest := 0, 0, 0
			for i := range sized.Len() {
				key, value, weight := sized.At(i)
				proof, err := shot.Trie.Prove(key)
				shot.Must(err)
				if i%1000 == 0 {
					shot.Must(s.Verify(s.kind, root, key, value, weight, proof))
				}
				encoded, err := encode(s.kind, proof)
				shot.Must(err)
				sum += len(encoded)
				greatest = max(greatest, len(encoded))
				if i == 0 || len(encoded) < least {
					least = len(encoded)
				}
			}
			held := shot.proofs(timed)
			shot.Time(len(held), func() error {
				for _, proof := range held {
					if _, err := encode(s.kind, proof); err != nil {
						return err
					}
				}
				return nil
			})
			shot.ReportMetric(float64(sum/sized.Len()), "proof_bytes")
			shot.ReportMetric(float64(least), "proof_bytes_min")
			shot.ReportMetric(float64(greatest), "proof_bytes_max")
			held = nil
			shot.Finish(entries)
			runtime.KeepAlive(timed)
		})
	}
}

// everyNth returns count entries at equal distances, or all when there are fewer.
func (e Entries) everyNth(count int) Entries {
	if e.Len() <= count {
		return e
	}
	chosen := makeEntries(count, 16)
	for i := range count {
		chosen.add(e.At(i * e.Len() / count))
	}
	return chosen
}
