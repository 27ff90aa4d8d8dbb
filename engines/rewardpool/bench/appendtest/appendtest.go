// Package appendtest measures and checks write-ahead logs that append small records.
//
// Every log, ours and each peer's, is driven by this package through a thin adapter, with the same
// records, the same batches and the same check: after the timed part the log is closed, opened
// again and read back, and must hold every acknowledged record in order.
package appendtest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"assay/gocommon/meter"
)

// ErrUnsupported is returned by Engine.Open for a sync class that the log does not have.
var ErrUnsupported = errors.New("not supported by this log")

// Sync says what is true of a batch when Append returns.
type Sync string

const (
	// SyncNone promises that the batch survives the end of the process: the operating system has it.
	SyncNone Sync = "none"
	// SyncCommit promises that the batch survives a power failure.
	SyncCommit Sync = "commit"
)

// Log is a log opened for appending.
type Log interface {
	// Append appends the records as one batch. They are only valid during the call.
	Append(records [][]byte) error
	Close() error
}

// SyncCounter is implemented by logs that can tell how often they synced.
type SyncCounter interface{ Syncs() int }

// Engine is one implementation of a log.
type Engine struct {
	// Open makes a new log of default options in dir, an empty directory. What the log allocates
	// here lies before the timed part.
	Open func(dir string, sync Sync) (Log, error)
	// Read opens the log in dir and calls visit with each record from the first to the last. A
	// record is only valid during the call.
	Read func(dir string, visit func(record []byte) error) error
}

var batches = []int{1, 100, 1000, 10_000}

// Benchmark runs one sub-benchmark per sync class and batch size; one operation is one record.
func Benchmark(b *testing.B, engine Engine) {
	for _, sync := range []Sync{SyncNone, SyncCommit} {
		for _, batch := range batches {
			b.Run(fmt.Sprintf("sync=%s/batch=%d", sync, batch), func(b *testing.B) {
				benchmark(b, engine, sync, batch)
			})
		}
	}
}

func benchmark(b *testing.B, engine Engine, sync Sync, batch int) {
	dir := b.TempDir()
	records := makeRecords(b.N)
	log, err := engine.Open(dir, sync)
	if errors.Is(err, ErrUnsupported) {
		b.Skipf("sync=%s: %v", sync, err)
	}
	if err != nil {
		b.Fatal(err)
	}
	counter, countsSyncs := log.(SyncCounter)
	syncs := 0
	if countsSyncs {
		syncs = counter.Syncs()
	}

	m := meter.Start(b)
	err = appendAll(log, records, batch)
	usage := m.Stop(b)

	if err != nil {
		b.Fatal(err)
	}
	if countsSyncs {
		syncs = counter.Syncs() - syncs
		b.ReportMetric(float64(syncs), "syncs")
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	size, err := writtenBytes(dir)
	if err != nil {
		b.Fatal(err)
	}
	if err := check(engine, dir, records); err != nil {
		b.Fatal(err)
	}
	usage.Report(b, "record", b.N)
	b.ReportMetric(float64(size)/float64(b.N), "wal_bytes/record")
}

// Verify tests a round trip of batches of every size in every sync class.
func Verify(t *testing.T, engine Engine) {
	for _, sync := range []Sync{SyncNone, SyncCommit} {
		for _, batch := range batches {
			t.Run(fmt.Sprintf("sync=%s/batch=%d", sync, batch), func(t *testing.T) {
				dir := t.TempDir()
				records := makeRecords(3*batch + batch/2)
				log, err := engine.Open(dir, sync)
				if errors.Is(err, ErrUnsupported) {
					t.Skipf("sync=%s: %v", sync, err)
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := appendAll(log, records, batch); err != nil {
					t.Fatal(err)
				}
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
				if err := check(engine, dir, records); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func appendAll(log Log, records []byte, batch int) error {
	views := make([][]byte, 0, batch)
	for len(records) > 0 {
		views = views[:0]
		for len(views) < batch && len(records) > 0 {
			views = append(views, records[:RecordSize:RecordSize])
			records = records[RecordSize:]
		}
		if err := log.Append(views); err != nil {
			return err
		}
	}
	return nil
}

// check reads the log in dir and compares it with the records that were acknowledged.
func check(engine Engine, dir string, want []byte) error {
	total := len(want) / RecordSize
	read := 0
	err := engine.Read(dir, func(record []byte) error {
		if read == total {
			return fmt.Errorf("more than the %d records appended", total)
		}
		if expected := want[read*RecordSize : (read+1)*RecordSize]; !bytes.Equal(record, expected) {
			return fmt.Errorf("record %d is %x, expected %x", read, record, expected)
		}
		read++
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the log back: %w", err)
	}
	if read != total {
		return fmt.Errorf("reading the log back: %d records, expected %d", read, total)
	}
	return nil
}
