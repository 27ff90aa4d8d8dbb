package triebench

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"
)

// How often the operations on single keys are done, at most once a key of the trie.
const (
	gets    = 200_000
	proofs  = 50_000
	deletes = 50_000
)

// batchKeys is the number of keys of one call in the variant how=batch.
const batchKeys = 256

// modes runs a sub-benchmark for one key a call, and one for a batch of keys a call.
func modes(b *testing.B, single, batch func(*testing.B)) {
	b.Run("how=single", single)
	b.Run("how=batch", batch)
}

// lookups returns the entries of a trie and those that are looked up in it: in random order, and
// none of them twice.
func lookups(s setting, count int, hit bool) (entries, wanted Entries) {
	entries = PresentEntries(s.keys)
	if hit {
		return entries, entries.Sample(min(count, s.keys))
	}
	return entries, randomEntries(absent, min(count, s.keys))
}

func get(b *testing.B, s setting, hit bool) {
	modes(b, func(b *testing.B) {
		entries, wanted := lookups(s, gets, hit)
		shot := newShot(b, s)
		shot.StartWith(entries)
		found := 0
		shot.Measure(wanted.Len(), func() error {
			for i := range wanted.Len() {
				value, err := shot.Trie.Get(wanted.Key(i))
				if err != nil {
					return err
				}
				if value != nil {
					found++
				}
			}
			return nil
		})
		shot.checkFound(found, wanted, hit)
		shot.CheckProofs(shot.Finish(entries), wanted, hit)
	}, func(b *testing.B) {
		entries, wanted := lookups(s, gets, hit)
		keys := wanted.Keys()
		shot := newShot(b, s)
		shot.StartWith(entries)
		reader := shot.batchReader()
		found := 0
		shot.Measure(len(keys), func() error {
			for rest := keys; len(rest) > 0; rest = rest[min(batchKeys, len(rest)):] {
				values, err := reader.GetBatch(rest[:min(batchKeys, len(rest))])
				if err != nil {
					return err
				}
				for _, value := range values {
					if value != nil {
						found++
					}
				}
			}
			return nil
		})
		shot.checkFound(found, wanted, hit)
		shot.CheckProofs(shot.Finish(entries), wanted, hit)
		values, err := reader.GetBatch(keys[:min(batchKeys, len(keys))])
		shot.Must(err)
		for i, got := range values {
			_, value, _ := wanted.At(i)
			if !hit {
				value = nil
			}
			shot.Must(checkValue(s.Engine, value, got))
		}
		runtime.KeepAlive(keys)
	})
}

func (s *Shot) checkFound(found int, wanted Entries, hit bool) {
	want := 0
	if hit {
		want = wanted.Len()
	}
	if found != want {
		s.Fatalf("%d keys found, expected %d", found, want)
	}
}

func (s *Shot) batchReader() BatchReader {
	reader, ok := s.Trie.(BatchReader)
	if !ok {
		s.Skip("this trie has no batches of reads")
	}
	return reader
}

func prove(b *testing.B, s setting, hit bool) {
	modes(b, func(b *testing.B) {
		entries, wanted := lookups(s, proofs, hit)
		shot := newShot(b, s)
		shot.StartWith(entries)
		shot.Measure(wanted.Len(), func() error {
			for i := range wanted.Len() {
				if _, err := shot.Trie.Prove(wanted.Key(i)); err != nil {
					return err
				}
			}
			return nil
		})
		shot.CheckProofs(shot.Finish(entries), wanted, hit)
	}, func(b *testing.B) {
		entries, wanted := lookups(s, proofs, hit)
		keys := wanted.Keys()
		shot := newShot(b, s)
		shot.StartWith(entries)
		reader := shot.batchReader()
		shot.Measure(len(keys), func() error {
			for rest := keys; len(rest) > 0; rest = rest[min(batchKeys, len(rest)):] {
				if err := reader.ProveBatch(rest[:min(batchKeys, len(rest))]); err != nil {
					return err
				}
			}
			return nil
		})
		root := shot.Finish(entries)
		shot.Must(reader.ProveBatch(keys[:min(batchKeys, len(keys))]))
		for i := range min(batchKeys, len(keys)) {
			key, value, weight := wanted.At(i)
			if !hit {
				value, weight = nil, 0
			}
			shot.Must(s.Verify(s.kind, root, key, value, weight, reader.BatchProof(i)))
		}
		runtime.KeepAlive(keys)
	})
}

// closest proves for random paths which key lies closest.
func closest(b *testing.B, s setting) {
	entries := PresentEntries(s.keys)
	paths := randomEntries(absent, min(proofs, s.keys))
	shot := newShot(b, s)
	shot.StartWith(entries)
	prover, ok := shot.Trie.(ClosestProver)
	if !ok {
		b.Skip("this trie has no proofs of the closest key")
	}
	shot.Measure(paths.Len(), func() error {
		for i := range paths.Len() {
			if _, err := prover.ProveClosest(paths.Key(i)); err != nil {
				return err
			}
		}
		return nil
	})
	root := shot.Finish(entries)
	for i := range min(paths.Len(), 50) {
		proof, err := prover.ProveClosest(paths.Key(i))
		shot.Must(err)
		shot.Must(s.VerifyClosest(s.kind, root, paths.Key(i), proof))
	}
}

// verified is how many proofs the workload verify holds and verifies.
const verified = 5000

// verify checks proofs of present keys.
func verify(b *testing.B, s setting) {
	entries, wanted := lookups(s, verified, true)
	shot := newShot(b, s)
	shot.StartWith(entries)
	root, err := shot.Trie.Root()
	shot.Must(err)
	root = bytes.Clone(root)
	held := shot.proofs(wanted)
	shot.Time(len(held), func() error {
		for i, proof := range held {
			key, value, weight := wanted.At(i)
			if err := s.Verify(s.kind, root, key, value, weight, proof); err != nil {
				return err
			}
		}
		return nil
	})
	// A verifier that accepts everything is none.
	for i, proof := range held[:min(50, len(held))] {
		key, value, weight := wanted.At(i)
		wrong := bytes.Clone(value)
		wrong[rand.New(shuffled.source()).IntN(len(wrong))] ^= 1
		if s.Verify(s.kind, root, key, wrong, weight, proof) == nil {
			b.Fatalf("the proof of key %x is accepted for another value", key)
		}
	}
	held = nil
	shot.Finish(entries)
	runtime.KeepAlive(wanted)
}

// proofs returns proofs of all the entries.
func (s *Shot) proofs(entries Entries) []Proof {
	prove := s.Trie.Prove
	if prover, ok := s.Trie.(KeptProver); ok {
		prove = prover.ProveKept
	}
	held := make([]Proof, entries.Len())
	for i := range held {
		proof, err := prove(entries.Key(i))
		s.Must(err)
		held[i] = proof
	}
	return held
}

// deleteHit deletes present keys, without a commit.
func deleteHit(b *testing.B, s setting) {
	entries := PresentEntries(s.keys)
	removed, after := entries.without(min(deletes, s.keys/2))
	shot := newShot(b, s)
	shot.StartWith(entries)
	shot.Measure(removed.Len(), func() error { return deleteEach(shot.Trie, removed) })
	root := shot.Finish(after)
	shot.reportWithRoot(removed.Len())
	shot.CheckProofs(root, removed, false)
	runtime.KeepAlive(entries)
}
