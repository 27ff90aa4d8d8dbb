package wal

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

// tolerant takes any records.
func tolerant(t *testing.T, most int) Handler {
	return Handler{
		Snapshot: func(r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			if n > int64(most) {
				t.Fatalf("%d bytes of snapshot in a file of %d", n, most)
			}
			return err
		},
		Record: func(record []byte) error {
			if len(record) > most {
				t.Fatalf("a record of %d bytes in a file of %d", len(record), most)
			}
			return nil
		},
	}
}

// A segment of anything behind a valid header is read or refused, and read again alike.
func FuzzSegment(f *testing.F) {
	mem := vfs.NewMem()
	mem.MkdirAll(testDir)
	l, _, err := Open(mem, testDir, testOptions(Batch), Handler{})
	if err != nil {
		f.Fatal(err)
	}
	for n := range uint64(3) {
		if _, err := l.Append(recordOf(n)); err != nil {
			f.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	name := frames.SegmentName(0)
	file, _ := mem.Open(testDir+"/"+name, false)
	good := make([]byte, 12<<10)
	file.ReadAt(good, 0)
	files := image{name: good}
	f.Add(bytes.TrimRight(good[frames.HeaderBytes:], "\x00"))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0x20, 0, 0, 0}, 30))
	f.Fuzz(func(t *testing.T, tail []byte) {
		if len(tail) > 8<<10 {
			tail = tail[:8<<10]
		}
		bad := append(bytes.Clone(good[:frames.HeaderBytes]), tail...)
		bad = append(bad, make([]byte, 12<<10-len(bad))...)
		disk := files.disk(name, bad)
		l, first, err := Open(disk, testDir, testOptions(Batch), tolerant(t, len(bad)))
		if errors.Is(err, ErrCorrupt) {
			return
		}
		must(t, err)
		must(t, l.Close())
		l, second, err := Open(disk, testDir, testOptions(Batch), tolerant(t, len(bad)))
		if err != nil || second.Records != first.Records || second.CutBytes != 0 {
			t.Fatalf("first %+v, then %+v, %v", first, second, err)
		}
		must(t, l.Close())
	})
}

// A snapshot of anything is read or refused.
func FuzzSnapshot(f *testing.F) {
	id := frames.UUID{1}
	write := func(contents []byte) []byte {
		mem := vfs.NewMem()
		mem.MkdirAll(testDir)
		file, _ := mem.Create(testDir + "/s")
		w := newBlockWriter(file, id, 5)
		w.Write(contents)
		if err := w.end(); err != nil {
			f.Fatal(err)
		}
		size, _ := file.Size()
		b := make([]byte, size)
		file.ReadAt(b, 0)
		return b
	}
	f.Add(write(nil))
	f.Add(write(make([]byte, 64)))
	f.Add(write(bytes.Repeat([]byte("snapshot "), 30)))
	f.Fuzz(func(t *testing.T, b []byte) {
		mem := image{"s": b}.disk("", nil)
		file, err := mem.Open(testDir+"/s", false)
		must(t, err)
		r, err := newBlockReader(file, "s", id, 5)
		var contents []byte
		if err == nil {
			contents, err = io.ReadAll(r)
		}
		if err == nil {
			err = r.atEnd()
		}
		var damage *frames.CorruptError
		switch {
		case err != nil && !errors.As(err, &damage):
			t.Fatal(err)
		case err == nil && !bytes.Equal(write(contents), b):
			// Blocks of other sizes are read too; their contents must fit.
			if len(contents) > len(b) {
				t.Fatalf("%d bytes out of %d", len(contents), len(b))
			}
		}
	})
}
