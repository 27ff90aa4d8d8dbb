package leaflog

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

// disk is the directory of a store: it keeps leaves and knows no trie.
type disk struct {
	fsys   vfs.FS
	dir    string
	lock   io.Closer
	header header // identity and format
	log    *log
	failed error // of a write or a sync; nothing more is written

	behind         int64  // bytes of the logs between the checkpoint and the newest log
	checkpoint     uint64 // commits in the newest checkpoint
	checkpointSize int64

	counters counters
}

// loader takes leaves, ascending until io.EOF, and returns their root.
type loader func(next func() (path, leafValue []byte, err error)) (root []byte, err error)

// openDisk locks and reads the directory, or makes a new store in it. load gets
// the leaves after the last commit, and its root must be that of the commit.
// Nothing is written before.
func openDisk(fsys vfs.FS, dir string, f format.Format, load loader) (*disk, error) {
	if err := fsys.MkdirAll(dir); err != nil {
		return nil, err
	}
	lock, err := fsys.Lock(dir, true)
	if err != nil {
		return nil, err
	}
	d := &disk{fsys: fsys, dir: dir, lock: lock, header: header{format: f}}
	err = vfs.Claim(fsys, dir, finished, unfinished)
	if err == nil {
		err = d.recover(load)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func (d *disk) recover(load loader) error {
	files, err := list(d.fsys, d.dir)
	if err != nil {
		return err
	}
	switch {
	case files.checkpoint == "" && len(files.logs) == 0:
		return d.create(files, load)
	case len(files.logs) == 0 || files.logs[0] != files.number:
		return &CorruptError{File: fileName(logPrefix, files.number, logSuffix), Why: "file is missing"}
	}
	r := &replay{fsys: d.fsys, dir: d.dir, format: d.header.format, records: recordsOf(d.header.format), commit: files.number}
	var c *checkpoint
	if files.checkpoint != "" {
		if c, err = r.openCheckpoint(files.checkpoint, files.number); err != nil {
			return err
		}
		defer c.file.Close()
		d.checkpoint, d.checkpointSize = files.number, c.size
	}
	for i, base := range files.logs {
		next := uint64(math.MaxUint64)
		if i+1 < len(files.logs) {
			next = files.logs[i+1]
		}
		d.behind += int64(r.tail.end)
		if err := r.readLog(base, next); err != nil {
			return err
		}
	}
	d.header.id = r.id
	if err := r.check(c, load); err != nil {
		return err
	}
	// The names that were seen may be those of a process that ended before its sync.
	if err := d.fsys.SyncDir(d.dir); err != nil {
		return err
	}
	if d.log, err = r.tail.resume(d.fsys, d.dir, r.commit, &d.counters); err != nil {
		return err
	}
	return remove(d.fsys, d.dir, files.old)
}

// create makes the first log. No commit was ever acknowledged without it.
func (d *disk) create(files listing, load loader) error {
	if _, err := load(noLeaves); err != nil {
		return err
	}
	if err := remove(d.fsys, d.dir, files.old); err != nil {
		return err
	}
	for d.header.id == 0 {
		var b [8]byte
		rand.Read(b[:])
		d.header.id = binary.LittleEndian.Uint64(b[:])
	}
	var err error
	d.log, err = createLog(d.fsys, d.dir, d.header, &d.counters)
	return err
}

func noLeaves() (path, leafValue []byte, err error) { return nil, nil, io.EOF }

// check loads the leaves of the checkpoint, which may be nil, and the logs, and
// compares the root.
func (r *replay) check(c *checkpoint, load loader) error {
	r.sortChanges()
	m := merger{replay: r, changes: r.changes, checkpoint: noLeaves}
	if c == nil {
		c = &checkpoint{root: r.format.Placeholder()}
	} else {
		m.checkpoint = c.next
	}
	root, err := load(m.next)
	if err != nil {
		return err
	}
	want, at := c.root, &CorruptError{File: c.name, Offset: c.size - int64(len(c.root))}
	if r.root != nil {
		want, at = r.root, &CorruptError{File: r.tail.name, Offset: int64(r.tail.last)}
	}
	if !bytes.Equal(root, want) {
		at.Why = "the leaves have another root"
		return at
	}
	return nil
}

// append writes a commit and syncs it. After an error the disk accepts nothing.
func (d *disk) append(changes iter.Seq2[[]byte, []byte], root []byte) error {
	if d.failed == nil {
		d.failed = d.log.append(changes, root)
	}
	return d.failed
}

// logBytes returns what Open would read besides the checkpoint.
func (d *disk) logBytes() int64 { return d.behind + d.log.end }

// rotate begins a new log, so that a checkpoint can replace those before it. It
// returns the number of the checkpoint to write.
func (d *disk) rotate() (uint64, error) {
	switch {
	case d.failed != nil:
		return 0, d.failed
	case d.log.base == d.log.commit:
		return d.log.commit, nil
	}
	h := d.header
	h.number = d.log.commit
	next, err := createLog(d.fsys, d.dir, h, &d.counters)
	if err == nil {
		d.behind += d.log.end
		err = d.log.close()
		d.log = next
	}
	d.failed = err
	return h.number, err
}

// writeCheckpoint writes the leaves after number commits and removes the files
// that the checkpoint replaces. It may run beside append.
func (d *disk) writeCheckpoint(number uint64, leaves iter.Seq2[[]byte, []byte], root []byte) (size int64, err error) {
	h := d.header
	h.number = number
	if size, err = writeCheckpoint(d.fsys, d.dir, h, leaves, root, &d.counters); err != nil {
		return 0, err
	}
	d.counters.checkpoints.Add(1)
	files, err := list(d.fsys, d.dir)
	if err != nil {
		return 0, err
	}
	return size, remove(d.fsys, d.dir, files.old)
}

// replaced notes the outcome of writeCheckpoint.
func (d *disk) replaced(number uint64, size int64, err error) {
	if err != nil {
		d.failed = errors.Join(d.failed, err)
		return
	}
	d.checkpoint, d.checkpointSize, d.behind = number, size, 0
}

func (d *disk) close() error {
	var err error
	if d.log != nil {
		err = d.log.close()
	}
	return errors.Join(err, d.lock.Close())
}
