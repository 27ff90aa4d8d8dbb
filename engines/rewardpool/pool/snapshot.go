package pool

import (
	"crypto/sha256"
	"errors"
	"path"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
)

// Sync makes everything acknowledged durable against a power loss.
func (p *Pool) Sync() error {
	p.maintenance.Lock()
	defer p.maintenance.Unlock()
	p.mu.Lock()
	refuse := p.refuse
	p.mu.Unlock()
	if refuse != nil || p.log == nil {
		return refuse
	}
	return p.syncLog()
}

// syncLog syncs the log without holding mu during the sync. It needs
// maintenance.
func (p *Pool) syncLog() error {
	p.mu.Lock()
	if p.dead != nil {
		return p.unlock(p.dead)
	}
	if p.mode.synced() {
		if err := p.unlockDurable(); err != nil {
			return err
		}
		return p.mark()
	}
	if p.mode != Mmap {
		if err := p.log.Commit(false); err != nil {
			return p.unlock(p.poison(err))
		}
		p.flushed = p.log.LSN()
	}
	sync, lsn := p.log.Unsynced()
	p.mu.Unlock()
	err := sync()
	p.mu.Lock()
	if err != nil {
		return p.unlock(p.poison(err))
	}
	p.log.MarkDurable(lsn)
	p.mu.Unlock()
	return p.mark()
}

// mark records beside the log what is durable.
func (p *Pool) mark() error {
	err := p.log.Mark()
	if err != nil {
		p.mu.Lock()
		return p.unlock(p.poison(err))
	}
	return nil
}

// Rotate ends the segment of the log and begins the next one. Without events
// in the segment, or without a log, it does nothing.
func (p *Pool) Rotate() error {
	p.mu.Lock()
	if p.refuse != nil || p.log == nil {
		return p.unlock(p.refuse)
	}
	if err := p.log.Rotate(); err != nil {
		return p.unlock(p.poison(err))
	}
	return p.settle()
}

// Snapshot saves the state, logs that it did, keeps the two newest snapshots
// and removes the log below the older one. Draws wait only while the state is
// copied. None saves too, and draws since are still lost in a crash.
func (p *Pool) Snapshot() error {
	p.maintenance.Lock()
	defer p.maintenance.Unlock()
	p.mu.Lock()
	refuse := p.refuse
	p.mu.Unlock()
	if refuse != nil {
		return refuse
	}
	return p.save()
}

// save needs maintenance.
func (p *Pool) save() error {
	p.mu.Lock()
	if p.dead != nil {
		return p.unlock(p.dead)
	}
	body, err := p.state.AppendBinary(nil)
	if err != nil {
		return p.unlock(err)
	}
	lsn := p.lsn()
	p.mu.Unlock()
	if lsn == p.savedLSN {
		return nil
	}
	if p.log != nil {
		if err := p.syncLog(); err != nil {
			return err
		}
	}
	snap := snapshot{uuid: p.uuid, mode: p.mode, lsn: lsn, hash: sha256.Sum256(body), body: body}
	err = writeSnapshot(p.cfg.FS, p.dir, &snap)
	p.mu.Lock()
	if err != nil {
		return p.unlock(p.poison(err))
	}
	p.savedLSN = lsn
	if p.log == nil || p.refuse != nil {
		p.mu.Unlock()
	} else if err := p.markSnapshot(&snap); err != nil {
		return err
	}
	if err := prune(p.cfg.FS, p.dir); err != nil {
		p.mu.Lock()
		return p.unlock(p.poison(err))
	}
	return nil
}

// markSnapshot logs a published snapshot. It is called with mu held and
// releases it.
func (p *Pool) markSnapshot(s *snapshot) error {
	if err := p.log.Reserve(maxChangeBytes); err != nil {
		return p.unlock(p.poison(err))
	}
	p.stage(typeSnapshot, func(b []byte) []byte { return appendSnapshotMark(b, s.lsn, s.hash) })
	p.savedBytes = p.log.Bytes()
	return p.settle()
}

// segmentSealed is called by the log, with mu held, after a rotation.
func (p *Pool) segmentSealed() {
	due := p.log.Bytes()-p.savedBytes >= uint64(p.cfg.SnapshotBytes)
	if p.cfg.SnapshotBytes == 0 || !due || p.snapshotting {
		return
	}
	p.snapshotting = true
	go func() {
		// A failure poisons the pool; Close answers ErrClosed.
		_ = p.Snapshot()
		p.mu.Lock()
		p.snapshotting = false
		p.mu.Unlock()
	}()
}

// prune keeps the newest snapshot, which was just written, and the newest other
// that verifies, and the log behind it. One that does not verify and is newer
// stays for people to look at; it replaces none.
func prune(fsys vfs.FS, dir string) error {
	lsns, err := listSnapshots(fsys, dir)
	if err != nil {
		return err
	}
	for i := 1; i < len(lsns); i++ {
		_, _, err := readSnapshot(fsys, dir, lsns[i])
		var corrupt *wal.CorruptError
		if errors.As(err, &corrupt) {
			continue
		} else if err != nil {
			return err
		}
		if err := removeSnapshots(fsys, dir, lsns[i+1:]); err != nil {
			return err
		}
		return wal.Remove(fsys, dir, lsns[i])
	}
	return nil
}

func removeSnapshots(fsys vfs.FS, dir string, lsns []uint64) error {
	for _, lsn := range lsns {
		if err := fsys.Remove(path.Join(dir, snapshotName(lsn))); err != nil {
			return err
		}
	}
	return fsys.SyncDir(dir)
}

// dropHistory removes the log and the snapshots other than that of lsn, the
// snapshots first: one without its log would be an old stock.
func dropHistory(fsys vfs.FS, dir string, lsn uint64) error {
	lsns, err := listSnapshots(fsys, dir)
	if err != nil {
		return err
	}
	for i, l := range lsns {
		if l == lsn {
			if err := removeSnapshots(fsys, dir, lsns[i+1:]); err != nil {
				return err
			}
		}
	}
	return wal.Drop(fsys, dir)
}

// removeTemporary removes the snapshots that were not completed.
func removeTemporary(fsys vfs.FS, dir string) error {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if unfinished(name) && !wal.IsTemporary(name) { // of those the log knows which it needs
			if err := fsys.Remove(path.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}
