package wal

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path"
	"testing"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

// image is the files of a store.
type image map[string][]byte

func read(t *testing.T, fsys vfs.FS) image {
	t.Helper()
	names, err := fsys.ReadDir(testDir)
	must(t, err)
	out := image{}
	for _, name := range names {
		f, err := fsys.Open(path.Join(testDir, name), false)
		must(t, err)
		size, err := f.Size()
		must(t, err)
		b := make([]byte, size)
		if _, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		out[name] = b
	}
	return out
}

// disk puts an image on a file system, with name replaced by contents.
func (i image) disk(name string, contents []byte) *vfs.Mem {
	mem := vfs.NewMem()
	mem.MkdirAll(testDir)
	for n, b := range i {
		if n == name {
			b = contents
		}
		f, _ := mem.Create(path.Join(testDir, n))
		f.WriteAt(b, 0)
		f.Datasync()
	}
	mem.SyncDir(testDir)
	return mem
}

// closedStore is a store with records 1 to 6 in a snapshot and 7 to 12 behind it.
func closedStore(t *testing.T, mode Sync) image {
	t.Helper()
	mem := vfs.NewMem()
	l, _, _ := mustOpen(t, mem, mode)
	must(t, add(l, 6))
	must(t, save(l))
	must(t, add(l, 6))
	must(t, l.Close())
	return read(t, mem)
}

// used is the length of a segment without the zeros behind its frames.
func used(b []byte) int { return (len(bytes.TrimRight(b, "\x00")) + 7) &^ 7 }

// needless tells of files without which, or with any bytes in which, no record of a closed store is
// missing: the segment that was prepared, and the mark, which has two slots.
func needless(name string) bool { return name == frames.MarkName || frames.IsTemporary(name) }

// Of a store that was closed, a changed byte of any file is damage that is refused and named.
func TestEveryByteOfAClosedStore(t *testing.T) {
	for _, mode := range modes {
		files := closedStore(t, mode)
		for name, good := range files {
			end := len(good)
			if name == frames.SegmentName(0) {
				end = used(good)
			}
			if frames.IsTemporary(name) {
				continue
			}
			for at := range end {
				if needless(name) && at%4096 > 72 && at%64 > 0 {
					continue // zeros
				}
				bad := bytes.Clone(good)
				bad[at] ^= 1 << (at % 8)
				l, h, _, err := reopen(files.disk(name, bad), mode)
				switch {
				case err == nil && h == 12 && needless(name):
					must(t, l.Close())
				case !errors.Is(err, ErrCorrupt):
					t.Fatalf("mode %d: byte %d of %s changed: %d records, %v", mode, at, name, h, err)
				}
			}
		}
	}
}

// Cut short anywhere, a closed store is damaged.
func TestEveryLengthOfAClosedStore(t *testing.T) {
	files := closedStore(t, Batch)
	for name, good := range files {
		for n := range len(good) {
			if n%64 > 0 && (needless(name) || name == frames.SegmentName(0) && n > used(good)) {
				continue
			}
			l, h, _, err := reopen(files.disk(name, good[:n]), Batch)
			switch {
			case err == nil && h == 12 && frames.IsTemporary(name):
				must(t, l.Close())
			case !errors.Is(err, ErrCorrupt):
				t.Fatalf("%s cut to %d bytes: %d records, %v", name, n, h, err)
			}
		}
	}
}

// The last write, torn at every byte, with what was there before or with garbage behind: the record
// is gone, those before it are there, and the report counts the bytes.
func TestTornAtEveryByte(t *testing.T) {
	for _, mode := range modes {
		mem := vfs.NewMem()
		l, _, _ := mustOpen(t, mem, mode)
		must(t, add(l, 5))
		before := read(t, mem)
		must(t, add(l, 1))
		after := read(t, mem)
		name := frames.SegmentName(0)
		from, to := used(before[name]), used(after[name])
		for at := from; at < to-8; at++ {
			for _, garbage := range []bool{false, true} {
				torn := bytes.Clone(before[name])
				copy(torn[from:at], after[name][from:at])
				if garbage {
					for i := at; i < to; i++ {
						torn[i] = after[name][i] ^ 0x5a
					}
				}
				l, h, r, err := reopen(before.disk(name, torn), mode)
				if err != nil || h != 5 {
					t.Fatalf("mode %d: torn at byte %d of %d to %d: %d records, %v", mode, at, from, to, h, err)
				}
				if (r.CutBytes > 0) != (at > from || garbage) {
					t.Fatalf("mode %d: torn at byte %d of %d to %d: %+v", mode, at, from, to, r)
				}
				must(t, l.Close())
			}
		}
		must(t, l.Close())
	}
}

// In the modes that sync, later records prove that a damaged one was durable.
func TestDamageBeforeLaterRecords(t *testing.T) {
	for _, mode := range []Sync{Batch, Each} {
		mem := vfs.NewMem()
		l, _, _ := mustOpen(t, mem, mode)
		must(t, add(l, 8))
		files := read(t, mem.Crash(vfs.KeepNone, nil))
		name := frames.SegmentName(0)
		bad := bytes.Clone(files[name])
		bad[frames.HeaderBytes+20] ^= 4
		_, h, _, err := reopen(files.disk(name, bad), mode)
		var damage *frames.CorruptError
		if !errors.Is(err, ErrCorrupt) || !errors.As(err, &damage) || damage.Segment != name || damage.Offset != frames.HeaderBytes || h != 0 {
			t.Errorf("mode %d: %d records, %v", mode, h, err)
		}
		must(t, l.Close())
	}
}

// Files of two stores do not mix, and none may be missing.
func TestFilesOfOtherStores(t *testing.T) {
	one, other := closedStore(t, Batch), closedStore(t, Batch)
	for name := range one {
		if frames.IsTemporary(name) {
			continue
		}
		if _, _, _, err := reopen(one.disk(name, other[name]), Batch); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s of another store: %v", name, err)
		}
		without := maps.Clone(one)
		delete(without, name)
		// The log still has what the snapshot had.
		if _, h, _, err := reopen(without.disk("", nil), Batch); !errors.Is(err, ErrCorrupt) && h != 12 {
			t.Errorf("%s is missing: %d records, %v", name, h, err)
		}
	}
}

// A refused store is left as it is.
func TestRefusedStoreIsNotChanged(t *testing.T) {
	files := closedStore(t, Batch)
	name := snapshotName(6)
	bad := bytes.Clone(files[name])
	bad[60] ^= 1
	mem := files.disk(name, bad)
	mem.Before = func(c vfs.Call) error {
		if c.Mutates() && c.Op != "mkdir" {
			t.Errorf("%s %s", c.Op, c.Name)
		}
		return nil
	}
	if _, _, _, err := reopen(mem, Batch); !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}
