package leaflog

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

// The bytes of the package documentation: the log of one commit, which puts one
// path and deletes another, and the checkpoint after it.
func TestGoldenBytes(t *testing.T) {
	h := header{id: 0x1122334455667788, format: format.Format{ValueHasher: format.RawValue}}
	mem := vfs.NewMem()
	mem.MkdirAll(testDir)
	var c counters
	l, err := createLog(mem, testDir, h, &c)
	if err != nil {
		t.Fatal(err)
	}
	put, gone := bytes.Repeat([]byte{0xAA}, 32), bytes.Repeat([]byte{0xBB}, 32)
	root := bytes.Repeat([]byte{0xCC}, 32)
	if err := l.append(leaves{string(put): []byte("red"), string(gone): nil}.sorted, root); err != nil {
		t.Fatal(err)
	}
	h.number = 1
	if _, err := writeCheckpoint(mem, testDir, h, leaves{string(put): []byte("red")}.sorted, root, &c); err != nil {
		t.Fatal(err)
	}
	const id = "8877665544332211"
	equal(t, readFile(t, mem, "log-0000000000000000.log"),
		"534d544c4f470a00", id, "0000000000000000", "00000100", "01000000", "1aa5d4d2", // header
		id, "0100000000000000", "00000000", "02000000", "02000000", "65000000", "364ee607", "3c2020f2", // block
		hex.EncodeToString(put), "04", "726564", hex.EncodeToString(gone), "00", hex.EncodeToString(root),
		id, "0100000000000000", "00000000", "03000000", "00000000", "00000000", "00000000", "aac1350f") // mark
	equal(t, readFile(t, mem, "leaves-0000000000000001.ckpt"),
		"534d54434b50540a", id, "0100000000000000", "00000100", "01000000", "5591ad90",
		id, "0100000000000000", "00000000", "02000000", "01000000", "44000000", "f3ea0cd0", "e5c84588",
		hex.EncodeToString(put), "04", "726564", hex.EncodeToString(root))
}

// equal compares with fields in hexadecimal; only zeros may follow.
func equal(t *testing.T, got []byte, fields ...string) {
	t.Helper()
	want := strings.Join(fields, "")
	got = bytes.TrimRight(got, "\x00")
	if got := hex.EncodeToString(got); got != want {
		t.Fatalf("bytes\n%s, expected\n%s", got, want)
	}
}
