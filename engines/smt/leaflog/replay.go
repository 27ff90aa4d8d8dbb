package leaflog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path"

	"assay/gocommon/vfs"
	"assay/smt/format"
)

// replay gathers what the logs of a directory hold.
type replay struct {
	fsys    vfs.FS
	dir     string
	id      uint64 // of the store, 0 before the first file
	format  format.Format
	records recordFormat

	data    []byte   // the logs, one behind the other
	changes []change // of all commits, in order
	commit  uint64   // last commit read
	root    []byte   // after it; nil before the first
	tail    tail
}

// change is a record of a log.
type change struct {
	prefix uint64 // first bytes of the path, big-endian
	at     int    // of the record in replay.data
}

// tail is where the newest log ends.
type tail struct {
	name   string
	header header
	data   []byte // the whole file
	unsure int    // offset of the mark before the last group
	last   int    // offset of the last group; 0 when there is none
	end    int    // offset behind it and its mark
	marked bool   // it has a mark
}

// checkHeader reads the header of a file and compares it with those before.
func (r *replay) checkHeader(b []byte, magic, name string, number uint64) (header, error) {
	h, why := decodeHeader(b, magic)
	switch {
	case why != "":
	case h.number != number:
		why = fmt.Sprintf("header has number %d", h.number)
	case h.id == 0 || r.id != 0 && h.id != r.id:
		why = "file belongs to another store"
	case h.format != r.format:
		return h, &FormatError{File: name, Stored: h.format, Asked: r.format}
	default:
		r.id = h.id
		return h, nil
	}
	return h, &CorruptError{File: name, Why: why}
}

// readLog reads the log that begins after base commits. next is the base of the
// log behind it, or math.MaxUint64 for the newest log, whose torn tail is
// passed over.
func (r *replay) readLog(base, next uint64) error {
	name := fileName(logPrefix, base, logSuffix)
	if base != r.commit {
		return &CorruptError{File: name, Why: fmt.Sprintf("the log before ends after commit %d", r.commit)}
	}
	start := len(r.data)
	if err := r.load(name); err != nil {
		return err
	}
	data := r.data[start:]
	h, err := r.checkHeader(data, logMagic, name, base)
	if err != nil {
		return err
	}
	t := tail{name: name, header: h, data: data, end: headerBytes}
	for r.commit < next {
		mark := t.end
		if t.last > 0 && isMark(data[t.end:], r.id, r.commit) {
			t.end += blockHeader
			t.marked = true
		}
		n, why := r.group(start + t.end)
		if why != "" {
			return &CorruptError{File: name, Offset: int64(t.end), Why: why}
		}
		if n == 0 {
			break
		}
		t.unsure, t.last, t.end, t.marked = mark, t.end, t.end+n, false
	}
	if next != math.MaxUint64 && r.commit < next || durableBeyond(data[t.end:], r.id, r.commit+1) {
		return &CorruptError{File: name, Offset: int64(t.end),
			Why: fmt.Sprintf("commit %d does not verify, but it was durable", r.commit+1)}
	}
	r.tail = t
	return nil
}

// load appends the file to the data.
func (r *replay) load(name string) error {
	f, err := r.fsys.Open(path.Join(r.dir, name), false)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	start := len(r.data)
	r.data = append(r.data, make([]byte, size)...)
	if n, err := f.ReadAt(r.data[start:], 0); int64(n) < size && err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// group reads the blocks of the next commit at the offset of r.data. n is their
// size, 0 when they are not complete; why tells of blocks that verify and make
// no sense.
func (r *replay) group(at int) (n int, why string) {
	start, known := at, len(r.changes)
	defer func() {
		if n == 0 {
			r.changes = r.changes[:known]
		}
	}()
	var before []byte // path
	for index := uint32(0); ; index++ {
		h, ok := parseBlock(r.data[at:], r.id)
		payload := r.data[min(at+blockHeader, len(r.data)):]
		if !ok || h.commit != r.commit+1 || h.index != index || h.kind != kindPart && h.kind != kindLast ||
			uint64(h.size) > uint64(len(payload)) || !h.verifies(payload[:h.size]) {
			return 0, ""
		}
		at += blockHeader
		stop := at + int(h.size)
		records := payload[:h.size]
		if h.kind == kindLast {
			if len(records) < r.records.root {
				return 0, "block without a root"
			}
			records = records[:len(records)-r.records.root]
		}
		for count := uint32(0); len(records) > 0 || count != h.records; count++ {
			path, _, size := r.records.next(records)
			if size == 0 || bytes.Compare(before, path) >= 0 {
				return 0, "records do not make sense"
			}
			r.changes = append(r.changes, change{binary.BigEndian.Uint64(path), at})
			records = records[size:]
			at += size
			before = path
		}
		if h.kind == kindLast {
			r.root = r.data[at:stop]
			r.commit++
			return stop - start, ""
		}
	}
}

func isMark(b []byte, id, commit uint64) bool {
	h, ok := parseBlock(b, id)
	return ok && h.kind == kindMark && h.commit == commit && h.size == 0
}

// durableBeyond searches the bytes behind the end of a log for evidence that the
// commit, which does not verify, was durable: its mark, or any block of a later
// commit, which is written after the sync of the one before has returned.
func durableBeyond(b []byte, id, commit uint64) bool {
	var magic [8]byte
	binary.LittleEndian.PutUint64(magic[:], id)
	for {
		i := bytes.Index(b, magic[:])
		if i < 0 {
			return false
		}
		b = b[i:]
		if h, ok := parseBlock(b, id); ok && (h.commit > commit || h.commit == commit && h.kind == kindMark) {
			return true
		}
		b = b[1:]
	}
}

// resume opens the newest log for the next commit. What follows its end was
// never acknowledged and becomes zeros. A last commit without mark, and the mark
// before it, may be in the page cache only, and be clean there after a failed
// sync, so they are written again.
func (t *tail) resume(fsys vfs.FS, dir string, commit uint64, c *counters) (*log, error) {
	file, err := fsys.Open(path.Join(dir, t.name), true)
	if err != nil {
		return nil, err
	}
	l := newLog(file, t.name, t.header, commit, int64(t.end), int64(len(t.data)), c)
	if err := t.repair(l); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (t *tail) repair(l *log) error {
	unmarked := t.last > 0 && !t.marked
	from, torn := t.end, len(bytes.TrimRight(t.data[t.end:], "\x00"))
	if unmarked {
		from = t.unsure
	}
	clear(t.data[t.end : t.end+torn])
	if rewrite := t.data[from : t.end+torn]; len(rewrite) > 0 {
		if err := l.stats.write(l.group.file, rewrite, int64(from)); err != nil {
			return err
		}
		if err := l.stats.sync(l.group.file); err != nil {
			return err
		}
	}
	if unmarked {
		return l.mark()
	}
	return nil
}
