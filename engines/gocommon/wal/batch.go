package wal

// Batch is a run of frames that is written with one call for each segment it
// touches, mostly one.
type Batch struct {
	buf   []byte
	parts []part
	end   uint64 // LSN after the last frame
}

// part is what lies in one segment: buf[start:stop] goes to offset.
type part struct {
	seg         *segment
	offset      int64
	start, stop int
}

// endPart closes the part being filled.
func (l *Log) endPart() {
	if n := len(l.batch.parts); n > 0 {
		l.batch.parts[n-1].stop = l.pos
	}
}

// Staged returns the bytes appended and not yet taken.
func (l *Log) Staged() int { return l.pos }

// Take detaches the frames appended since the last Take, for Flush.
func (l *Log) Take() *Batch {
	full := l.finish()
	var empty *Batch
	select {
	case empty = <-l.free:
	default:
		empty = &Batch{}
	}
	l.refill(empty, full)
	return full
}

// Commit writes the frames appended since the last Take or Commit, and syncs
// them when asked. On an error the log must not be used again.
func (l *Log) Commit(sync bool) error {
	b := l.finish()
	if err := l.write(b, sync); err != nil {
		return err
	}
	l.refill(b, b)
	return nil
}

func (l *Log) finish() *Batch {
	b := l.batch
	l.endPart()
	b.buf, b.end = l.buf, l.lsn
	return b
}

// refill continues behind full with an empty batch (they may be the same).
func (l *Log) refill(empty, full *Batch) {
	last := full.parts[len(full.parts)-1]
	last.offset += int64(last.stop - last.start)
	last.start = 0
	empty.parts = append(empty.parts[:0], last)
	l.batch, l.buf, l.pos = empty, empty.buf, 0
}

// Flush writes a batch and makes it durable. On an error the log must not be
// used again.
func (l *Log) Flush(b *Batch) error {
	if err := l.write(b, true); err != nil {
		return err
	}
	select {
	case l.free <- b:
	default:
	}
	return nil
}

func (l *Log) write(b *Batch, sync bool) error {
	last := len(b.parts) - 1
	for i, p := range b.parts {
		if !p.seg.named {
			if err := l.activate(p.seg); err != nil {
				return err
			}
		}
		if p.stop > p.start {
			if _, err := p.seg.file.WriteAt(b.buf[p.start:p.stop], p.offset); err != nil {
				return err
			}
		}
		if i < last {
			if err := l.leave(p.seg); err != nil {
				return err
			}
		}
	}
	if !sync {
		return nil
	}
	return l.syncTo(b.parts[last].seg, b.end)
}
