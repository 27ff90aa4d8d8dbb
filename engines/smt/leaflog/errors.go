package leaflog

import (
	"fmt"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

// ErrLocked says that another store has the directory open.
var ErrLocked = vfs.ErrLocked

// ErrForeign says that the directory holds files of others and no store.
var ErrForeign = vfs.ErrForeign

// CorruptError reports bytes that were durable once and no longer verify.
type CorruptError struct {
	File   string // name inside of the directory
	Offset int64  // bytes from the start of the file
	Why    string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("leaflog: %s is corrupt at byte %d: %s", e.File, e.Offset, e.Why)
}

// FormatError reports a directory that was made with another format.
type FormatError struct {
	File          string
	Stored, Asked format.Format
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("leaflog: %s has format %+v, asked for %+v", e.File, e.Stored, e.Asked)
}
