package vfs

import (
	"errors"
	"io"
	"io/fs"
	"slices"
)

type memFile struct {
	fs       *Mem
	name     string
	node     *inode
	writable bool
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fs.before("read", f.name); err != nil {
		return 0, err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	err := f.fs.before("write", f.name)
	switch {
	case errors.Is(err, io.ErrShortWrite):
		p = p[:len(p)/2]
	case err != nil:
		return 0, err
	case !f.writable:
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: fs.ErrPermission}
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.grow(off + int64(len(p)))
	f.node.dirty = append(f.node.dirty, span{off, off + int64(len(p))})
	return copy(f.node.data[off:], p), err
}

// grow lengthens the data; a mapping keeps the old array, so the engine never
// maps a file before it has its final size.
func (f *memFile) grow(size int64) {
	if more := size - int64(len(f.node.data)); more > 0 {
		f.node.data = append(f.node.data, make([]byte, more)...)
	}
}

func (f *memFile) WriteDurable(p []byte, off int64) error {
	if _, err := f.WriteAt(p, off); err != nil {
		return err
	}
	if err := f.fs.before("datasync", f.name); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	// As fdatasync, O_DSYNC makes a size that has changed durable.
	if more := len(f.node.data) - len(f.node.synced); more > 0 {
		f.node.synced = append(f.node.synced, make([]byte, more)...)
	}
	copy(f.node.synced[off:], p)
	return nil
}

// Datasync forgets what was to be written also when it fails, as Linux does: the
// bytes stay readable, and a later sync that succeeds does not write them.
func (f *memFile) Datasync() error {
	err := f.fs.before("datasync", f.name)
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	node := f.node
	dirty := node.dirty
	node.dirty = nil
	if err != nil {
		return err
	}
	if node.mapped {
		node.synced = slices.Clone(node.data)
		return nil
	}
	if more := len(node.data) - len(node.synced); more > 0 {
		node.synced = append(node.synced, make([]byte, more)...)
	}
	for _, d := range dirty {
		copy(node.synced[d.from:d.to], node.data[d.from:d.to])
	}
	return nil
}

func (f *memFile) Allocate(size int64) error {
	if err := f.fs.before("allocate", f.name); err != nil {
		return err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.grow(size)
	clear(f.node.data[:size])
	f.node.dirty = append(f.node.dirty, span{0, size})
	return nil
}

func (f *memFile) Size() (int64, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	return int64(len(f.node.data)), nil
}

func (f *memFile) Map() ([]byte, error) {
	if err := f.fs.before("map", f.name); err != nil {
		return nil, err
	}
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.mapped = true
	return f.node.data, nil
}

func (f *memFile) Unmap([]byte) error { return nil }

func (f *memFile) Close() error { return nil }
