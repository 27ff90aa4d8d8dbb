package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"

	"assay/gocommon/vfs"
)

// MarkName is the file that says how far the log was durable. It stands beside
// the segments, so that it proves when one of them is missing, older or cut.
const MarkName = "wal.mark"

const (
	markSlots    = 2    // written in turn, so that a torn write leaves the one before
	markSlot     = 4096 // bytes
	markCRC      = 64   // offset of the checksum, which covers what is before it
	markMagic    = "WALMARK\n"
	markTemp     = "wal-mark" + tmpSuffix
	markVersion  = 1
	markFileSize = markSlots * markSlot
)

// mark is what was true once. It stays true until Cut or Drop gives up a part of
// the log, which therefore write it anew first.
type mark struct {
	identity Identity
	writes   uint64 // counted from 1; the slot of a write is the remainder
	lsn      uint64 // events that were durable
	number   uint64 // of a segment that had its name, 0 when there was none
	ready    uint64 // number of a segment that is prepared, zero and synced; 0 when none is
}

func (m *mark) encode() []byte {
	b := make([]byte, markSlot)
	copy(b, markMagic)
	copy(b[8:], m.identity.Magic[:])
	copy(b[16:], m.identity.UUID[:])
	for i, v := range []uint64{m.writes<<8 | markVersion, m.lsn, m.number, m.ready} {
		binary.LittleEndian.PutUint64(b[32+8*i:], v)
	}
	binary.LittleEndian.PutUint32(b[markCRC:], crc32.Checksum(b[:markCRC], castagnoli))
	return b
}

// decodeMark returns why the slot is refused, or "".
func decodeMark(b []byte) (m mark, why string) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[32+8*i:]) }
	switch {
	case string(b[:8]) != markMagic:
		return m, "no magic number"
	case crc32.Checksum(b[:markCRC], castagnoli) != binary.LittleEndian.Uint32(b[markCRC:]):
		return m, "its checksum is wrong"
	case byte(word(0)) != markVersion:
		return m, fmt.Sprintf("format version is %d, expected %d", byte(word(0)), markVersion)
	}
	return mark{
		identity: Identity{Magic: [8]byte(b[8:]), UUID: UUID(b[16:])},
		writes:   word(0) >> 8, lsn: word(1), number: word(2), ready: word(3),
	}, ""
}

// readMark returns the newer of the slots. The error is fs.ErrNotExist when there
// is no mark, which every log has.
func readMark(fsys vfs.FS, dir string) (newest mark, err error) {
	refuse := func(why string) (mark, error) { return mark{}, &CorruptError{Segment: MarkName, Why: why} }
	file, err := fsys.Open(path.Join(dir, MarkName), false)
	if err != nil {
		return mark{}, err
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return mark{}, err
	}
	if size != markFileSize {
		return refuse(fmt.Sprintf("file has %d bytes, expected %d", size, markFileSize))
	}
	b := make([]byte, markFileSize)
	if _, err := file.ReadAt(b, 0); err != nil && !errors.Is(err, io.EOF) {
		return mark{}, err
	}
	var first string
	for slot := range markSlots {
		m, why := decodeMark(b[slot*markSlot:][:markSlot])
		if why != "" && first == "" {
			first = why
		}
		if why == "" && m.writes > newest.writes {
			newest = m
		}
	}
	if newest.writes == 0 {
		return refuse(first)
	}
	return newest, nil
}

// write makes the mark durable in place of the older one.
func (m *mark) write(fsys vfs.FS, dir string) error {
	file, err := fsys.Open(path.Join(dir, MarkName), true)
	if err != nil {
		return err
	}
	return errors.Join(file.WriteDurable(m.encode(), int64(m.writes%markSlots*markSlot)), file.Close())
}

// contradicts says why a log that ends there cannot be the one that was marked, or "".
func (m *mark) contradicts(end *End) string {
	switch {
	case end.LSN < m.lsn:
		return fmt.Sprintf("the log was durable up to lsn %d", m.lsn)
	case end.newest < m.number:
		return fmt.Sprintf("segment number %d is missing", m.number)
	}
	return ""
}

// lower gives up what the mark claims beyond the end of the log, before the log
// loses it.
func (m *mark) lower(fsys vfs.FS, dir string, end *End) error {
	lowered := *m
	lowered.lsn, lowered.number = min(m.lsn, end.LSN), min(m.number, end.last.Number)
	if lowered == *m && len(end.later) == 0 {
		return nil
	}
	lowered.writes, lowered.ready = m.writes+1, 0
	if err := lowered.write(fsys, dir); err != nil {
		return err
	}
	*m = lowered
	return nil
}

// Create begins a log without segments in a directory that has none. It may be
// repeated until the log has its first segment.
func Create(fsys vfs.FS, dir string, id Identity) error {
	m, err := readMark(fsys, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case m.number > 0:
		return &CorruptError{Segment: MarkName, LSN: m.lsn, Why: fmt.Sprintf("segment number %d is missing", m.number)}
	}
	return newMark(fsys, dir, id)
}

// Begun tells whether there is the mark of a log that had a segment.
func Begun(fsys vfs.FS, dir string) (bool, error) {
	m, err := readMark(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return m.number > 0, err
}

// newMark makes a mark that claims nothing.
func newMark(fsys vfs.FS, dir string, id Identity) error {
	m := mark{identity: id, writes: 1}
	return publish(fsys, dir, markTemp, MarkName, bytes.NewReader(append(make([]byte, markSlot), m.encode()...)))
}

// publish writes a file under a temporary name, syncs it and gives it its name,
// which survives a power loss once the directory is synced.
func publish(fsys vfs.FS, dir, temporary, name string, contents io.Reader) error {
	file, err := fsys.Create(path.Join(dir, temporary))
	if err != nil {
		return err
	}
	_, err = io.Copy(io.NewOffsetWriter(file, 0), contents)
	if err == nil {
		err = file.Datasync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := fsys.Rename(path.Join(dir, temporary), path.Join(dir, name)); err != nil {
		return err
	}
	return fsys.SyncDir(dir)
}

// Drop removes the log, which then has no segments and claims nothing: the
// caller has a state that does not follow from it.
func Drop(fsys vfs.FS, dir string) error {
	m, err := readMark(fsys, dir)
	if err != nil {
		return err
	}
	segments, err := List(fsys, dir)
	if err != nil {
		return err
	}
	if err := m.lower(fsys, dir, &End{}); err != nil {
		return err
	}
	for i := len(segments) - 1; i >= 0; i-- {
		if err := fsys.Remove(path.Join(dir, segments[i].Name)); err != nil {
			return err
		}
	}
	return fsys.SyncDir(dir)
}
