package pool

import (
	"fmt"
	"time"

	"assay/gocommon/vfs"
	"assay/rewardpool/core"
)

const (
	defaultSegmentBytes = 64 << 20
	minSegmentBytes     = 64 << 10
	maxSegmentBytes     = 1 << 30
	defaultRelaxedEvery = 10_000
	// MaxDraws is the largest DrawN.
	MaxDraws = 1_000_000
	// RequestLead is how far the time of a request id may lie ahead of the clock.
	RequestLead = time.Minute
)

// Config of Open. The zero value opens an existing pool with Durability None.
type Config struct {
	Durability Durability
	ReadOnly   bool // recover into memory, never write

	// Items, Law, RNG, Seed and Window make a new pool when the directory holds
	// none; an existing pool keeps its own. A nil Seed comes from the operating
	// system. Window is the number of request ids remembered (0 = 65 536).
	Items  []core.Item
	Law    core.Law
	RNG    core.RNG
	Seed   *[32]byte
	Window int

	// SegmentBytes is the size of a new segment of the log: a multiple of 4096
	// from 64 KiB to 1 GiB (0 = 64 MiB). A DrawN must fit in one.
	SegmentBytes int64
	// RelaxedEvery is the number of draws between flushes of Relaxed (0 = 10 000).
	RelaxedEvery int
	// SnapshotBytes of log make a snapshot in the background, begun when a segment
	// is full (0 = only on Snapshot).
	SnapshotBytes int64

	FS vfs.FS // nil = the operating system

	// background runs work beside the draws; tests run it in place.
	background func(func())
	// now is the clock; tests set it.
	now func() time.Time
}

func (c *Config) fill() error {
	if c.FS == nil {
		c.FS = vfs.OS{}
	}
	if c.background == nil {
		c.background = func(f func()) { go f() }
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.SegmentBytes == 0 {
		c.SegmentBytes = defaultSegmentBytes
	}
	if c.RelaxedEvery == 0 {
		c.RelaxedEvery = defaultRelaxedEvery
	}
	switch n := c.SegmentBytes; {
	case c.Durability > Relaxed:
		return invalid("durability", fmt.Sprintf("%d, expected 0 to %d", c.Durability, Relaxed))
	case n < minSegmentBytes || n > maxSegmentBytes || n%4096 != 0:
		return invalid("segment_bytes", fmt.Sprintf("%d, expected a multiple of 4096 from %d to %d",
			n, minSegmentBytes, maxSegmentBytes))
	case c.RelaxedEvery < 0:
		return invalid("relaxed_every", fmt.Sprintf("%d, expected at least 1", c.RelaxedEvery))
	case c.SnapshotBytes < 0:
		return invalid("snapshot_bytes", fmt.Sprintf("%d, expected at least 0", c.SnapshotBytes))
	}
	return nil
}
