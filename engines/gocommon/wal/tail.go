package wal

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"assay/gocommon/vfs"
)

// endOfLog applies the tail rule where no valid frame follows. If something
// written later (a frame behind the end, or the header or a frame of a later
// segment) shows that the log was durable beyond the end, the log is corrupt.
// Otherwise what follows was never durable, hence never promised: a torn tail.
func endOfLog(fsys vfs.FS, dir string, id Identity, end *End) error {
	s := end.segments[len(end.segments)-1]
	r, err := openReader(fsys, dir, s, id)
	if err != nil {
		return err
	}
	defer r.close()
	durable, last, err := evidence(r, end.offset, end.LSN)
	if err != nil {
		return err
	}
	end.tear(s.Name, end.offset, last)
	for _, later := range end.later {
		claim, err := end.laterEvidence(fsys, dir, id, later)
		if err != nil {
			return err
		}
		durable = max(durable, claim)
	}
	if durable > end.LSN {
		return &CorruptError{Segment: s.Name, Offset: end.offset, LSN: end.LSN,
			Why: fmt.Sprintf("no valid frame, but the log was durable up to lsn %d", durable)}
	}
	end.Reason = "zeros"
	if end.TornBytes > 0 || len(end.later) > 0 {
		end.Reason = "torn tail"
	}
	return nil
}

// laterEvidence is evidence of a segment behind the end.
func (end *End) laterEvidence(fsys vfs.FS, dir string, id Identity, s Segment) (durable uint64, err error) {
	r, err := openReader(fsys, dir, s, id)
	if err != nil {
		return 0, err
	}
	defer r.close()
	if err := r.complete(end); err != nil {
		return 0, err
	}
	durable, last, err := evidence(r, HeaderBytes, end.LSN)
	end.newest = max(end.newest, r.Number)
	end.tear(s.Name, HeaderBytes, last)
	return max(durable, r.DurableLSN), err
}

// tail is a part of a segment behind the end of the log.
type tail struct {
	name     string
	from, to int64
}

func (end *End) tear(name string, from, to int64) {
	if to > from {
		end.TornBytes += to - from
		end.tails = append(end.tails, tail{name, from, to})
	}
}

// evidence searches the segment from offset for valid frames above lsn and
// returns the largest LSN that one of them knew to be durable. last is the
// offset behind the last byte that is not zero.
func evidence(r *reader, offset int64, lsn uint64) (durable uint64, last int64, err error) {
	last = offset
	var f Frame
	for offset+8 <= r.size {
		b, err := r.window(offset, 8)
		if err != nil {
			return 0, 0, err
		}
		if zeros := leadingZeros(b); zeros >= 8 {
			offset += int64(zeros &^ 7)
			continue
		}
		last = offset + 8
		n := frameLen(b)
		if n > 0 && int64(n) <= r.size-offset && plausible(b, n, lsn, r.SegmentBytes) {
			if b, err = r.window(offset, n); err != nil {
				return 0, 0, err
			}
			if len(b) >= n && verifies(b[:n], r.salt) {
				f.parse(b[:n], lsn)
				durable = max(durable, f.Durable)
				offset += int64(n)
				last = offset
				continue
			}
		}
		offset += 8
	}
	return durable, last, nil
}

var zeroBlock [4096]byte

// leadingZeros counts the zero bytes that b begins with.
func leadingZeros(b []byte) int {
	n := 0
	for len(b)-n >= len(zeroBlock) && bytes.Equal(b[n:n+len(zeroBlock)], zeroBlock[:]) {
		n += len(zeroBlock)
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// plausible keeps the search linear: without it, random bytes would have long
// stretches summed at every offset.
func plausible(b []byte, n int, lsn uint64, segment int64) bool {
	if n == loneBytes || len(b) < frameHeader {
		return true
	}
	at := binary.LittleEndian.Uint64(b[16:])
	return at >= lsn && at-lsn <= uint64(segment) && b[8] <= TypeSeal
}
