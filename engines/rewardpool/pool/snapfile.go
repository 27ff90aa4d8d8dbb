package pool

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

const (
	snapshotMagic  = "RPSNAP\x01\n"
	snapshotHeader = 128
	snapshotCRC    = 124 // offset of the header's checksum
	snapshotBlock  = 64 << 10
	// snapshotVersion is that of the format.
	snapshotVersion = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// snapshot is a state with its place in the log.
type snapshot struct {
	uuid wal.UUID
	mode Durability // of the pool that saved it
	lsn  uint64
	hash [32]byte // SHA-256 of the body
	body []byte   // core's canonical encoding
}

// tmpSuffix is behind the name of a snapshot that is not complete.
const tmpSuffix = ".tmp"

func snapshotName(lsn uint64) string { return fmt.Sprintf("snap-%016x.snap", lsn) }

// snapshotLSN is the inverse of snapshotName.
func snapshotLSN(name string) (lsn uint64, ok bool) {
	_, err := fmt.Sscanf(name, "snap-%x.snap", &lsn)
	return lsn, err == nil && name == snapshotName(lsn)
}

// listSnapshots returns the LSNs of the snapshots in dir, newest first.
func listSnapshots(fsys vfs.FS, dir string) ([]uint64, error) {
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, name := range names {
		if !strings.HasPrefix(name, "snap-") || strings.HasSuffix(name, tmpSuffix) {
			continue
		}
		lsn, ok := snapshotLSN(name)
		if !ok {
			return nil, &wal.CorruptError{Segment: name, Why: "not the name of a snapshot"}
		}
		out = append([]uint64{lsn}, out...)
	}
	return out, nil
}

// salt seeds the checksum of every block.
func (s *snapshot) salt() uint32 {
	var lsn [8]byte
	binary.LittleEndian.PutUint64(lsn[:], s.lsn)
	return crc32.Update(crc32.Checksum(s.uuid[:], castagnoli), castagnoli, lsn[:])
}

// encode appends the file: a header, then blocks of the body, each followed by
// its checksum.
func (s *snapshot) encode(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = append(b, snapshotMagic...)
	b = le.AppendUint32(b, snapshotVersion)
	b = le.AppendUint32(b, snapshotBlock)
	b = append(b, s.uuid[:]...)
	b = le.AppendUint64(b, s.lsn)
	b = le.AppendUint64(b, uint64(len(s.body)))
	b = append(b, s.hash[:]...)
	b = append(b, byte(s.mode))
	b = append(b, make([]byte, start+snapshotCRC-len(b))...)
	b = le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	salt := s.salt()
	for rest := s.body; len(rest) > 0; {
		block := rest[:min(snapshotBlock, len(rest))]
		b = append(b, block...)
		b = le.AppendUint32(b, crc32.Update(salt, castagnoli, block))
		rest = rest[len(block):]
	}
	return b
}

// decodeHeader verifies the header of a file of the size, and returns the length
// of the body.
func decodeHeader(b []byte, size int64) (s snapshot, length uint64, offset int64, why string) {
	le := binary.LittleEndian
	switch {
	case len(b) < snapshotHeader:
		return s, 0, 0, "snapshot is cut short"
	case string(b[:8]) != snapshotMagic:
		return s, 0, 0, "snapshot has no magic number"
	case crc32.Checksum(b[:snapshotCRC], castagnoli) != le.Uint32(b[snapshotCRC:]):
		return s, 0, 0, "snapshot header fails its checksum"
	case le.Uint32(b[8:]) != snapshotVersion:
		return s, 0, 8, fmt.Sprintf("snapshot format version is %d, expected %d", le.Uint32(b[8:]), snapshotVersion)
	case le.Uint32(b[12:]) != snapshotBlock || int(b[80]) >= len(durabilities):
		return s, 0, 12, "snapshot header is of no known form"
	}
	s.mode = Durability(b[80])
	s.uuid = wal.UUID(b[16:])
	s.lsn = le.Uint64(b[32:])
	length = le.Uint64(b[40:])
	s.hash = [32]byte(b[48:])
	blocks := (length + snapshotBlock - 1) / snapshotBlock
	if length > uint64(size) || uint64(size) != snapshotHeader+length+4*blocks {
		return s, 0, 40, "snapshot length does not match its file"
	}
	return s, length, 0, ""
}

// decodeSnapshot verifies all checksums and the hash, and returns why the bytes
// are refused, or "". The body lies in b.
func decodeSnapshot(b []byte) (s snapshot, offset int64, why string) {
	s, length, offset, why := decodeHeader(b[:min(len(b), snapshotHeader)], int64(len(b)))
	if why != "" {
		return s, offset, why
	}
	le := binary.LittleEndian
	salt := s.salt()
	s.body = b[snapshotHeader:snapshotHeader:len(b)]
	for at := uint64(snapshotHeader); length > 0; {
		n := min(length, snapshotBlock)
		block := b[at : at+n]
		if crc32.Update(salt, castagnoli, block) != le.Uint32(b[at+n:]) {
			return s, int64(at), "snapshot block fails its checksum"
		}
		s.body = append(s.body, block...) // moves down over the checksums
		at += n + 4
		length -= n
	}
	if sha256.Sum256(s.body) != s.hash {
		return s, 48, "snapshot does not match its SHA-256"
	}
	return s, 0, ""
}

// readSnapshot loads a snapshot and decodes its state.
func readSnapshot(fsys vfs.FS, dir string, lsn uint64) (snapshot, *core.State, error) {
	name := snapshotName(lsn)
	file, err := fsys.Open(path.Join(dir, name), false)
	if err != nil {
		return snapshot{}, nil, err
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return snapshot{}, nil, err
	}
	// The header says how much there is to read: a file may claim any size.
	b, err := readStart(file, min(size, snapshotHeader))
	if err != nil {
		return snapshot{}, nil, err
	}
	s, _, offset, why := decodeHeader(b, size)
	if why == "" {
		if b, err = readStart(file, size); err != nil {
			return snapshot{}, nil, err
		}
		s, offset, why = decodeSnapshot(b)
	}
	if why == "" && s.lsn != lsn {
		why = "snapshot does not match the name of its file"
	}
	if why != "" {
		return s, nil, &wal.CorruptError{Segment: name, Offset: offset, LSN: lsn, Why: why}
	}
	state, err := core.Decode(s.body)
	if err != nil {
		return s, nil, &wal.CorruptError{Segment: name, Offset: snapshotHeader, LSN: lsn, Why: err.Error()}
	}
	return s, state, nil
}

// writeSnapshot publishes a snapshot: a complete durable file, then its name.
func writeSnapshot(fsys vfs.FS, dir string, s *snapshot) error {
	name := path.Join(dir, snapshotName(s.lsn))
	if err := writeFile(fsys, name+tmpSuffix, s.encode(nil)); err != nil {
		return err
	}
	if err := fsys.Rename(name+tmpSuffix, name); err != nil {
		return err
	}
	return fsys.SyncDir(dir)
}

// readStart reads the first bytes of a file.
func readStart(file vfs.File, size int64) ([]byte, error) {
	b := make([]byte, size)
	n, err := file.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:n], nil
}

// writeFile writes and syncs a file.
func writeFile(fsys vfs.FS, name string, b []byte) error {
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	if err == nil {
		err = f.Datasync()
	}
	return errors.Join(err, f.Close())
}
