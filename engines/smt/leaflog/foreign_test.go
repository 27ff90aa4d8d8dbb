package leaflog

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assay/smt/trie"
)

// A directory that holds other files and no store stays as it is; what a store left unfinished before
// it had its first log does not keep it from being made.
func TestForeignDirectory(t *testing.T) {
	for name, foreign := range map[string]bool{
		"thesis.tmp": true, "log-notes.log": true, "log-1.log": true, "leaves-00.ckpt": true, "log-0000000000000000.log.bak": true, ".hidden": true,
		"log-0000000000000000.log.tmp": false, "leaves-0000000000000001.ckpt.tmp": false,
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("draft"), 0o644); err != nil {
			t.Fatal(err)
		}
		store, err := Open(dir, trie.Config{}, Options{})
		switch {
		case !foreign && err != nil:
			t.Errorf("%s: %v", name, err)
		case !foreign:
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		case !errors.Is(err, ErrForeign):
			t.Errorf("%s: %v, expected %v", name, err, ErrForeign)
		default:
			left, err := os.ReadDir(dir)
			if err != nil || len(left) != 1 || left[0].Name() != name {
				t.Errorf("%s: left %v, %v", name, left, err)
			}
		}
	}
}
