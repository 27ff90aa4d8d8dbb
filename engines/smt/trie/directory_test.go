package trie

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/smt/format"
)

// Check walks to every leaf through the directory. A third of the paths of the
// identity format share their first bits, so that there are long chains.
func TestDirectoryFollowsChanges(t *testing.T) {
	for _, c := range []Config{
		{},
		{KeepRoots: 2},
		{Format: format.Format{PathHasher: format.IdentityKey}, KeepRoots: 2},
		{Format: format.Format{ValueHasher: format.RawValue}},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			tr := newTrie(t, c)
			held := map[int]bool{}
			name := func(i int) []byte {
				k := key(i)
				if c.PathHasher == format.IdentityKey && i%3 == 0 {
					copy(k, []byte{7, 7})
				}
				return k
			}
			var found int
			for step := range 60 {
				var b Batch
				for range 1 + rng.IntN(400) {
					i := rng.IntN(3000)
					if held[i] && rng.IntN(3) > 0 {
						b.Delete(name(i))
						delete(held, i)
					} else {
						b.Put(name(i), key(rng.Int()), 1)
						held[i] = true
					}
				}
				if err := tr.Apply(&b); err != nil {
					t.Fatal(err)
				}
				if _, err := tr.Commit(); err != nil {
					t.Fatal(err)
				}
				if err := tr.Check(); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				for i := range 100 {
					if _, _, ok, err := tr.Get(name(i)); ok != held[i] || err != nil {
						t.Fatalf("step %d: key %d: %v %v, expected %v", step, i, ok, err, held[i])
					}
				}
				if tr.directory.depth > 0 {
					found++
				}
			}
			if found < 40 {
				t.Errorf("a directory after %d of 60 steps", found)
			}
		})
	}
}
