package pool

import (
	"runtime"

	"assay/gocommon/wal"
)

// commit is one fdatasync and the calls that share it. The call that puts the
// first frame into a commit leads it: it waits for the commit before, takes all
// frames staged by then, writes and syncs them, and wakes the others. The next
// commit fills meanwhile.
type commit struct {
	before <-chan struct{} // done of the commit before
	batch  *wal.Batch      // set when detached
	done   chan struct{}   // closed when durable, or failed with err
	err    error
}

// closed stands for the commit before the first.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// gatherBytes is what a leader waits for at most: up to here a sync costs the
// same however much it covers.
const gatherBytes = 16 << 10

// join returns the commit of the frame just staged; lead says that the caller
// must lead it. It needs mu.
func (p *Pool) join() (c *commit, lead bool) {
	if p.filling != nil {
		return p.filling, false
	}
	c = &commit{before: p.newest.done, done: make(chan struct{})}
	p.newest = c
	if p.mode == Each {
		c.batch = p.log.Take()
	} else {
		p.filling = c
	}
	return c, true
}

// lead carries a commit through, and returns its error.
func (p *Pool) lead(c *commit) error {
	<-c.before
	c.before = nil
	p.gather(c)
	p.mu.Lock()
	if c.batch == nil {
		c.batch = p.log.Take()
		p.filling = nil
	}
	err := p.dead
	p.mu.Unlock()
	if err == nil {
		if err = p.log.Flush(c.batch); err != nil {
			p.mu.Lock()
			err = p.poison(err)
			p.mu.Unlock()
		}
	}
	c.batch, c.err = nil, err
	close(c.done)
	return err
}

// gather lets the calls that the commit before has just woken stage their next
// draws, so that they ride this sync and not the one after. It ends when a
// yield brings nobody new.
func (p *Pool) gather(c *commit) {
	if c.batch != nil {
		return
	}
	for staged := -1; ; {
		p.mu.Lock()
		now := p.log.Staged()
		p.mu.Unlock()
		if now == staged || now > gatherBytes {
			return
		}
		staged = now
		runtime.Gosched()
	}
}

// settle ends a call whose frames are staged, keeping the promise of the mode.
// It is called with mu held and releases it.
func (p *Pool) settle() error {
	switch p.mode {
	case File:
		if err := p.log.Commit(false); err != nil {
			err = p.poison(err)
			p.mu.Unlock()
			return err
		}
	case Relaxed:
		if p.log.LSN()-p.flushed >= p.every {
			if err := p.log.Commit(true); err != nil {
				err = p.poison(err)
				p.mu.Unlock()
				return err
			}
			p.flushed = p.log.LSN()
		}
	case Group, Each:
		c, lead := p.join()
		p.mu.Unlock()
		if lead {
			return p.lead(c)
		}
		<-c.done
		return c.err
	}
	p.mu.Unlock()
	return nil
}

// unlockDurable releases mu and returns when what the caller saw in the state
// is as durable as the mode promises.
func (p *Pool) unlockDurable() error {
	c := p.newest
	p.mu.Unlock()
	<-c.done
	return c.err
}
