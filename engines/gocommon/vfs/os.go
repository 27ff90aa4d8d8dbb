//go:build linux

package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OS is the file system of the operating system. It needs Linux: fdatasync,
// fallocate and MADV_POPULATE_WRITE (5.14; older kernels fault lazily).
type OS struct{}

const madvPopulateWrite = 23

// MkdirAll syncs the parent of each directory that it makes: a file in it would
// not survive a power loss without it.
func (o OS) MkdirAll(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := o.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return o.SyncDir(parent)
}

func (OS) Create(name string) (File, error) {
	return openOS(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func (OS) Open(name string, write bool) (File, error) {
	if write {
		return openOS(name, os.O_RDWR)
	}
	return openOS(name, os.O_RDONLY)
}

func (OS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }

func (OS) Remove(name string) error { return os.Remove(name) }

func (OS) ReadDir(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

func (OS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (OS) Lock(dir string, exclusive bool) (io.Closer, error) {
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0) // nothing else: a pipe would wait
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	if err := syscall.Flock(int(d.Fd()), how|syscall.LOCK_NB); err != nil {
		d.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrLocked
		}
		return nil, &fs.PathError{Op: "flock", Path: dir, Err: err}
	}
	return &osLock{d}, nil
}

type osLock struct{ dir *os.File }

// Close unlocks before it closes: a process being started may hold a copy of
// the descriptor until it executes its program.
func (l *osLock) Close() error {
	return errors.Join(syscall.Flock(int(l.dir.Fd()), syscall.LOCK_UN), l.dir.Close())
}

type osFile struct {
	*os.File
	fd int
}

// openOS opens a regular file. Anything else is refused, and not waited for.
func openOS(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errIrregular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &osFile{File: f, fd: int(f.Fd())}, nil
}

var errIrregular = errors.New("not a regular file")

func (f *osFile) pathError(op string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: f.Name(), Err: err}
}

// WriteAt calls pwrite directly: os.File.WriteAt adds a reference count and a
// poll descriptor to a call that is made for every draw.
func (f *osFile) WriteAt(p []byte, off int64) (int, error) {
	done := 0
	for done < len(p) {
		n, err := syscall.Pwrite(f.fd, p[done:], off+int64(done))
		if err == syscall.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, f.pathError("pwrite", err)
		}
		done += n
	}
	return done, nil
}

func (f *osFile) WriteDurable(p []byte, off int64) error {
	d, err := openOS(f.Name(), os.O_WRONLY|syscall.O_DSYNC)
	if err != nil {
		return err
	}
	_, err = d.WriteAt(p, off)
	return errors.Join(err, d.Close())
}

func (f *osFile) Datasync() error {
	for {
		err := syscall.Fdatasync(f.fd)
		if err != syscall.EINTR {
			return f.pathError("fdatasync", err)
		}
	}
}

func (f *osFile) Allocate(size int64) error {
	err := syscall.Fallocate(f.fd, 0, 0, size)
	if err != nil && err != syscall.EOPNOTSUPP {
		return f.pathError("fallocate", err)
	}
	// In pages: a large write makes ext4 cache the file in large folios, and each
	// small write into one of those then costs three times as much.
	zeros := make([]byte, min(size, 4<<10))
	for off := int64(0); off < size; off += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-off)], off); err != nil {
			return err
		}
	}
	return nil
}

func (f *osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *osFile) Map() ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	m, err := syscall.Mmap(f.fd, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, f.pathError("mmap", err)
	}
	// An old kernel answers EINVAL; the pages then fault in one by one.
	if err := syscall.Madvise(m, madvPopulateWrite); err != nil && err != syscall.EINVAL {
		return nil, errors.Join(f.pathError("madvise", err), syscall.Munmap(m))
	}
	return m, nil
}

func (f *osFile) Unmap(mapping []byte) error { return f.pathError("munmap", syscall.Munmap(mapping)) }
