// Package wal makes operations durable: one checksummed record an operation in
// a log, and snapshots that bound what recovery has to read. It knows bytes
// only. ../FORMAT.md has the files.
package wal

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"assay/gocommon/vfs"
	frames "assay/gocommon/wal"
)

// Sync says what is true when Wait returns.
type Sync uint8

// The modes. An operation survives the end of the process in all of them.
const (
	// None: the record was stored in a shared mapping of the log when Append
	// returned. As after write(), a loss of power may take it.
	None Sync = iota
	// Batch: an fdatasync that covers the record, shared by all that wait, returned.
	Batch
	// Each: an fdatasync of its own returned, already when Append did.
	Each
)

// Errors, to be used with errors.Is.
var (
	ErrCorrupt = errors.New("store is damaged")
	ErrLocked  = errors.New("store is open elsewhere")
	ErrForeign = vfs.ErrForeign
	ErrClosed  = errors.New("store is closed")
	// ErrNotSaved says that what was acknowledged is complete in the log, but was
	// not put into a snapshot, or not marked as synced.
	ErrNotSaved = errors.New("no snapshot saved")
	ErrTooLong  = fmt.Errorf("operation does not fit in a record of %d bytes", MaxRecord)
)

const (
	// MaxRecord is the longest record, in bytes.
	MaxRecord = frames.MaxPayload
	// defaultSegmentBytes holds a record of any length; a store has one segment
	// at least.
	defaultSegmentBytes = 16 << 20
)

// typeRecord is the type of a frame; its flags are the bytes of padding behind the record.
const typeRecord byte = 1

// Options of a log.
type Options struct {
	Sync         Sync
	SegmentBytes int64 // of new segments, a multiple of 4096; 0 = 16 MiB

	// background prepares segments beside the appends; tests run it in place.
	background func(func())
}

// Log appends records and waits until they are durable. Its methods may be
// called by several goroutines; records are numbered in the order of Append.
// After a failed write or sync every later change returns that error: what is
// on disk is then unknown until the log is opened again.
type Log struct {
	fsys vfs.FS
	dir  string
	sync Sync
	id   frames.Identity
	lock io.Closer

	mu     sync.Mutex // of all below, and of the appender of log
	log    *frames.Log
	failed error // answer to every change: ErrClosed, or a failed write or sync

	// Group commit: the records since the last Take belong to filling; flushing is
	// on its way to the disk; those up to flushed are there.
	filling, flushing *commit
	flushed           uint64

	saved  uint64 // records in the newest snapshot
	behind int64  // bytes of log behind it, without those of this process

	saving sync.Mutex // one snapshot at a time
}

// Append adds a record and returns its number, counted from 1. The caller then
// waits for it by Wait, without the locks that order its operations.
func (l *Log) Append(record []byte) (seq uint64, err error) {
	if len(record) > MaxRecord || !l.log.Fits(len(record)) {
		return 0, ErrTooLong
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return 0, l.failed
	}
	if err := l.append(record); err != nil {
		return 0, l.fail(err)
	}
	seq = l.log.LSN()
	switch l.sync {
	case Batch:
		l.join(seq)
	case Each:
		if err := l.log.Commit(true); err != nil {
			return 0, l.fail(err)
		}
	}
	return seq, nil
}

// append stages a frame, in mode None in its place. It needs mu.
func (l *Log) append(record []byte) error {
	n := len(record)
	if err := l.log.Reserve(n); err != nil {
		return err
	}
	copy(l.log.Payload(n), record)
	l.log.Append(typeRecord, byte(frames.PaddedPayload(n)-n), 1, n)
	return nil
}

// fail stops the log. It needs mu.
func (l *Log) fail(err error) error {
	if l.failed == nil {
		l.failed = fmt.Errorf("the store is stopped until it is opened again: %w", err)
	}
	return l.failed
}

// Wait returns when the record with the number is as durable as the mode
// promises, or with the error that stopped the log before.
func (l *Log) Wait(seq uint64) error {
	if l.sync != Batch {
		return nil
	}
	return l.await(seq)
}

// Sync makes everything appended durable against a loss of power, and records
// that it is.
func (l *Log) Sync() error {
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.log.Mark(); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.fail(err)
	}
	return nil
}

func (l *Log) flush() error {
	l.mu.Lock()
	seq, failed := l.log.LSN(), l.failed
	switch {
	case failed != nil || l.sync == Each:
		l.mu.Unlock()
		return failed
	case l.sync == Batch:
		l.mu.Unlock()
		return l.await(seq)
	}
	write, seq := l.log.Unsynced()
	l.mu.Unlock()
	err := write()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		return l.fail(err)
	}
	l.log.MarkDurable(seq)
	return nil
}

// Seq returns the number of the last record appended.
func (l *Log) Seq() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.LSN()
}

// Stats counts the work since Open.
type Stats struct {
	Bytes  uint64 // of log written, padding and checksums included
	Syncs  uint64 // fdatasync calls that made records durable
	Behind int64  // bytes of log that the next Open reads behind the snapshot
}

// Stats returns the counters.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{Bytes: l.log.Bytes(), Syncs: l.log.Syncs(), Behind: l.behind + int64(l.log.Bytes())}
}

// Close makes everything durable and releases the directory. ErrNotSaved alone
// means that it has, without a mark. Calls after it get ErrClosed.
func (l *Log) Close() error {
	l.saving.Lock()
	defer l.saving.Unlock()
	err := l.settle()
	defer l.mu.Unlock()
	if errors.Is(err, ErrClosed) {
		return err
	}
	l.failed = ErrClosed
	closing := l.log.Close()
	if err == nil {
		closing = notSaved(closing)
	}
	return errors.Join(err, closing, l.lock.Close())
}

// settle syncs until nothing is under way, and returns holding mu.
func (l *Log) settle() error {
	for {
		err := l.Sync()
		l.mu.Lock()
		flushing := l.flushing
		if flushing == nil && (err != nil || l.log.DurableLSN() == l.log.LSN()) {
			return err
		}
		l.mu.Unlock()
		if flushing != nil {
			<-flushing.done
		}
	}
}
