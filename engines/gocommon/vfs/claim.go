package vfs

import (
	"errors"
	"fmt"
)

// ErrForeign is the error of a directory that holds files of others and no store.
var ErrForeign = errors.New("directory holds other files and no store")

// Claim tells whether a store may use a directory: it has a file of the store, or
// nothing but what a store left unfinished before it had one. Else the error is
// ErrForeign, and the directory is to be left as it is.
func Claim(fsys FS, dir string, file, unfinished func(name string) bool) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	foreign := ""
	for _, name := range names {
		if file(name) {
			return nil
		}
		if foreign == "" && !unfinished(name) {
			foreign = name
		}
	}
	if foreign != "" {
		return fmt.Errorf("%s: %w: %s", dir, ErrForeign, foreign)
	}
	return nil
}
