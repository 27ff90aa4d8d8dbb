package appendtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
)

// writtenBytes returns the bytes of all files below dir up to the last non-zero byte of each, so
// that space allocated ahead does not count.
func writtenBytes(dir string) (int64, error) {
	var total int64
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		total += int64(len(bytes.TrimRight(content, "\x00")))
		return err
	})
	return total, err
}
