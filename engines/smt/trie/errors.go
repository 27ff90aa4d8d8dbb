package trie

import (
	"errors"
	"fmt"
)

// Errors; test with errors.Is. The text says what was found and expected.
// Besides these, format.ErrKeyLength comes from every method that takes a key,
// and format.ErrFormat and sha256x.ErrUnavailable from New.
var (
	// ErrKeyNotFound means that a key to delete is not in the trie.
	ErrKeyNotFound = errors.New("key not found")
	// ErrSumOverflow means that under StrictSum the sum would exceed 2^64-1.
	ErrSumOverflow = errors.New("sum overflow")
	// ErrValueTooLong means that a value exceeds Config.MaxValue.
	ErrValueTooLong = errors.New("value too long")
	// ErrConfig means that a Config is out of range.
	ErrConfig = errors.New("bad configuration")
	// ErrClosed means that the trie is closed.
	ErrClosed = errors.New("trie is closed")
	// ErrFailed means that a log refused a commit: the trie in memory is ahead of
	// the log and serves nothing more.
	ErrFailed = errors.New("trie failed")
	// ErrReleased means that the snapshot is released.
	ErrReleased = errors.New("snapshot is released")
	// ErrUnknownRoot means that no kept version has the root.
	ErrUnknownRoot = errors.New("unknown root")
	// ErrNotEmpty means that a bulk load met a trie that holds keys.
	ErrNotEmpty = errors.New("trie is not empty")
	// ErrFull means that the trie would exceed its 2^31-1 leaves.
	ErrFull = errors.New("trie is full")
	// ErrPathLength means that a path has not HashSize bytes.
	ErrPathLength = errors.New("wrong path length")
	// ErrOrder means that sorted leaves, or the ends of a range, are not in ascending
	// order of path.
	ErrOrder = errors.New("out of order")
	// ErrLeafValue means that a leaf value has not the form of the format.
	ErrLeafValue = errors.New("not a leaf value")
	// ErrLength means that two slices that belong together differ in length.
	ErrLength = errors.New("lengths differ")
	// ErrCorrupt means that an export is damaged or of another format, or that
	// Check found a wrong digest.
	ErrCorrupt = errors.New("corrupt")
)

// OpError says which operation of a batch was refused.
type OpError struct {
	Index int // of the operation in the batch
	Err   error
}

func (e *OpError) Error() string { return fmt.Sprintf("operation %d: %v", e.Index, e.Err) }

// Unwrap gives the reason.
func (e *OpError) Unwrap() error { return e.Err }
