// Package rosedb drives rosedblabs/wal with the common append workload.
package rosedb

import (
	"errors"
	"io"

	"github.com/rosedblabs/wal"

	"assay/rewardpool/bench/appendtest"
)

var engine = appendtest.Engine{Open: open, Read: read}

type log struct {
	wal   *wal.WAL
	sync  bool
	syncs int
}

func open(dir string, sync appendtest.Sync) (appendtest.Log, error) {
	w, err := openWAL(dir)
	if err != nil {
		return nil, err
	}
	return &log{wal: w, sync: sync == appendtest.SyncCommit}, nil
}

func openWAL(dir string) (*wal.WAL, error) {
	options := wal.DefaultOptions
	options.DirPath = dir
	return wal.Open(options)
}

func (l *log) Append(records [][]byte) error {
	if err := l.write(records); err != nil || !l.sync {
		return err
	}
	// WriteAll does not look at Options.Sync, so the sync is always made here.
	l.syncs++
	return l.wal.Sync()
}

func (l *log) write(records [][]byte) error {
	if len(records) == 1 {
		_, err := l.wal.Write(records[0])
		return err
	}
	for _, record := range records {
		l.wal.PendingWrites(record)
	}
	_, err := l.wal.WriteAll()
	return err
}

func (l *log) Syncs() int { return l.syncs }

func (l *log) Close() error { return l.wal.Close() }

func read(dir string, visit func([]byte) error) error {
	w, err := openWAL(dir)
	if err != nil {
		return err
	}
	defer w.Close()
	reader := w.NewReader()
	for {
		record, _, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(record); err != nil {
			return err
		}
	}
}
