// Package tidwall drives tidwall/wal with the common append workload.
package tidwall

import (
	"github.com/tidwall/wal"

	"assay/rewardpool/bench/appendtest"
)

var engine = appendtest.Engine{Open: open, Read: read}

type log struct {
	wal   *wal.Log
	batch wal.Batch
	next  uint64
}

func open(dir string, sync appendtest.Sync) (appendtest.Log, error) {
	options := *wal.DefaultOptions
	options.NoSync = sync == appendtest.SyncNone
	w, err := wal.Open(dir, &options)
	if err != nil {
		return nil, err
	}
	return &log{wal: w, next: 1}, nil
}

func (l *log) Append(records [][]byte) error {
	for _, record := range records {
		l.batch.Write(l.next, record)
		l.next++
	}
	return l.wal.WriteBatch(&l.batch) // clears the batch
}

func (l *log) Close() error { return l.wal.Close() }

func read(dir string, visit func([]byte) error) error {
	options := *wal.DefaultOptions
	options.NoCopy = true
	w, err := wal.Open(dir, &options)
	if err != nil {
		return err
	}
	defer w.Close()
	last, err := w.LastIndex()
	if err != nil {
		return err
	}
	for i := uint64(1); i <= last; i++ {
		record, err := w.Read(i)
		if err != nil {
			return err
		}
		if err := visit(record); err != nil {
			return err
		}
	}
	return nil
}
