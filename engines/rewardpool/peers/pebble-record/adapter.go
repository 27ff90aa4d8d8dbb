// Package pebble drives the record log of cockroachdb/pebble with the common append workload.
package pebble

import (
	"errors"
	"io"
	"path/filepath"
	"sync"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/prometheus/client_golang/prometheus"

	"assay/rewardpool/bench/appendtest"
)

var engine = appendtest.Engine{Open: open, Read: read}

// logNum is the number of the only log; it salts the checksums.
const logNum = 1

// preallocateSize is what a pebble database of default options allocates ahead for its log: a
// 4 MiB memory table and a tenth.
const preallocateSize = 4<<20 + 4<<20/10

type log struct {
	writer *record.LogWriter
	synced sync.WaitGroup
}

func path(dir string) string { return filepath.Join(dir, "log") }

func open(dir string, sync appendtest.Sync) (appendtest.Log, error) {
	if sync == appendtest.SyncNone {
		return nil, appendtest.ErrUnsupported
	}
	file, err := vfs.Default.Create(path(dir), vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	file = vfs.NewSyncingFile(file, vfs.SyncingFileOptions{PreallocateSize: preallocateSize})
	writer := record.NewLogWriter(file, logNum, record.LogWriterConfig{
		WALFsyncLatency:     prometheus.NewHistogram(prometheus.HistogramOpts{}),
		WriteWALSyncOffsets: func() bool { return true },
	})
	return &log{writer: writer}, nil
}

// Append writes the records one after the other and waits for the sync that the last one asks for.
func (l *log) Append(records [][]byte) error {
	last := len(records) - 1
	for _, r := range records[:last] {
		if _, err := l.writer.WriteRecord(r); err != nil {
			return err
		}
	}
	var syncErr error
	l.synced.Add(1)
	if _, err := l.writer.SyncRecord(records[last], &l.synced, &syncErr); err != nil {
		return err
	}
	l.synced.Wait()
	return syncErr
}

func (l *log) Close() error { return l.writer.Close() }

func read(dir string, visit func([]byte) error) error {
	file, err := vfs.Default.Open(path(dir))
	if err != nil {
		return err
	}
	defer file.Close()
	records := record.NewReader(file, logNum)
	for {
		next, err := records.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(next)
		if err != nil {
			return err
		}
		if err := visit(content); err != nil {
			return err
		}
	}
}
