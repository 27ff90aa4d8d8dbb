package leaflog

import (
	"sync/atomic"

	"assay/gocommon/vfs"
)

// Stats counts what a store did since it was opened.
type Stats struct {
	Commits      uint64 // that changed something
	Checkpoints  uint64
	Syncs        uint64 // fdatasync calls on files; one a commit
	WrittenBytes uint64 // handed to the file system, zeros included
	LogBytes     uint64 // used in the current log, now
}

// counters may be used by a commit and a checkpoint at the same time.
type counters struct {
	commits, checkpoints, syncs, written, logBytes atomic.Uint64
}

func (c *counters) stats() Stats {
	return Stats{
		Commits:      c.commits.Load(),
		Checkpoints:  c.checkpoints.Load(),
		Syncs:        c.syncs.Load(),
		WrittenBytes: c.written.Load(),
		LogBytes:     c.logBytes.Load(),
	}
}

func (c *counters) write(f vfs.File, b []byte, off int64) error {
	n, err := f.WriteAt(b, off)
	c.written.Add(uint64(n))
	return err
}

func (c *counters) sync(f vfs.File) error {
	c.syncs.Add(1)
	return f.Datasync()
}
