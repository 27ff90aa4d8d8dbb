package main

import (
	"fmt"
	"io/fs"
	"os"
)

// maxNamedBytes bounds a file that a document names.
const maxNamedBytes = 64 << 20

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
	info, err := f.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, usageError(fmt.Sprintf("%s: expected a regular file", name))
	case info.Size() > maxNamedBytes:
		return nil, usageError(fmt.Sprintf("%s: %d bytes, expected at most %d", name, info.Size(), maxNamedBytes))
	}
	return f.Root.ReadFile(name)
}
