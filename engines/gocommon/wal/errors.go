package wal

import "fmt"

// CorruptError reports bytes that were durable once and no longer verify. A
// torn tail is not an error: it is cut off.
type CorruptError struct {
	Segment string // file name, or the snapshot's
	Offset  int64  // bytes from the start of the file
	LSN     uint64 // events before the damage
	Why     string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("corrupt log: %s at byte %d (lsn %d): %s", e.Segment, e.Offset, e.LSN, e.Why)
}
