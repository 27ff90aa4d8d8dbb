// Package acp decides who may read and write documents. A policy says which relations there are and
// which permissions follow from them; the engine keeps who has which relation to which document,
// answers checks, and logs every change before it is acknowledged.
//
// An Engine and everything it returns may be used by several goroutines. Checks take no lock and see
// every change that returned before they began. Errors are of the kinds ErrBadInput, ErrNotFound, and
// so on, for errors.Is.
package acp

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"assay/acp/graph"
	"assay/acp/wal"
	"assay/gocommon/vfs"
)

// Sync says what a change has reached when the call returns.
type Sync = wal.Sync

// The sync modes.
const (
	SyncNone  = wal.None  // the operating system: it survives the end of the process
	SyncBatch = wal.Batch // the disk, by an fdatasync shared with others that wait
	SyncEach  = wal.Each  // the disk, by an fdatasync of its own
)

// Index says how the owner of a document is found. The answers are the same.
type Index uint8

const (
	// IndexKeyed looks the owner up.
	IndexKeyed Index = iota
	// IndexScan walks over all relationships of the policy and decodes each: twice when a document is
	// registered, once when it is asked whether one is. So did the published engine's old generation.
	IndexScan
)

// Options of an engine. The zero value is an engine in memory.
type Options struct {
	Path    string // a directory of its own, made when missing; "" = in memory
	Sync    Sync
	Index   Index
	Lenient bool   // read policies as leniently as the published engine, see policy.Options
	FS      vfs.FS // for tests; nil = the operating system's

	segmentBytes int64 // of the log, for tests
	saveEvery    int64 // bytes logged between snapshots, for tests
}

// Recovery says what Open found.
type Recovery = wal.Recovery

// Engine holds policies and the relationships under them.
type Engine struct {
	options  Options
	recovery Recovery
	log      *wal.Log // nil in memory
	scanned  atomic.Uint64

	savers sync.WaitGroup // of the snapshot that is written beside changes
	saving atomic.Bool

	// policies is replaced, never changed, so that it is read without a lock.
	policies atomic.Pointer[map[string]*entry]

	mu      sync.Mutex // of changes
	closed  bool
	entries []*entry // by number; deleted ones are nil
	counter uint64   // policies that got a number for their id, from policy.FirstNumber on
	seq     uint64   // last record of the log
	record  []byte   // reused
	logged  int64    // bytes of records since the last snapshot was begun
	change  graph.Change
	parts   []byte // of a record that is being read back
}

// entry is a policy with its relationships.
type entry struct {
	number  uint32
	id      string
	creator string
	text    string
	graph   atomic.Pointer[graph.Graph] // nil when the policy was deleted; replaced when it is edited
}

// Open opens an engine, which reads back what its directory holds. Errors: ErrLocked, ErrForeign,
// ErrCorrupt, or those of the file system.
func Open(o Options) (*Engine, error) {
	e := &Engine{options: o, counter: firstCounter}
	e.policies.Store(&map[string]*entry{})
	if o.Path == "" {
		return e, nil
	}
	if e.options.FS == nil {
		e.options.FS = vfs.OS{}
	}
	var err error
	e.log, e.recovery, err = wal.Open(e.options.FS, o.Path, wal.Options{Sync: o.Sync, SegmentBytes: o.segmentBytes}, wal.Handler{
		Snapshot: e.readSnapshot,
		Record:   e.replay,
	})
	if err != nil {
		return nil, err
	}
	e.change = graph.Change{} // of the last record, in whose bytes its ids lie
	e.seq = e.log.Seq()
	e.logged = e.log.Stats().Behind
	return e, nil
}

// Recovery tells what Open found.
func (e *Engine) Recovery() Recovery { return e.recovery }

// Close saves a snapshot of a persistent engine, so that it opens fast, and releases the directory.
// ErrNotSaved means that the snapshot failed and that nothing is lost by it: the log is complete.
// Changes after it return ErrClosed; checks go on.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	if e.log == nil {
		return nil
	}
	e.savers.Wait()
	saved := e.log.Snapshot(e.seq, e.save().write)
	if err := e.log.Close(); err != nil {
		return err // if what was logged is not durable, this says so too
	}
	return saved
}

// begin locks the engine for a change.
func (e *Engine) begin() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return ErrClosed
	}
	return nil
}

// end unlocks the engine after a change and waits until all that was logged is as durable as
// promised; a call that changed nothing since another one did waits for that one.
func (e *Engine) end() error {
	seq := e.seq
	e.saveBeside()
	e.mu.Unlock()
	if e.log == nil || seq == 0 {
		return nil
	}
	return e.log.Wait(seq)
}

// publish makes a policy known.
func (e *Engine) publish(id string, en *entry) {
	next := maps.Clone(*e.policies.Load())
	if en == nil {
		delete(next, id)
	} else {
		next[id] = en
	}
	e.policies.Store(&next)
}

// entry returns a policy and its graph.
func (e *Engine) entry(id string) (*entry, *graph.Graph, error) {
	if en := (*e.policies.Load())[id]; en != nil {
		if g := en.graph.Load(); g != nil {
			return en, g, nil
		}
	}
	if id == "" {
		return nil, nil, fail(ErrBadInput, "the policy id is empty")
	}
	return nil, nil, fail(ErrNotFound, "policy %q does not exist", id)
}

// PolicyInfo describes a policy of the engine.
type PolicyInfo struct {
	ID      string
	Name    string
	Creator string
	Text    string
}

// Policies returns all policies in the order of their creation.
func (e *Engine) Policies() []PolicyInfo {
	all := slices.SortedFunc(maps.Values(*e.policies.Load()), func(a, b *entry) int { return int(a.number) - int(b.number) })
	infos := make([]PolicyInfo, 0, len(all))
	for _, en := range all {
		if g := en.graph.Load(); g != nil {
			infos = append(infos, PolicyInfo{ID: en.id, Name: g.Policy().Name, Creator: en.creator, Text: en.text})
		}
	}
	return infos
}

// Counters are exact counts of work since Open.
type Counters struct {
	Scanned uint64 // relationships decoded by owner queries of IndexScan
	wal.Stats
}

// Counters returns the counts. What a check costs is told by Snapshot.CheckCost.
func (e *Engine) Counters() Counters {
	c := Counters{Scanned: e.scanned.Load()}
	if e.log != nil {
		c.Stats = e.log.Stats()
	}
	return c
}
