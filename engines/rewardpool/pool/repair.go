package pool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
)

// copyPrefix returns what the names of the copies of the n-th repair begin with.
func copyPrefix(n int) string {
	if n == 1 {
		return "damaged-"
	}
	return fmt.Sprintf("damaged-%d-", n)
}

// Repair gives up the history from lsn on: it removes the snapshots above lsn
// and those that do not verify, and ends the log before the first frame that
// goes beyond lsn or is damaged. Acknowledged draws may be lost; Report.LSN
// says how far the pool still reaches. With keepCopy, every file is copied to
// a name that begins with "damaged-" first, or with "damaged-2-" and so on where
// an earlier repair has left copies. A pool that no valid snapshot
// covers is left as it is, with the error of its newest snapshot.
func Repair(dir string, lsn uint64, keepCopy bool) (Report, error) {
	return repair(vfs.OS{}, dir, lsn, keepCopy)
}

func repair(fsys vfs.FS, dir string, lsn uint64, keepCopy bool) (rep Report, err error) {
	cfg := Config{FS: fsys}
	lock, err := lockDir(&cfg, dir)
	if err != nil {
		return rep, err
	}
	snap, drop, err := repairBase(fsys, dir, lsn)
	if err == nil && keepCopy {
		rep.Copies, err = copyFiles(fsys, dir)
	}
	copies := rep.Copies
	var end wal.End
	if err == nil {
		end, err = wal.Cut(fsys, dir, identity(snap.uuid), snap.lsn, lsn)
	}
	if err == nil {
		err = removeSnapshots(fsys, dir, drop)
	}
	if err == nil && end.LSN < snap.lsn {
		err = dropHistory(fsys, dir, snap.lsn) // the log no longer reaches the snapshot
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return rep, err
	}
	rep, err = inspect(fsys, dir, true)
	rep.Copies, rep.TruncatedBytes = copies, end.TornBytes
	return rep, err
}

// repairBase returns the newest valid snapshot at or below lsn, and those to
// remove.
func repairBase(fsys vfs.FS, dir string, lsn uint64) (base snapshot, drop []uint64, err error) {
	lsns, err := listSnapshots(fsys, dir)
	if err != nil {
		return base, nil, err
	}
	if len(lsns) == 0 {
		return base, nil, noSnapshot(fsys, dir)
	}
	var kept []snapshot
	var first error
	for _, l := range lsns {
		s, _, err := readSnapshot(fsys, dir, l)
		var corrupt *wal.CorruptError
		switch {
		case errors.As(err, &corrupt) || err == nil && l > lsn:
			drop = append(drop, l)
		case err != nil:
			return base, nil, err
		default:
			kept = append(kept, s)
		}
		if first == nil {
			first = err
		}
	}
	if len(kept) == 0 {
		if first == nil {
			first = invalid("lsn", fmt.Sprintf("%d, expected at least %d, the oldest snapshot", lsn, lsns[len(lsns)-1]))
		}
		return base, nil, first
	}
	return kept[0], drop, nil
}

func copyFiles(fsys vfs.FS, dir string) (copies []string, err error) {
	snapshots, err := listSnapshots(fsys, dir)
	if err != nil {
		return nil, err
	}
	segments, err := wal.List(fsys, dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, lsn := range snapshots {
		names = append(names, snapshotName(lsn))
	}
	for _, s := range segments {
		names = append(names, s.Name)
	}
	prefix, err := freshPrefix(fsys, dir, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := copyFile(fsys, path.Join(dir, name), path.Join(dir, prefix+name)); err != nil {
			return copies, err
		}
		copies = append(copies, prefix+name)
	}
	return copies, fsys.SyncDir(dir)
}

// freshPrefix returns the first prefix under which no copy of the names exists.
func freshPrefix(fsys vfs.FS, dir string, names []string) (string, error) {
	there, err := fsys.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		taken := func(name string) bool { return slices.Contains(there, copyPrefix(n)+name) }
		if !slices.ContainsFunc(names, taken) {
			return copyPrefix(n), nil
		}
	}
}

func copyFile(fsys vfs.FS, from, to string) error {
	in, err := fsys.Open(from, false)
	if err != nil {
		return err
	}
	defer in.Close()
	size, err := in.Size()
	if err != nil {
		return err
	}
	out, err := fsys.Create(to)
	if err != nil {
		return err
	}
	err = copyContents(out, in, size)
	if err == nil {
		err = out.Datasync()
	}
	return errors.Join(err, out.Close())
}

// copyContents does not write blocks of zeros, but for the last, which gives the
// copy its length: a file whose length is damaged may be far larger than the disk.
func copyContents(to io.WriterAt, from io.ReaderAt, size int64) error {
	contents := io.NewSectionReader(from, 0, size)
	block, zeros := make([]byte, 1<<20), make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(block)) {
		block = block[:min(int64(len(block)), size-at)]
		if _, err := io.ReadFull(contents, block); err != nil {
			return err
		}
		if last := at+int64(len(block)) == size; last || !bytes.Equal(block, zeros) {
			if _, err := to.WriteAt(block, at); err != nil {
				return err
			}
		}
	}
	return nil
}
