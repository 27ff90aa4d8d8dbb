// Package etcd drives the storage/wal package of the etcd server with the common append workload.
package etcd

import (
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"

	"assay/rewardpool/bench/appendtest"
)

var engine = appendtest.Engine{Open: open, Read: read}

type log struct {
	wal     *wal.WAL
	entries []raftpb.Entry
	last    uint64
}

// path names the log inside dir: Create wants a directory that does not exist.
func path(dir string) string { return filepath.Join(dir, "wal") }

func open(dir string, sync appendtest.Sync) (appendtest.Log, error) {
	w, err := wal.Create(zap.NewNop(), path(dir), nil)
	if err != nil {
		return nil, err
	}
	if sync == appendtest.SyncNone {
		w.SetUnsafeNoFsync()
	}
	return &log{wal: w}, nil
}

// Append saves the records as entries of one term. Save syncs whenever there are entries.
func (l *log) Append(records [][]byte) error {
	l.entries = l.entries[:0]
	for _, record := range records {
		l.last++
		l.entries = append(l.entries, raftpb.Entry{Term: 1, Index: l.last, Data: record})
	}
	return l.wal.Save(raftpb.HardState{}, l.entries)
}

func (l *log) Close() error { return l.wal.Close() }

func read(dir string, visit func([]byte) error) error {
	w, err := wal.Open(zap.NewNop(), path(dir), walpb.Snapshot{})
	if err != nil {
		return err
	}
	defer w.Close()
	_, _, entries, err := w.ReadAll()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := visit(entry.Data); err != nil {
			return err
		}
	}
	return nil
}
