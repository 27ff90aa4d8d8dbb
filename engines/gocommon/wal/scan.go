package wal

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"assay/gocommon/vfs"
)

// End is where the log stops: what Open needs to continue it.
type End struct {
	LSN    uint64 // events before the end
	Frames uint64 // read by the scan

	// TornBytes are the bytes behind the last frame, up to the last that is not
	// zero, and those of the frames of later segments; they were never durable.
	TornBytes int64
	Reason    string // of the end, for people

	segments []Segment // read by the scan
	later    []Segment // behind a torn tail, to be removed
	tails    []tail    // what TornBytes counts
	newest   uint64    // largest number of a segment
	last     Header    // of the segment that holds the end; Number 0 when none
	offset   int64     // of the end in it
	sealed   bool      // it ends with a SEAL, whose checksum is:
	seal     uint32
}

// Scan calls fn for the frames of the segments from the one that holds lsn,
// in order; those below lsn are included when they share its segment. fn gets
// caller frames only, not SEALs; an error of fn ends the scan, and a
// *CorruptError without a segment is completed. A torn tail ends the scan; damage below what
// was durable, by what the log itself or its mark says, is a *CorruptError. Scan writes nothing.
func Scan(fsys vfs.FS, dir string, id Identity, lsn uint64, fn func(*Frame) error) (End, error) {
	end, err := scanFrames(fsys, dir, id, lsn, fn)
	if err != nil {
		return end, err
	}
	m, err := readMark(fsys, dir)
	why := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "the file is missing"
	case err != nil:
		return end, err
	case m.identity != id:
		why = "mark of another store"
	default:
		why = m.contradicts(&end)
	}
	if why != "" {
		return end, &CorruptError{Segment: MarkName, LSN: end.LSN, Why: why}
	}
	return end, nil
}

// scanFrames is Scan without the mark.
func scanFrames(fsys vfs.FS, dir string, id Identity, lsn uint64, fn func(*Frame) error) (End, error) {
	segments, err := List(fsys, dir)
	if err != nil {
		return End{}, err
	}
	if len(segments) == 0 {
		return End{LSN: lsn, Reason: "no segments"}, nil
	}
	for len(segments) > 1 && segments[1].FirstLSN <= lsn {
		segments = segments[1:]
	}
	if first := segments[0]; first.FirstLSN > lsn {
		return End{}, &CorruptError{Segment: first.Name, LSN: lsn, Why: "the log begins after this LSN"}
	}
	end := End{LSN: segments[0].FirstLSN}
	for i, s := range segments {
		if err := scanSegment(fsys, dir, id, s, &end, fn); err != nil {
			return end, err
		}
		if end.sealed {
			continue
		}
		end.later = segments[i+1:]
		return end, endOfLog(fsys, dir, id, &end)
	}
	end.Reason = "segment is complete"
	return end, nil
}

// scanSegment reads the frames of s and advances end.
func scanSegment(fsys vfs.FS, dir string, id Identity, s Segment, end *End, fn func(*Frame) error) error {
	r, err := openReader(fsys, dir, s, id)
	if err != nil {
		return err
	}
	defer r.close()
	if why := end.gap(&r.Header); why != "" {
		return &CorruptError{Segment: s.Name, LSN: end.LSN, Why: why}
	}
	end.segments = append(end.segments, s)
	end.last, end.offset, end.sealed = r.Header, r.off, false
	end.newest = r.Number
	var f Frame
	for {
		ok, err := r.next(&f, end.LSN)
		if err != nil {
			return err
		}
		if ok && f.Type == TypeSeal {
			end.offset, end.sealed = r.off, true
			end.seal = sealCRC(r)
		}
		if !ok || end.sealed {
			return r.complete(end)
		}
		if err := fn(&f); err != nil {
			var corrupt *CorruptError
			if errors.As(err, &corrupt) && corrupt.Segment == "" {
				corrupt.Segment, corrupt.Offset = s.Name, end.offset
			}
			return err
		}
		end.LSN += uint64(f.Events)
		end.Frames++
		end.offset = r.off
	}
}

// sealCRC returns the checksum of the frame that the reader has just passed.
func sealCRC(r *reader) uint32 {
	return binary.LittleEndian.Uint32(r.buf[r.off-sealBytes-r.base+4:])
}

// gap says why the segment with the header does not continue the log, or "".
func (end *End) gap(h *Header) string {
	switch {
	case end.last.Number == 0:
		return ""
	case h.FirstLSN != end.LSN:
		return "the segment before ends at another LSN"
	case h.Number != end.last.Number+1:
		return "a segment is missing"
	case h.PrevSeal != end.seal:
		return "the segment does not follow the one before"
	}
	return ""
}
