// Package pool is a durable reward pool: core's state, logged by wal, with one
// of six durability modes, idempotent requests, snapshots and recovery. A Pool
// is safe for concurrent use. One process may have a directory open for
// writing, or several for reading.
package pool

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"syscall"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

// Pool is an open pool.
type Pool struct {
	mu     sync.Mutex
	state  *core.State
	log    *wal.Log // nil with None and when read-only
	mode   Durability
	width  int   // bytes of an item in a logged column
	refuse error // answer to draws and changes: ErrReadOnly, ErrClosed, poison
	dead   error // answer to reads: ErrClosed, poison

	// Group commit. The frames since the last Take belong to filling; newest is
	// the last commit begun, the one filling included.
	filling *commit
	newest  *commit

	horizon int64 // milliseconds: request ids up to it are not ahead of the clock

	flushed uint64 // LSN at the last flush of Relaxed
	every   uint64 // draws between them

	// Without a log the LSN is that of the opening plus what happened since.
	startLSN, startDraws, changes uint64

	// maintenance lets one Sync, Snapshot or Close run at a time.
	maintenance  sync.Mutex
	savedLSN     uint64 // of the newest snapshot
	savedBytes   uint64 // log bytes at that time
	snapshotting bool   // one is running in the background

	dir  string
	uuid wal.UUID
	cfg  Config
	lock io.Closer
}

// Open opens the pool in dir. When dir holds none and cfg.Items is set, it makes
// one; otherwise it recovers: the newest valid snapshot, then the log behind
// it, each draw re-executed and compared. Errors: ErrNotPool, ErrLocked, a
// *core.InvalidError for cfg, a *wal.CorruptError for damage, or the file
// system's.
func Open(dir string, cfg Config) (*Pool, RecoveryReport, error) {
	if err := cfg.fill(); err != nil {
		return nil, RecoveryReport{}, err
	}
	lock, err := lockDir(&cfg, dir)
	if err != nil {
		return nil, RecoveryReport{}, err
	}
	r, err := recoverPool(cfg.FS, dir)
	if errors.Is(err, ErrNotPool) && cfg.Items != nil && !cfg.ReadOnly {
		r, err = create(dir, &cfg)
	}
	if err != nil {
		return nil, r.report, errors.Join(err, lock.Close())
	}
	p := &Pool{
		state:      r.state,
		mode:       cfg.Durability,
		width:      itemWidth(r.state.Len()),
		every:      uint64(cfg.RelaxedEvery),
		startLSN:   r.report.LSN,
		startDraws: r.state.Draws(),
		savedLSN:   r.report.SnapshotLSN,
		dir:        dir,
		uuid:       r.uuid,
		cfg:        cfg,
		lock:       lock,
		newest:     &commit{done: closed},
	}
	switch {
	case cfg.ReadOnly:
		p.refuse = ErrReadOnly
	case cfg.Durability != None:
		err = p.openLog(&r)
	case r.end.TornBytes > 0 && r.end.LSN == r.report.LSN:
		err = p.cutTail(&r)
	}
	if err != nil {
		return nil, r.report, errors.Join(err, lock.Close())
	}
	return p, r.report, nil
}

// lockDir locks the directory of a pool, or of one to be made. Any other is an
// ErrNotPool and stays as it is.
func lockDir(cfg *Config, dir string) (io.Closer, error) {
	if cfg.Items != nil && !cfg.ReadOnly {
		if err := cfg.FS.MkdirAll(dir); err != nil {
			return nil, notPool(dir, err)
		}
	}
	lock, err := cfg.FS.Lock(dir, !cfg.ReadOnly)
	if errors.Is(err, vfs.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: %w", dir, ErrNotPool, err)
	}
	if err != nil {
		return nil, notPool(dir, err)
	}
	if err := vfs.Claim(cfg.FS, dir, finished, unfinished); err != nil {
		return nil, errors.Join(notPool(dir, err), lock.Close())
	}
	return lock, nil
}

// notPool says of an error of a directory that there can be no pool.
func notPool(dir string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, vfs.ErrForeign) {
		return fmt.Errorf("%s: %w: %w", dir, ErrNotPool, err)
	}
	return err
}

// finished tells a file of a pool by its name.
func finished(name string) bool {
	_, ok := snapshotLSN(name)
	return ok || name == wal.MarkName || wal.IsSegment(name)
}

// unfinished tells a file that lost its writer before it got its name.
func unfinished(name string) bool {
	of, isTemporary := strings.CutSuffix(name, tmpSuffix)
	_, ok := snapshotLSN(of)
	return isTemporary && ok || wal.IsTemporary(name)
}

// create makes the first snapshot, of an untouched pool. The pool exists when
// it is published.
func create(dir string, cfg *Config) (recovered, error) {
	var seed [32]byte
	if cfg.Seed != nil {
		seed = *cfg.Seed
	} else {
		rand.Read(seed[:])
	}
	state, err := core.New(core.Config{Items: cfg.Items, Law: cfg.Law, RNG: cfg.RNG, Seed: seed, Window: cfg.Window})
	if err != nil {
		return recovered{}, err
	}
	body, err := state.AppendBinary(nil)
	if err != nil {
		return recovered{}, err
	}
	snap := snapshot{uuid: poolUUID(&seed), mode: cfg.Durability, hash: sha256.Sum256(body), body: body}
	if err := wal.Create(cfg.FS, dir, identity(snap.uuid)); err != nil {
		return recovered{}, err
	}
	if err := writeSnapshot(cfg.FS, dir, &snap); err != nil {
		return recovered{}, err
	}
	report := RecoveryReport{Created: true, Reason: "new pool"}
	return recovered{uuid: snap.uuid, state: state, report: report}, nil
}

// poolUUID follows from the seed, so that the same seed and the same calls give
// the same bytes.
func poolUUID(seed *[32]byte) wal.UUID {
	sum := sha256.Sum256(append([]byte("reward pool uuid"), seed[:]...))
	return wal.UUID(sum[:16])
}

// identity is what the segments of the pool begin with.
func identity(uuid wal.UUID) wal.Identity {
	return wal.Identity{Magic: [8]byte([]byte("RPWAL\x00\x01\n")), UUID: uuid}
}

func (p *Pool) openLog(r *recovered) error {
	if r.end.LSN < r.report.LSN {
		// Draws of mode None lie between the log and the snapshot: a history with a
		// hole is of no use.
		if err := dropHistory(p.cfg.FS, p.dir, r.report.SnapshotLSN); err != nil {
			return err
		}
		r.end = wal.End{LSN: r.report.LSN}
	}
	log, err := wal.Open(wal.Options{
		FS:           p.cfg.FS,
		Dir:          p.dir,
		Identity:     identity(p.uuid),
		SegmentBytes: p.cfg.SegmentBytes,
		Mapped:       p.mode == Mmap,
		Go:           p.cfg.background,
		Sealed:       p.segmentSealed,
	}, r.end, r.report.LSN)
	if err != nil {
		return err
	}
	p.log, p.flushed, r.report.Kept = log, log.LSN(), log.Kept()
	return removeTemporary(p.cfg.FS, p.dir)
}

// cutTail ends the log of a pool that None goes on with: its draws take the
// place of the torn tail, which is cut off and kept as in the other modes.
func (p *Pool) cutTail(r *recovered) error {
	if err := p.openLog(r); err != nil {
		return err
	}
	log := p.log
	p.log = nil
	return log.Close()
}

// lsn returns the events applied to the state; it needs mu.
func (p *Pool) lsn() uint64 {
	if p.log != nil {
		return p.log.LSN()
	}
	return p.startLSN + p.state.Draws() - p.startDraws + p.changes
}

// poison makes the pool refuse everything after a failed write or sync: what is
// on disk is unknown. It needs mu.
func (p *Pool) poison(err error) error {
	if !errors.Is(p.dead, ErrPoisoned) {
		p.dead = fmt.Errorf("%w: %w", ErrPoisoned, err)
		p.refuse = p.dead
	}
	return p.dead
}

// Close makes everything durable, waits for the calls under way and releases
// the directory. With None it saves a snapshot. Calls after it get ErrClosed.
// A poisoned pool is released and answers its poison.
func (p *Pool) Close() error {
	p.maintenance.Lock()
	defer p.maintenance.Unlock()
	p.mu.Lock()
	if errors.Is(p.dead, ErrClosed) {
		p.mu.Unlock()
		return ErrClosed
	}
	changed := p.refuse == nil && p.lsn() != p.savedLSN
	if p.refuse == nil {
		p.refuse = ErrClosed
	}
	newest := p.newest
	p.mu.Unlock()

	<-newest.done
	var err error
	switch {
	case p.log != nil:
		err = p.syncLog()
	case changed:
		err = p.save()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != nil {
		err = errors.Join(err, p.log.Close())
	}
	p.refuse, p.dead = ErrClosed, ErrClosed
	return errors.Join(err, p.lock.Close())
}
