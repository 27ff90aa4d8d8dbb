package vfs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The operating system and Mem answer the same calls alike.
func TestFileSystemsAgree(t *testing.T) {
	mem := NewMem()
	for name, fsys := range map[string]FS{"os": OS{}, "mem": mem} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "pool")
			if err := fsys.MkdirAll(dir); err != nil {
				t.Fatal(err)
			}
			a := filepath.Join(dir, "a")
			f := must[File](t)(fsys.Create(a))
			if err := f.Allocate(8192); err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte("pwrite"), 4096); err != nil {
				t.Fatal(err)
			}
			m := must[[]byte](t)(f.Map())
			if len(m) != 8192 || string(m[4096:4102]) != "pwrite" {
				t.Fatal("the mapping does not show what was written")
			}
			copy(m, "stored")
			if err := f.WriteDurable([]byte("durable"), 100); err != nil {
				t.Fatal(err)
			}
			if string(m[100:107]) != "durable" {
				t.Fatal("the mapping does not show what was written durably")
			}
			if err := errors.Join(f.Datasync(), f.Unmap(m), f.Close()); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(fsys.Rename(a, a+"b"), fsys.SyncDir(dir)); err != nil {
				t.Fatal(err)
			}
			if got := contents(t, fsys, a+"b"); !bytes.HasPrefix(got, []byte("stored")) || len(got) != 8192 {
				t.Fatalf("%d bytes, %q", len(got), got[:6])
			}
			if names := must[[]string](t)(fsys.ReadDir(dir)); len(names) != 1 || names[0] != "ab" {
				t.Fatalf("names %v", names)
			}
			if err := fsys.Remove(a + "b"); err != nil {
				t.Fatal(err)
			}
			if _, err := fsys.Open(a+"b", true); err == nil {
				t.Fatal("a removed file opens")
			}
		})
	}
}

func TestLock(t *testing.T) {
	for name, fsys := range map[string]FS{"os": OS{}, "mem": NewMem()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fsys.MkdirAll(dir)
			writer, err := fsys.Lock(dir, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, exclusive := range []bool{true, false} {
				if _, err := fsys.Lock(dir, exclusive); !errors.Is(err, ErrLocked) {
					t.Fatalf("exclusive=%v beside a writer: %v", exclusive, err)
				}
			}
			writer.Close()
			reader, err := fsys.Lock(dir, false)
			if err != nil {
				t.Fatal(err)
			}
			second, err := fsys.Lock(dir, false)
			if err != nil {
				t.Fatal("two readers:", err)
			}
			if _, err := fsys.Lock(dir, true); !errors.Is(err, ErrLocked) {
				t.Fatalf("a writer beside readers: %v", err)
			}
			errors.Join(reader.Close(), second.Close())
		})
	}
}

// What is no regular file is refused, and not waited for.
func TestOnlyRegularFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, zero := filepath.Join(dir, "pipe"), filepath.Join(dir, "zero")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o644), os.Symlink("/dev/zero", zero)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, zero, dir} {
		for _, write := range []bool{false, true} {
			if _, err := (OS{}).Open(name, write); err == nil {
				t.Errorf("%s was opened, for writing %t", name, write)
			}
		}
	}
	for _, name := range []string{pipe, zero} {
		if _, err := (OS{}).Lock(name, false); err == nil {
			t.Errorf("%s was locked as a directory", name)
		}
	}
	if names, err := (OS{}).ReadDir(filepath.Dir(dir)); err != nil || len(names) == 0 {
		t.Errorf("the folder of %s holds %q, %v", dir, names, err)
	}
}
