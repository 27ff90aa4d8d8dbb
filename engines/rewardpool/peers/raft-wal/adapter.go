// Package raftwal drives hashicorp/raft-wal with the common append workload.
package raftwal

import (
	"errors"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	wal "github.com/hashicorp/raft-wal"
	"github.com/hashicorp/raft-wal/metadb"

	"assay/rewardpool/bench/appendtest"
)

var engine = appendtest.Engine{Open: open, Read: read}

// store is a log with its metadata, which wal.WAL.Close leaves open and locked.
type store struct {
	*wal.WAL
	meta *metadb.BoltMetaDB
}

type log struct {
	store
	logs []*raft.Log
	last uint64
}

func open(dir string, sync appendtest.Sync) (appendtest.Log, error) {
	if sync == appendtest.SyncNone {
		return nil, appendtest.ErrUnsupported // StoreLogs always syncs
	}
	s, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	return &log{store: s}, nil
}

func openStore(dir string) (store, error) {
	meta := &metadb.BoltMetaDB{}
	w, err := wal.Open(dir, wal.WithMetaStore(meta), wal.WithLogger(hclog.NewNullLogger()))
	return store{w, meta}, err
}

func (s store) Close() error { return errors.Join(s.WAL.Close(), s.meta.Close()) }

func (l *log) Append(records [][]byte) error {
	for len(l.logs) < len(records) {
		l.logs = append(l.logs, &raft.Log{Term: 1})
	}
	for i, record := range records {
		l.last++
		l.logs[i].Index, l.logs[i].Data = l.last, record
	}
	return l.StoreLogs(l.logs[:len(records)])
}

func read(dir string, visit func([]byte) error) error {
	s, err := openStore(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	last, err := s.LastIndex()
	if err != nil {
		return err
	}
	var entry raft.Log
	for i := uint64(1); i <= last; i++ {
		if err := s.GetLog(i, &entry); err != nil {
			return err
		}
		if err := visit(entry.Data); err != nil {
			return err
		}
	}
	return nil
}
