package core

import (
	"errors"
	"fmt"
)

// Errors without further detail.
var (
	ErrUnknownItem   = errors.New("unknown item")
	ErrRequestTooOld = errors.New("request id is older than the ids still remembered")
)

// InvalidError reports a value that breaks a rule. The state is unchanged.
type InvalidError struct {
	Field string // what was wrong, for example "items[3].weight"
	Why   string // what was found and what was expected
}

func (e *InvalidError) Error() string { return fmt.Sprintf("invalid %s: %s", e.Field, e.Why) }

func invalid(field, format string, args ...any) *InvalidError {
	return &InvalidError{Field: field, Why: fmt.Sprintf(format, args...)}
}

// DivergedError reports a recorded draw that the state does not reproduce.
type DivergedError struct {
	Index     int    // position in the slice given to Reproduce
	Got, Want uint32 // NoItem as Got: the pool was empty
}

func (e *DivergedError) Error() string {
	if e.Got == NoItem {
		return fmt.Sprintf("draw %d: recorded item %d, but the pool is empty", e.Index, e.Want)
	}
	return fmt.Sprintf("draw %d: recorded item %d, reproduced item %d", e.Index, e.Want, e.Got)
}

// DecodeError reports an encoding that is not a state.
type DecodeError struct {
	Offset int    // byte offset of the field
	Field  string // field name
	Why    string
}

func (e *DecodeError) Error() string {
	return fmt.Sprintf("state encoding, byte %d, %s: %s", e.Offset, e.Field, e.Why)
}
