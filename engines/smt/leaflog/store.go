package leaflog

import (
	"errors"

	"assay/gocommon/vfs"
	"assay/smt/trie"
)

// Options of a store; the zero value suits most.
type Options struct {
	// FS is the file system; nil is that of the operating system.
	FS vfs.FS
	// CheckpointBytes lets Commit start a checkpoint when the log is longer than
	// this and than 4 times the last checkpoint. 0 is 64 MiB; below 0 only
	// Checkpoint writes one.
	CheckpointBytes int64
}

const (
	defaultCheckpointBytes = 64 << 20
	// logPerCheckpoint bounds what checkpoints add to the bytes written: a quarter.
	logPerCheckpoint = 4
)

// Store is a durable trie: a trie.Trie in memory whose commits are logged. Like
// the trie it is for one goroutine at a time; snapshots of it may be read by
// others meanwhile. Its methods fail as those of the trie do.
type Store struct {
	trie    *trie.Trie
	disk    *disk
	options Options
	running chan outcome // of the checkpoint being written; nil when none is
}

// outcome is the end of a checkpoint.
type outcome struct {
	number uint64
	size   int64
	err    error
}

// Open opens the store in the directory, or makes one, and returns it with the
// trie of the last commit. config.KeepRoots is ignored, since a log does not roll
// back. Open fails with ErrLocked while another store has the directory, with
// ErrForeign when it holds other files and no store, with a *CorruptError when bytes do not verify, and with a *FormatError when the
// directory has another format. It takes the time of trie.LoadSorted, and memory
// for the log besides the trie.
func Open(dir string, config trie.Config, options Options) (*Store, error) {
	if options.FS == nil {
		options.FS = vfs.OS{}
	}
	if options.CheckpointBytes == 0 {
		options.CheckpointBytes = defaultCheckpointBytes
	}
	config.KeepRoots = 0
	t, err := trie.New(config)
	if err != nil {
		return nil, err
	}
	d, err := openDisk(options.FS, dir, config.Format, func(next func() ([]byte, []byte, error)) ([]byte, error) {
		if err := t.LoadSorted(next); err != nil {
			return nil, err
		}
		return t.Commit()
	})
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return &Store{trie: t, disk: d, options: options}, nil
}

// Commit hashes what changed, appends it to the log and syncs, and returns the
// root. When it fails, the store is unusable, and Open tells whether the commit
// is durable; only an error of a queued operation leaves all as it was.
func (s *Store) Commit() ([]byte, error) {
	if len(s.running) > 0 {
		s.await()
	}
	root, err := s.trie.CommitTo((*appender)(s.disk))
	if err != nil {
		return nil, err
	}
	limit := max(s.options.CheckpointBytes, logPerCheckpoint*s.disk.checkpointSize)
	if s.running == nil && s.options.CheckpointBytes > 0 && s.disk.logBytes() > limit {
		if err := s.startCheckpoint(); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// appender is the log as the trie sees it.
type appender disk

func (a *appender) Append(changes *trie.Changes, root []byte) error {
	return (*disk)(a).append(changes.All(), root)
}

// Checkpoint is Commit, and then writes a checkpoint of that state and removes
// the log before it.
func (s *Store) Checkpoint() error {
	if _, err := s.Commit(); err != nil {
		return err
	}
	s.await()
	if s.disk.failed == nil && s.disk.checkpoint < s.disk.log.commit {
		if err := s.startCheckpoint(); err != nil {
			return err
		}
		s.await()
	}
	return s.disk.failed
}

// startCheckpoint begins a new log and writes, beside the commits to come, a
// checkpoint of the state before them.
func (s *Store) startCheckpoint() error {
	number, err := s.disk.rotate()
	if err != nil {
		return err
	}
	snapshot, err := s.trie.Snapshot()
	if err != nil {
		return err
	}
	done := make(chan outcome, 1)
	s.running = done
	go func() {
		defer snapshot.Release()
		leaves := func(yield func(path, leafValue []byte) bool) {
			// It fails only on a released snapshot.
			_ = snapshot.Iterate(nil, yield)
		}
		size, err := s.disk.writeCheckpoint(number, leaves, snapshot.Root())
		done <- outcome{number, size, err}
	}()
	return nil
}

// await waits for the checkpoint under way, if any.
func (s *Store) await() {
	if s.running != nil {
		o := <-s.running
		s.disk.replaced(o.number, o.size, o.err)
		s.running = nil
	}
}

// Close gives up the directory and the memory. What was not committed is lost.
// It waits for a checkpoint under way and reports its failure.
func (s *Store) Close() error {
	if err := s.trie.Close(); err != nil {
		return err
	}
	s.await()
	return errors.Join(s.disk.failed, s.disk.close())
}

// Stats counts the work on files since Open.
func (s *Store) Stats() Stats { return s.disk.counters.stats() }

// TrieStats is trie.Trie.Stats.
func (s *Store) TrieStats() trie.Stats { return s.trie.Stats() }
