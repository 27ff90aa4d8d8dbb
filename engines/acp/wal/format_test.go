package wal

import (
	"encoding/hex"
	"io"
	"testing"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

// The bytes of ../FORMAT.md; the UUID, which is random, is taken from the files.
func TestBytesOfTheFormat(t *testing.T) {
	mem := vfs.NewMem()
	mem.MkdirAll(testDir)
	l, _, err := Open(mem, testDir, testOptions(Batch), Handler{})
	must(t, err)
	for _, record := range []string{"first", "12345678"} {
		seq, err := l.Append([]byte(record))
		must(t, err)
		must(t, l.Wait(seq))
	}
	must(t, l.Snapshot(2, func(w io.Writer) error { _, err := io.WriteString(w, "state"); return err }))
	must(t, l.Close())
	files := read(t, mem)
	segment, snapshot := files[frames.SegmentName(0)], files[snapshotName(2)]
	uuid := segment[16:32]

	// Checksums are left out where the UUID salts them.
	clearCRC := func(b []byte, at int) { clear(b[at : at+4]) }
	header := "41435057414c010a" + "02000000" + "00000000" + hex.EncodeToString(uuid) +
		"0100000000000000" + "0000000000000000" + "0000000000000000" + "0030000000000000"
	if got := hex.EncodeToString(segment[:64]); got != header {
		t.Errorf("header\n%s, expected\n%s", got, header)
	}
	log := segment[frames.HeaderBytes:]
	for _, at := range []int{0, 40} {
		clearCRC(log, at+4)
	}
	want := "28000000" + "00000000" + "01070000" + "01000000" + "0000000000000000" + "00000000" + "6669727374" + "00000000000000" +
		"28000000" + "00000000" + "01040000" + "01000000" + "0100000000000000" + "00000000" + "3132333435363738" + "00000000" +
		"0000000000000000"
	if got := hex.EncodeToString(log[:len(want)/2]); got != want {
		t.Errorf("frames\n%s, expected\n%s", got, want)
	}
	clearCRC(snapshot, 44)
	clearCRC(snapshot, 52)
	clearCRC(snapshot, 65)
	want = "414350534e41500a" + "01000000" + "00000000" + hex.EncodeToString(uuid) + "0200000000000000" + "00000000" + "00000000" +
		"05000000" + "00000000" + hex.EncodeToString([]byte("state")) + "00000000" + "00000000"
	if got := hex.EncodeToString(snapshot); got != want {
		t.Errorf("snapshot\n%s, expected\n%s", got, want)
	}
}
