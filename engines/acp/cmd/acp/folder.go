package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Bounds of what is read: of a file, and of one of relationships, which is read line by line.
const (
	maxFileBytes   = 64 << 20
	maxTuplesBytes = 1 << 30
)

// bounded is a file or standard input, in which more than left bytes are an error.
type bounded struct {
	io.ReadCloser
	name       string
	left, most int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, usageError(fmt.Sprintf("%s: expected at most %d bytes", b.name, b.most))
	}
	return n, err
}

// openRegular opens a file that is a regular one, so that it has an end, and nobody has to be waited for.
func openRegular(open func(name string, flag int, perm os.FileMode) (*os.File, error), name string, most int64) (io.ReadCloser, error) {
	f, err := open(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe without a writer would wait for one
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = usageError(fmt.Sprintf("%s: expected a regular file", name))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &bounded{f, name, most, most}, nil
}

// readAll reads what was opened, unless that failed.
func readAll(r io.ReadCloser, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// readFile reads a file that the command line names.
func readFile(name string) ([]byte, error) {
	return readAll(openRegular(os.OpenFile, name, maxFileBytes))
}

// folder is where a document lies. It reads what the document names: regular files of a bounded size
// inside of it, also through links. Others' documents cannot make it wait, fill the memory, or show
// what lies elsewhere.
type folder struct{ *os.Root }

func openFolder(dir string) (folder, error) {
	root, err := os.OpenRoot(dir)
	return folder{root}, err
}

// Open makes a folder an fs.FS.
func (f folder) Open(name string) (fs.File, error) { return f.FS().Open(name) }

func (f folder) ReadFile(name string) ([]byte, error) {
	return readAll(openRegular(f.OpenFile, name, maxFileBytes))
}
