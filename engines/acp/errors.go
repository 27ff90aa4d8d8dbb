package acp

import (
	"errors"
	"fmt"

	"assay/acp/graph"
	"assay/acp/wal"
)

// The kinds of errors, to be used with errors.Is. The message of an error says what was wrong and
// with which policy, resource, object or relation.
var (
	ErrBadInput        = errors.New("bad input")
	ErrNotFound        = errors.New("not found")
	ErrUnauthorized    = errors.New("not authorized")
	ErrUnauthenticated = errors.New("no identity")
	ErrForbidden       = errors.New("forbidden")
	ErrConflict        = errors.New("conflict")
	ErrLimit           = errors.New("limit reached")
	ErrCorrupt         = wal.ErrCorrupt
	ErrLocked          = wal.ErrLocked
	ErrForeign         = wal.ErrForeign
	ErrClosed          = wal.ErrClosed
	ErrNotSaved        = wal.ErrNotSaved
)

// fail makes an error of a kind.
func fail(kind error, format string, args ...any) error {
	return fmt.Errorf("%w: %w", kind, fmt.Errorf(format, args...))
}

// classify gives an error of the graph its kind.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, graph.ErrUnknown):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errors.Is(err, graph.ErrFull), errors.Is(err, graph.ErrWork):
		return fmt.Errorf("%w: %w", ErrLimit, err)
	}
	return fmt.Errorf("%w: %w", ErrBadInput, err)
}
