package wal

import (
	"errors"
	"fmt"
	"testing"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

func TestNames(t *testing.T) {
	for _, number := range []uint64{0, 1, 255, 1 << 40, 1<<64 - 1} {
		for name, want := range map[string]bool{
			frames.SegmentName(number): true, snapshotName(number): true, snapshotName(number) + ".tmp": false,
			fmt.Sprintf("wal-next-%d.tmp", number): false,
		} {
			if finished(name) != want || unfinished(name) == want {
				t.Errorf("%s: finished %t, unfinished %t", name, finished(name), unfinished(name))
			}
		}
	}
	for _, name := range []string{"wal-1.seg", "wal-000000000000000A.seg", "wal-0000000000000000.seg.tmp", "snap-1.snap.tmp", "wal-next-01.tmp", "wal-next-1.tmp.tmp", "segment-1.tmp", "x.tmp"} {
		if finished(name) || unfinished(name) {
			t.Errorf("%s is taken for a file of a store", name)
		}
	}
}

func TestForeignDirectory(t *testing.T) {
	mem := vfs.NewMem()
	must(t, mem.MkdirAll(testDir))
	_, err := mem.Create(testDir + "/thesis.tmp")
	must(t, err)
	mem.Before = func(c vfs.Call) error {
		if c.Mutates() && c.Op != "mkdir" {
			t.Errorf("%v", c)
		}
		return nil
	}
	if _, _, err := Open(mem, testDir, Options{}, Handler{}); !errors.Is(err, ErrForeign) {
		t.Errorf("%v, expected %v", err, ErrForeign)
	}
}
