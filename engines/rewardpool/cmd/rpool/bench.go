package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"assay/rewardpool/pool"
)

type benchResult struct {
	Durability string  `json:"durability"`
	Survives   string  `json:"survives"`
	Draws      int     `json:"draws"`
	Batch      int     `json:"batch"`
	NsPerDraw  float64 `json:"ns_per_draw"`
	Syncs      uint64  `json:"syncs"`
	WALBytes   uint64  `json:"wal_bytes"`
}

func runBench(c *call) (err error) {
	count := c.flags.Int("count", 1_000_000, "number of draws")
	batch := c.flags.Int("batch", 10_000, "draws that are logged together")
	durability := c.durabilityFlag()
	parent := c.flags.String("in", ".", "directory in which a pool is made, and removed afterwards")
	if err := c.parseFlags(); err != nil {
		return err
	}
	if *count < 1 || *batch < 1 || *batch > pool.MaxDraws {
		return usageError(fmt.Sprintf("--count is %d and --batch %d, expected at least 1 and 1 to %d", *count, *batch, pool.MaxDraws))
	}
	home, err := os.MkdirTemp(*parent, "rpool-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	result, err := benchDraws(filepath.Join(home, "pool"), durability.mode, *count, *batch, newProgress(c.stderr, *count))
	if err != nil {
		return err
	}
	return c.print(result, result.text)
}

// benchDraws times draws of a new pool in dir, then opens it again and compares what it finds.
func benchDraws(dir string, mode pool.Durability, count, batch int, progress *progress) (*benchResult, error) {
	p, _, err := pool.Open(dir, pool.Config{Durability: mode, Items: numberedItems(10), Seed: &[32]byte{}})
	if err != nil {
		return nil, err
	}
	before := p.Stats()
	start := time.Now()
	err = drawMany(p, count, batch, func(won []uint32) { progress.add(len(won)) })
	elapsed := time.Since(start)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	after := p.Stats()
	hash, err := p.StateHash()
	if err := errors.Join(err, p.Close(), checkReopened(dir, uint64(count), hash)); err != nil {
		return nil, err
	}
	return &benchResult{
		Durability: mode.String(),
		Survives:   mode.Survives(),
		Draws:      count,
		Batch:      batch,
		NsPerDraw:  float64(elapsed.Nanoseconds()) / float64(count),
		Syncs:      after.Syncs - before.Syncs,
		WALBytes:   after.WALBytes - before.WALBytes,
	}, nil
}

func checkReopened(dir string, draws uint64, hash [32]byte) error {
	p, _, err := pool.Open(dir, pool.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	got, err := p.StateHash()
	switch found := p.Stats().Draws; {
	case err != nil:
	case found != draws:
		err = fmt.Errorf("%d draws after opening the pool again, %d acknowledged", found, draws)
	case got != hash:
		err = fmt.Errorf("state %x after opening the pool again, %x before", got, hash)
	}
	return errors.Join(err, p.Close())
}

func (r *benchResult) text(w io.Writer) {
	fmt.Fprintf(w, "%d draws in batches of %d, durability %s: %.1f ns a draw, %d syncs, %d bytes of log\n",
		r.Draws, r.Batch, r.Durability, r.NsPerDraw, r.Syncs, r.WALBytes)
	fmt.Fprintf(w, "%s Opened again, the pool holds all draws.\n", r.Survives)
}
