package pool

import (
	"errors"

	"assay/rewardpool/core"
)

// Errors of a pool; test with errors.Is. Bad input is a *core.InvalidError or
// core.ErrUnknownItem, damage a *wal.CorruptError.
var (
	// ErrEmpty means that no item has stock and weight. Nothing was consumed.
	ErrEmpty = errors.New("the pool is empty")
	// ErrClosed is returned by every call after Close.
	ErrClosed = errors.New("the pool is closed")
	// ErrLocked means that another process has the pool open.
	ErrLocked = errors.New("the pool is open elsewhere")
	// ErrReadOnly refuses a change of a pool that was opened to read.
	ErrReadOnly = errors.New("the pool is open for reading only")
	// ErrPoisoned is returned by every call after a write or sync failed, by the
	// one that failed too; the cause is wrapped. What is on disk is unknown until
	// the pool is opened again. A request may or may not have been drawn.
	ErrPoisoned = errors.New("a write failed, the pool must be opened again")
	// ErrRequestAhead refuses a new request id whose time lies more than
	// RequestLead ahead of the clock: once forgotten, it would make every id
	// before it look too old.
	ErrRequestAhead = errors.New("the time in the request id, its first 48 bits as in UUIDv7, is more than a minute ahead of the clock")
	// ErrNotPool means that the directory holds no pool.
	ErrNotPool = errors.New("not a pool")
)

func invalid(field, why string) error { return &core.InvalidError{Field: field, Why: why} }
