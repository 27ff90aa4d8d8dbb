package vfs

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func contents(t *testing.T, fsys FS, name string) []byte {
	t.Helper()
	f := must[File](t)(fsys.Open(name, false))
	b := make([]byte, must[int64](t)(f.Size()))
	if _, err := f.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return b
}

func TestMemForgetsWhatWasNotSynced(t *testing.T) {
	m := NewMem()
	m.MkdirAll("d")
	f := must[File](t)(m.Create("d/a"))
	f.WriteAt([]byte("synced"), 0)
	f.Datasync()
	if names := must[[]string](t)(m.Crash(KeepNone, nil).ReadDir("d")); len(names) != 0 {
		t.Fatalf("an entry survived without SyncDir: %v", names)
	}
	m.SyncDir("d")
	f.WriteAt([]byte("xxxxxx"), 0)
	if got := contents(t, m.Crash(KeepNone, nil), "d/a"); string(got) != "synced" {
		t.Fatalf("after a strict crash: %q", got)
	}
	if got := contents(t, m.Crash(KeepAll, nil), "d/a"); string(got) != "xxxxxx" {
		t.Fatalf("after kill -9: %q", got)
	}
	m.Rename("d/a", "d/b")
	if got := contents(t, m.Crash(KeepNone, nil), "d/a"); string(got) != "synced" {
		t.Fatalf("an unsynced rename survived: %q", got)
	}
}

func TestMemKeepsRandomParts(t *testing.T) {
	m := NewMem()
	m.MkdirAll("d")
	f := must[File](t)(m.Create("d/a"))
	f.Allocate(8 * sectorBytes)
	f.Datasync()
	m.SyncDir("d")
	f.WriteAt(bytes.Repeat([]byte{7}, 6*sectorBytes), sectorBytes)
	kinds := map[string]bool{}
	for seed := range uint64(40) {
		for _, keep := range Keeps[2:] {
			got := contents(t, m.Crash(keep, rand.New(rand.NewPCG(seed, 1))), "d/a")
			for at := 0; at < len(got); at += sectorBytes {
				s := got[at : at+sectorBytes]
				switch sevens := bytes.Count(s, []byte{7}); {
				case sevens == sectorBytes:
					kinds["kept"] = true
				case sevens == 0:
					kinds["lost"] = true
				case keep == KeepTorn:
					kinds["torn"] = true
				case keep == KeepGarbage:
					kinds["garbage"] = true
				default:
					t.Fatalf("%v: sector with %d new bytes", keep, sevens)
				}
			}
			if untouched := got[7*sectorBytes:]; bytes.Count(untouched, []byte{0}) != sectorBytes {
				t.Fatalf("%v changed a sector that was not written", keep)
			}
		}
	}
	if len(kinds) != 4 {
		t.Fatalf("seen only %v", kinds)
	}
}

func TestMemInjection(t *testing.T) {
	m := NewMem()
	m.MkdirAll("d")
	f := must[File](t)(m.Create("d/a"))
	m.Before = func(c Call) error {
		switch c.Op {
		case "write":
			return io.ErrShortWrite
		case "datasync":
			return syscall.EIO
		}
		return nil
	}
	if n, err := f.WriteAt([]byte("abcd"), 0); n != 2 || !errors.Is(err, io.ErrShortWrite) {
		t.Fatalf("short write: %d, %v", n, err)
	}
	if err := f.Datasync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("datasync: %v", err)
	}
	m.Before = nil
	if got := contents(t, m, "d/a"); string(got) != "ab" {
		t.Fatalf("%q", got)
	}
}

// A failed sync forgets what it did not write: a later one does not make it
// durable, and writing it again does.
func TestMemFailedSync(t *testing.T) {
	m := NewMem()
	m.MkdirAll("d")
	f := must[File](t)(m.Create("d/a"))
	m.SyncDir("d")
	f.WriteAt([]byte("abcd"), 0)
	m.Before = func(c Call) error {
		if c.Op == "datasync" {
			return syscall.EIO
		}
		return nil
	}
	if err := f.Datasync(); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	m.Before = nil
	f.WriteAt([]byte("C"), 2)
	f.Datasync()
	if got := contents(t, m, "d/a"); string(got) != "abCd" {
		t.Fatalf("read back %q", got)
	}
	if got := contents(t, m.Crash(KeepNone, nil), "d/a"); string(got) != "\x00\x00C\x00" {
		t.Fatalf("on the disk %q", got)
	}
	f.WriteAt([]byte("abcd"), 0)
	f.Datasync()
	if got := contents(t, m.Crash(KeepNone, nil), "d/a"); string(got) != "abcd" {
		t.Fatalf("on the disk %q", got)
	}
}
