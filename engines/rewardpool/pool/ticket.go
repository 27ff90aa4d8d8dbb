package pool

// Ticket stands for draws that were submitted and are not acknowledged yet.
type Ticket struct {
	dst    []uint32
	n      int
	err    error
	commit *commit // nil when nothing is left to wait for
}

// Submit begins a DrawN and returns at once, so that one caller can fill the
// next batch while the disk syncs this one. dst belongs to the pool until Wait;
// at most a few batches should be in flight, since each holds its frames in
// memory. Submitted draws happen in the order of the calls.
func (p *Pool) Submit(dst []uint32) Ticket {
	p.mu.Lock()
	t := Ticket{dst: dst}
	t.n, t.err = p.drawN(dst)
	if t.n == 0 {
		if t.err == ErrEmpty {
			t.commit = p.newest // as in unlockEmpty
		}
		p.mu.Unlock()
		return t
	}
	if !p.mode.synced() {
		if err := p.settle(); err != nil {
			clear(dst)
			t.n, t.err = 0, err
		}
		return t
	}
	c, lead := p.join()
	p.mu.Unlock()
	if lead {
		go p.lead(c)
	}
	t.commit = c
	return t
}

// Wait returns what DrawN returns, when DrawN would.
func (t Ticket) Wait() (n int, err error) {
	if t.commit == nil {
		return t.n, t.err
	}
	<-t.commit.done
	if t.commit.err != nil {
		clear(t.dst)
		return 0, t.commit.err
	}
	return t.n, t.err
}
