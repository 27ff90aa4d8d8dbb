// Package channeltext is a plain reward pool of the published design, measured in place of the
// published engine: an actor goroutine, a reply channel a draw, text log lines. Its README says
// what it does not promise.
package channeltext

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"
)

// Errors of a draw.
var (
	ErrEmpty  = errors.New("the pool is empty")
	ErrClosed = errors.New("the pool is closed")
)

// Storage says where the log lines go.
type Storage string

const (
	None Storage = "none" // nowhere
	File Storage = "file" // written to a file
	Mmap Storage = "mmap" // stored into a shared mapping of a file
)

// Config of Open.
type Config struct {
	Items   []Item
	Storage Storage
	Path    string // of the log, a new file; unused with None
	// FlushEvery is how many draws are logged together. 1 logs each draw and never syncs; more
	// keep their lines in memory, then write and sync them at once.
	FlushEvery int
	MapBytes   int // size of the log, with Mmap
	Queue      int // requests that fit in the request channel
	Seed       int64
}

// Reply is the answer to one draw. RequestID counts all draws from 1.
type Reply struct {
	RequestID uint64
	ItemID    string
	Err       error
}

// Pool is an open pool, safe for concurrent use.
type Pool struct {
	requests chan request
	stopped  chan struct{}
	once     sync.Once
	closing  sync.RWMutex // held for reading while a request is sent
	closed   bool
	closeErr error

	// Owned by the actor.
	catalog *catalog
	store   store // nil with None
	random  *rand.Rand
	every   int
	pending int // draws since the last flush
	lines   []byte
	last    uint64
	syncs   int
}

type request struct {
	reply chan Reply
	do    func() // instead of a draw
}

// Open starts a pool with a new log.
func Open(cfg Config) (*Pool, error) {
	catalog, err := newCatalog(cfg.Items)
	if err != nil {
		return nil, err
	}
	if cfg.FlushEvery < 1 {
		return nil, fmt.Errorf("FlushEvery is %d, expected at least 1", cfg.FlushEvery)
	}
	p := &Pool{
		requests: make(chan request, cfg.Queue),
		stopped:  make(chan struct{}),
		catalog:  catalog,
		random:   rand.New(rand.NewSource(cfg.Seed)),
		every:    cfg.FlushEvery,
	}
	switch cfg.Storage {
	case None:
	case File:
		p.store, err = openFile(cfg.Path)
	case Mmap:
		p.store, err = openMap(cfg.Path, cfg.MapBytes)
	default:
		err = fmt.Errorf("storage is %q, expected none, file or mmap", cfg.Storage)
	}
	if err != nil {
		return nil, err
	}
	go p.run()
	return p, nil
}

// Draw asks for one draw. The channel gets exactly one reply.
func (p *Pool) Draw() <-chan Reply {
	reply := make(chan Reply, 1)
	if !p.send(request{reply: reply}) {
		reply <- Reply{Err: ErrClosed}
	}
	return reply
}

// State returns the items with their stock, and how often the log was synced.
func (p *Pool) State() (items []Item, syncs int, err error) {
	done := make(chan struct{})
	sent := p.send(request{do: func() {
		items, syncs = p.catalog.state(), p.syncs
		close(done)
	}})
	if !sent {
		return nil, 0, ErrClosed
	}
	<-done
	return items, syncs, nil
}

// Close answers the requests in the queue, flushes and ends the pool.
func (p *Pool) Close() error {
	p.once.Do(func() {
		p.closing.Lock()
		p.closed = true
		p.closing.Unlock()
		close(p.requests)
		<-p.stopped
		p.closeErr = p.flush()
		if p.store != nil {
			p.closeErr = errors.Join(p.closeErr, p.store.close())
		}
	})
	return p.closeErr
}

func (p *Pool) send(r request) bool {
	p.closing.RLock()
	defer p.closing.RUnlock()
	if p.closed {
		return false
	}
	p.requests <- r
	return true
}

func (p *Pool) run() {
	defer close(p.stopped)
	for r := range p.requests {
		if r.do != nil {
			r.do()
			continue
		}
		r.reply <- p.draw()
	}
}

// draw stages one draw and its line, and acknowledges it; the line may still be in memory.
func (p *Pool) draw() Reply {
	p.last++
	id, ok := p.catalog.stage(p.random.Int63n)
	logged, err := id, error(nil)
	if !ok {
		logged, err = failed, ErrEmpty
	}
	if p.store != nil {
		p.lines = append(p.lines, fmt.Sprintf("DRAW %d %s\n", p.last, logged)...)
	}
	p.pending++
	if p.pending >= p.every {
		if flushErr := p.flush(); flushErr != nil {
			return Reply{RequestID: p.last, Err: flushErr}
		}
	}
	return Reply{RequestID: p.last, ItemID: id, Err: err}
}

// flush logs the staged draws and makes them final; when that fails they are put back.
func (p *Pool) flush() error {
	err := p.logLines()
	p.lines, p.pending = p.lines[:0], 0
	if err != nil {
		p.catalog.revert()
		return err
	}
	p.catalog.commit()
	return nil
}

// logLines writes the lines and syncs them, unless each draw is logged alone.
func (p *Pool) logLines() error {
	if p.store == nil || len(p.lines) == 0 {
		return nil
	}
	if err := p.store.write(p.lines); err != nil || p.every == 1 {
		return err
	}
	p.syncs++
	return p.store.sync()
}
