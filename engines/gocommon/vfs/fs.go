// Package vfs is the file-system seam of the engines. An engine does all
// of its input and output through FS, so that tests can replace the operating
// system by Mem, which forgets what was not synced.
package vfs

import (
	"errors"
	"io"
)

// ErrLocked is returned by FS.Lock when another holder has the directory.
var ErrLocked = errors.New("vfs: directory is locked")

// FS is the set of file-system calls that the engine uses. Names are slash
// separated paths. Creating, renaming and removing a file survive a power
// loss only after SyncDir of its directory.
type FS interface {
	// MkdirAll creates a directory and its parents. It is not an error when
	// they exist.
	MkdirAll(dir string) error
	// Create makes an empty file, replacing one of the same name.
	Create(name string) (File, error)
	// Open opens an existing file for reading, and for writing when asked.
	Open(name string, write bool) (File, error)
	// Rename replaces newName by oldName atomically; both lie in one directory.
	Rename(oldName, newName string) error
	// Remove deletes a file.
	Remove(name string) error
	// ReadDir returns the names of all that is in dir, sorted.
	ReadDir(dir string) ([]string, error)
	// SyncDir makes the entries of dir durable.
	SyncDir(dir string) error
	// Lock takes an advisory lock on dir: exclusive, or shared among readers.
	// It does not wait: the error is ErrLocked when it is held elsewhere.
	Lock(dir string, exclusive bool) (io.Closer, error)
}

// File is an open file. A write survives a power loss only after Datasync.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Datasync makes the contents and the size durable (fdatasync).
	Datasync() error
	// WriteDurable writes inside of the file and makes these bytes and the size
	// durable (O_DSYNC). It leaves alone what else is not synced, which Datasync would write out and,
	// in a mapping, protect against the next store.
	WriteDurable(p []byte, off int64) error
	// Allocate reserves size bytes of disk and writes zeros to all of them, so
	// that later writes neither grow the file nor run out of space.
	Allocate(size int64) error
	// Size returns the length in bytes.
	Size() (int64, error)
	// Map maps the whole file for reading and writing, shared with the file and
	// with every page faulted in. A store survives the end of the process.
	Map() ([]byte, error)
	// Unmap releases what Map returned.
	Unmap(mapping []byte) error
}
