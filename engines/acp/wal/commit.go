package wal

import "runtime"

// commit is one fdatasync and the records that share it. The first that waits
// for one of them leads it: when the commit before is done it takes all records
// appended by then, writes and syncs them, and wakes the others. The next commit
// fills meanwhile.
type commit struct {
	end  uint64 // number of its last record
	led  bool
	done chan struct{} // closed when durable, or failed with err
	err  error
}

// gatherBytes is what a leader waits for at most: up to here a sync costs the
// same however much it covers.
const gatherBytes = 16 << 10

// join adds the record just appended to the commit that fills. It needs mu.
func (l *Log) join(seq uint64) {
	if l.filling == nil {
		l.filling = &commit{done: make(chan struct{})}
	}
	l.filling.end = seq
}

// await returns when the commit of the record is done.
func (l *Log) await(seq uint64) error {
	l.mu.Lock()
	c := l.filling
	switch {
	case seq <= l.flushed:
		l.mu.Unlock()
		return nil
	case l.flushing != nil && seq <= l.flushing.end:
		c = l.flushing
	case c == nil: // its commit failed
		defer l.mu.Unlock()
		return l.failed
	case !c.led:
		c.led = true
		before := l.flushing
		l.mu.Unlock()
		return l.lead(c, before)
	}
	l.mu.Unlock()
	<-c.done
	return c.err
}

// lead carries a commit through.
func (l *Log) lead(c, before *commit) error {
	if before != nil {
		<-before.done
	}
	l.gather()
	l.mu.Lock()
	l.filling = nil
	if c.err = l.failed; c.err == nil {
		batch := l.log.Take()
		l.flushing = c
		l.mu.Unlock()
		err := l.log.Flush(batch)
		l.mu.Lock()
		l.flushing = nil
		if err == nil {
			l.flushed = c.end
		} else {
			c.err = l.fail(err)
		}
	}
	l.mu.Unlock()
	close(c.done)
	return c.err
}

// gather lets the callers that the commit before has just woken append their
// next records, so that they ride this sync and not the one after. It ends when
// a yield brings nobody new.
func (l *Log) gather() {
	for staged := -1; ; {
		l.mu.Lock()
		now := l.log.Staged()
		l.mu.Unlock()
		if now == staged || now > gatherBytes {
			return
		}
		staged = now
		runtime.Gosched()
	}
}
