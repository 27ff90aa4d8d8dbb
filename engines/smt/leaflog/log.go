package leaflog

import (
	"errors"
	"iter"
	"path"

	"assay/gocommon/vfs"
)

// Zeros are written ahead of small commits, so that their sync has data to write
// but no file size; a large commit spends its time on the data. Variables for
// the tests.
var (
	smallCommit int64 = 8 << 10
	aheadBytes  int64 = 256 << 10
)

// pageBytes is the size of the writes of zeros: a large one makes ext4 cache the
// file in large folios, and each small write into those then costs three times
// as much.
const pageBytes = 4 << 10

// log is the end of the newest log file, where commits are appended.
type log struct {
	name   string
	group  group
	commit uint64 // last commit appended
	base   uint64 // commits before the file
	end    int64  // offset of the next block
	zeroed int64  // the file holds zeros from end up to here
	stats  *counters
}

// createLog makes the log of the commits after h.number, durable and named.
func createLog(fsys vfs.FS, dir string, h header, c *counters) (*log, error) {
	name := fileName(logPrefix, h.number, logSuffix)
	file, err := createFile(fsys, dir, name, c, func(f vfs.File) error {
		return c.write(f, h.encode(logMagic), 0)
	})
	if err != nil {
		return nil, err
	}
	return newLog(file, name, h, h.number, headerBytes, headerBytes, c), nil
}

func newLog(file vfs.File, name string, h header, commit uint64, end, size int64, c *counters) *log {
	l := &log{name: name, commit: commit, base: h.number, end: end, zeroed: size, stats: c}
	l.group = group{file: file, block: block{id: h.id}, written: c}
	c.logBytes.Store(uint64(end))
	return l
}

// append writes the changes as the next commit and syncs. Without changes there
// is no commit. After an error the log must not be used again.
func (l *log) append(changes iter.Seq2[[]byte, []byte], root []byte) error {
	g := &l.group
	g.begin(l.commit+1, l.end)
	for path, leafValue := range changes {
		if err := g.add(path, leafValue); err != nil {
			return err
		}
	}
	if g.block.index == 0 && g.block.records == 0 {
		return nil
	}
	if err := g.end(root); err != nil {
		return err
	}
	if g.off-l.end <= smallCommit {
		if err := l.zeroAhead(g.off); err != nil {
			return err
		}
	}
	if err := l.stats.sync(g.file); err != nil {
		return err
	}
	l.commit++
	l.end = g.off
	l.stats.commits.Add(1)
	return l.mark()
}

// mark notes behind the last commit that it was synced. The next commit makes
// the mark durable.
func (l *log) mark() error {
	var b [blockHeader]byte
	block{id: l.group.block.id, commit: l.commit, kind: kindMark}.seal(b[:])
	if err := l.stats.write(l.group.file, b[:], l.end); err != nil {
		return err
	}
	l.end += blockHeader
	l.stats.logBytes.Store(uint64(l.end))
	return nil
}

// zeroAhead makes the file hold zeros behind end when a mark would not fit.
func (l *log) zeroAhead(end int64) error {
	if end+blockHeader <= l.zeroed {
		return nil
	}
	var zeros [pageBytes]byte
	for stop := end + aheadBytes; end < stop; {
		n := min(pageBytes-end%pageBytes, stop-end)
		if err := l.stats.write(l.group.file, zeros[:n], end); err != nil {
			return err
		}
		end += n
	}
	l.zeroed = end
	return nil
}

func (l *log) close() error { return l.group.file.Close() }

// createFile makes a file under a temporary name, fills and syncs it, and gives
// it its name, so that a named file is complete. The file stays open.
func createFile(fsys vfs.FS, dir, name string, c *counters, fill func(vfs.File) error) (vfs.File, error) {
	tmp := path.Join(dir, name+tmpSuffix)
	file, err := fsys.Create(tmp)
	if err != nil {
		return nil, err
	}
	if err = fill(file); err == nil {
		err = c.sync(file)
	}
	if err == nil {
		err = fsys.Rename(tmp, path.Join(dir, name))
	}
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
