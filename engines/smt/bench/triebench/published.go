package triebench

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The rows of the published report, with its keys, its numbers of iterations, and its traps:
//
//   - A fill writes the keys that the trie holds already, over and over.
//   - Operation i is on key i, in the order in which the keys were inserted. Iterations beyond the
//     number of keys insert new keys, miss, or delete what is not there.
//   - The operations on the sum trie are on keys of another form than those in the trie. All of its
//     gets and proofs miss, and its deletes delete nothing.
//   - Errors are ignored.
//   - The rows with a commit have one commit, at the very end.
//
// Some of its numbers are cut, to save time. Iterations are at most two a key; twenty of deletes in
// the plain trie, which cost so little because most of them delete nothing. Fills are 3 and not 10,
// and with a commit 1: without commits the first fill is dearer than all later ones.
const (
	iterationsPerKey = 2
	deletesPerKey    = 20
	publishedFills   = 3
)

// published holds the numbers of iterations of the published operations, by row, trie and keys.
var published = map[string]map[Kind]map[int]int{
	"update": {
		SMT:  {100_000: 740_618, 500_000: 605_348, 1_000_000: 545_701, 5_000_000: 466_688, 10_000_000: 284_580},
		SMST: {100_000: 913_760, 500_000: 687_813, 1_000_000: 630_310, 5_000_000: 644_193, 10_000_000: 231_714},
	},
	"update_commit": {
		SMT:  {100_000: 21_022, 500_000: 11_697, 1_000_000: 9_540, 5_000_000: 7_906, 10_000_000: 4_484},
		SMST: {100_000: 20_318, 500_000: 14_526, 1_000_000: 11_678, 5_000_000: 6_214, 10_000_000: 4_284},
	},
	"get": {
		SMT:  {100_000: 3_923_601, 500_000: 2_209_981, 1_000_000: 1_844_431, 5_000_000: 1_196_467, 10_000_000: 970_195},
		SMST: {100_000: 3_924_031, 500_000: 2_080_167, 1_000_000: 1_609_478, 5_000_000: 1_015_630, 10_000_000: 352_980},
	},
	"prove": {
		SMT:  {100_000: 829_801, 500_000: 610_402, 1_000_000: 605_799, 5_000_000: 566_930, 10_000_000: 458_472},
		SMST: {100_000: 717_380, 500_000: 618_265, 1_000_000: 567_594, 5_000_000: 446_062, 10_000_000: 122_347},
	},
	"delete": {
		SMT:  {100_000: 12_081_112, 500_000: 7_253_522, 1_000_000: 1_624_569, 5_000_000: 856_424, 10_000_000: 545_876},
		SMST: {100_000: 1_000_000, 500_000: 1_046_163, 1_000_000: 852_918, 5_000_000: 625_662, 10_000_000: 232_544},
	},
	"delete_commit": {
		SMT:  {100_000: 26_490, 500_000: 12_766, 1_000_000: 9_811, 5_000_000: 8_431, 10_000_000: 3_916},
		SMST: {100_000: 1_000_000, 500_000: 907_071, 1_000_000: 807_847, 5_000_000: 864_432, 10_000_000: 224_767},
	},
}

// iterations returns how often an operation is done. Sizes that were not published get one
// iteration a key.
func (s setting) iterations(row string) int {
	count, ok := published[row][s.kind][s.keys]
	if !ok {
		count = s.keys
	}
	if s.kind == SMT && strings.HasPrefix(row, "delete") {
		return min(count, deletesPerKey*s.keys)
	}
	return min(count, iterationsPerKey*s.keys)
}

// publishedShot makes a trie that holds the published keys.
func publishedShot(b *testing.B, s setting) (*Shot, Entries) {
	entries := decimalEntries(0, s.keys)
	shot := newShot(b, s)
	shot.Start()
	shot.Must(updateEach(shot.Trie, entries))
	_, err := shot.Trie.Commit()
	shot.Must(err)
	return shot, entries
}

// each calls operation with the number and the published key of each iteration. The keys are made
// while the timer runs, as in the published benchmark.
func (s *Shot) each(iterations int, commit bool, operation func(key []byte, i int)) {
	s.Measure(iterations, func() error {
		for i := range iterations {
			if s.kind == SMT {
				operation([]byte(strconv.Itoa(i)), i)
				continue
			}
			key := make([]byte, 8)
			binary.LittleEndian.PutUint64(key, uint64(i))
			operation(key, i)
		}
		if !commit {
			return nil
		}
		_, err := s.Trie.Commit()
		return err
	})
}

func publishedFill(b *testing.B, s setting, commit bool) {
	shot, entries := publishedShot(b, s)
	fills := publishedFills
	if commit {
		fills = 1
	}
	shot.Measure(fills, func() error {
		for range fills {
			for i := range s.keys {
				key := []byte(strconv.Itoa(i))
				if err := shot.Trie.Update(key, key, uint64(i)); err != nil {
					return err
				}
			}
			if commit {
				if _, err := shot.Trie.Commit(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	root := shot.Finish(entries)
	shot.reportWithRoot(fills)
	shot.CheckProofs(root, entries, true)
}

func publishedUpdate(b *testing.B, s setting, commit bool) {
	row := "update"
	if commit {
		row = "update_commit"
	}
	count := s.iterations(row)
	after := decimalEntries(0, s.keys)
	if s.kind == SMT {
		after = decimalEntries(0, max(s.keys, count))
	} else {
		after.addAll(littleEndianEntries(count))
	}
	shot, _ := publishedShot(b, s)
	shot.each(count, commit, func(key []byte, i int) {
		_ = shot.Trie.Update(key, key, uint64(i))
	})
	root := shot.Finish(after)
	shot.reportWithRoot(count)
	shot.CheckProofs(root, after.Slice(after.Len()-50, after.Len()), true)
}

func publishedGet(b *testing.B, s setting) {
	count := s.iterations("get")
	found, want := 0, 0
	if s.kind == SMT {
		want = min(count, s.keys)
	}
	shot, entries := publishedShot(b, s)
	shot.each(count, false, func(key []byte, _ int) {
		if value, _ := shot.Trie.Get(key); value != nil {
			found++
		}
	})
	if found != want {
		b.Fatalf("%d keys found, expected %d", found, want)
	}
	root := shot.Finish(entries)
	shot.CheckProofs(root, entries, true)
}

func publishedProve(b *testing.B, s setting) {
	count := s.iterations("prove")
	shot, entries := publishedShot(b, s)
	shot.each(count, false, func(key []byte, _ int) {
		_, _ = shot.Trie.Prove(key)
	})
	root := shot.Finish(entries)
	if s.kind == SMT {
		shot.CheckProofs(root, entries, true)
	} else {
		shot.CheckProofs(root, littleEndianEntries(50), false)
	}
}

func publishedDelete(b *testing.B, s setting, commit bool) {
	row := "delete"
	if commit {
		row = "delete_commit"
	}
	count := s.iterations(row)
	gone := littleEndianEntries(50)
	after := decimalEntries(0, s.keys)
	failures, want := 0, count
	if s.kind == SMT {
		gone = decimalEntries(0, min(50, count))
		after = decimalEntries(count, s.keys)
		want = max(0, count-s.keys)
	}
	shot, _ := publishedShot(b, s)
	shot.each(count, commit, func(key []byte, _ int) {
		if err := shot.Trie.Delete(key); err != nil {
			failures++
		}
	})
	if failures != want {
		b.Fatal(fmt.Errorf("%d keys were not there to delete, expected %d", failures, want))
	}
	root := shot.Finish(after)
	shot.reportWithRoot(count)
	shot.CheckProofs(root, gone, false)
	runtime.KeepAlive(after)
}
