package pool

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"assay/gocommon/vfs"
	"assay/rewardpool/core"
)

// The same draws in other batches and modes give the same state, and the same
// batches give the same bytes.
func TestReplayIsTheSameForBatchesAndModes(t *testing.T) {
	const draws = 3000
	for _, items := range []int{1, 10, 300} {
		t.Run(fmt.Sprint(items), func(t *testing.T) {
			var want [32]byte
			logs := map[string][]byte{}
			for _, batch := range []int{1, 7, 1000} {
				for _, d := range Durabilities {
					mem := vfs.NewMem()
					cfg := testConfig(mem, d)
					cfg.Items = nil
					for i := range items {
						cfg.Items = append(cfg.Items, core.Item{ID: fmt.Sprint(i), Quantity: 4000, Weight: uint64(1 + i)})
					}
					p := openTest(t, cfg)
					for left := draws; left > 0; left -= batch {
						if _, err := p.DrawN(make([]uint32, min(batch, left))); err != nil {
							t.Fatal(err)
						}
					}
					hash, err := p.StateHash()
					if err = errors.Join(err, p.Close()); err != nil {
						t.Fatal(err)
					}
					if want == [32]byte{} {
						want = hash
					}
					q, report, err := Open(testDir, Config{ReadOnly: true, FS: mem})
					if err != nil || d != None && report.Draws != draws {
						t.Fatal(d, batch, report, err)
					}
					if again, _ := q.StateHash(); hash != want || again != want {
						t.Fatalf("%v in batches of %d: another state", d, batch)
					}
					if d == Mmap || d == File { // both never sync before Close
						name := fmt.Sprint(batch)
						var log []byte
						for _, file := range walFiles(t, mem) {
							log = append(log, file...)
						}
						if logs[name] != nil && !slices.Equal(logs[name], log) {
							t.Fatalf("%v in batches of %d: another log", d, batch)
						}
						logs[name] = log
					}
				}
			}
		})
	}
}

func walFiles(t *testing.T, mem *vfs.Mem) (files [][]byte) {
	t.Helper()
	names, err := mem.ReadDir(testDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name[:4] == "wal-" {
			b, err := readFile(mem, testDir+"/"+name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, b)
		}
	}
	return files
}

// Columns of every width come back as they were.
func TestColumns(t *testing.T) {
	for _, items := range []int{1, 256, 257, 1 << 16, 1<<16 + 1, 1 << 24, 1<<24 + 1} {
		width := itemWidth(items)
		var want []uint32
		for n := range 21 {
			b := make([]byte, width*n+8)
			putColumn(b[:width*n], want, width)
			got, err := readColumn(nil, columnFrame(width, n, b))
			if n > 0 && (err != nil || !slices.Equal(got, want)) {
				t.Fatalf("width %d: %v, %v; expected %v", width, got, err, want)
			}
			want = append(want, uint32((items-1)*(n+1)/21))
		}
		if want[20] != uint32(items-1) {
			t.Fatal("the last item was not tried")
		}
	}
}
