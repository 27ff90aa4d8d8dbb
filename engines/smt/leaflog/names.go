package leaflog

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"assay/gocommon/vfs"
)

const (
	logPrefix, logSuffix               = "log-", ".log"
	checkpointPrefix, checkpointSuffix = "leaves-", ".ckpt"
	tmpSuffix                          = ".tmp"
)

func fileName(prefix string, number uint64, suffix string) string {
	return fmt.Sprintf("%s%016x%s", prefix, number, suffix)
}

// parseName is the inverse of fileName.
func parseName(name, prefix, suffix string) (number uint64, ok bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, suffix); !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(digits, 16, 64)
	return number, err == nil && fileName(prefix, number, suffix) == name
}

// listing is what a directory holds.
type listing struct {
	checkpoint string   // the newest, "" when there is none
	number     uint64   // its commits
	logs       []uint64 // base of each log from the checkpoint on, ascending
	old        []string // superseded and unfinished files
}

func list(fsys vfs.FS, dir string) (l listing, err error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return l, err
	}
	for _, name := range names { // ascending, so the newest comes last
		if n, ok := parseName(name, checkpointPrefix, checkpointSuffix); ok {
			if l.checkpoint != "" {
				l.old = append(l.old, l.checkpoint)
			}
			l.checkpoint, l.number = name, n
		}
	}
	for _, name := range names {
		n, ok := parseName(name, logPrefix, logSuffix)
		switch {
		case ok && n < l.number:
			l.old = append(l.old, name)
		case ok:
			l.logs = append(l.logs, n)
		case unfinished(name):
			l.old = append(l.old, name)
		}
	}
	return l, nil
}

// finished tells a file of a store.
func finished(name string) bool {
	_, checkpoint := parseName(name, checkpointPrefix, checkpointSuffix)
	_, log := parseName(name, logPrefix, logSuffix)
	return checkpoint || log
}

// unfinished tells a file that lost its writer before it got its name.
func unfinished(name string) bool {
	name, ok := strings.CutSuffix(name, tmpSuffix)
	return ok && finished(name)
}

// remove deletes files that are of no use any more.
func remove(fsys vfs.FS, dir string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	for _, name := range names {
		if err := fsys.Remove(path.Join(dir, name)); err != nil {
			return err
		}
	}
	return fsys.SyncDir(dir)
}
