package bench

import (
	"errors"
	"fmt"
	"testing"

	"assay/gocommon/seed"
	"assay/rewardpool/bench/drawtest"
	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

// drawEngine drives our pool with the common draws: a call a draw or a batch.
var drawEngine = drawtest.Engine{
	Open: openPool,
	Durabilities: map[int][]string{
		1:      {"none", "mmap", "file", "each"},
		10_000: {"none", "mmap", "file", "group", "relaxed"},
	},
}

// inFlight is how many batches a pipelined caller has under way.
const inFlight = 3

type drawPool struct {
	pool       *pool.Pool
	dir        string
	durability pool.Durability
	commit     int
	items      []drawtest.Item
	before     pool.Stats
	hash       [32]byte // of the state before it was closed
}

func openPool(dir string, items []drawtest.Item, durability string, commit, draws int) (drawtest.Pool, error) {
	mode, err := pool.ParseDurability(durability)
	if err != nil {
		return nil, err
	}
	catalog := make([]core.Item, len(items))
	for i, item := range items {
		catalog[i] = core.Item(item)
	}
	start := seed.Bytes()
	p, _, err := pool.Open(dir, pool.Config{
		Durability:   mode,
		Items:        catalog,
		Seed:         &start,
		RelaxedEvery: commit,
		SegmentBytes: segmentBytes(draws * bytesPerDraw(mode, commit)),
	})
	if err != nil {
		return nil, err
	}
	return &drawPool{pool: p, dir: dir, durability: mode, commit: commit, items: items, before: p.Stats()}, nil
}

// bytesPerDraw is what a draw takes in the log, rounded up.
func bytesPerDraw(mode pool.Durability, commit int) int {
	if commit == 1 || mode == pool.Relaxed {
		return 16
	}
	return 2
}

// segmentBytes is the size of segments of which a quarter holds the log, so that the next one,
// which is prepared in the background behind that, does not fall into the timed part. Logs that
// need more than the largest of these segments do begin and prepare segments.
func segmentBytes(log int) int64 {
	const block, largest = 64 << 10, 64 << 20
	return min(int64(4*log/block+2)*block, largest)
}

func (d *drawPool) Draw(won []uint32) (int, error) {
	switch {
	case d.durability == pool.Group && d.commit > 1:
		return d.drawPipelined(won)
	case d.durability != pool.Relaxed && d.commit > 1:
		return d.drawBatches(won)
	}
	return d.drawSingly(won)
}

// drawSingly makes a call for each place of won; empty ones are not counted.
func (d *drawPool) drawSingly(won []uint32) (n int, err error) {
	for range won {
		item, err := d.pool.Draw()
		if err == nil {
			won[n] = item
			n++
		} else if !errors.Is(err, pool.ErrEmpty) {
			return n, err
		}
	}
	return n, nil
}

// drawBatches makes a call for each batch; at the end of the stock it goes on singly, so that each
// empty draw is a call that was refused.
func (d *drawPool) drawBatches(won []uint32) (n int, err error) {
	for n < len(won) {
		got, err := d.pool.DrawN(won[n:min(n+d.commit, len(won))])
		n += got
		if errors.Is(err, pool.ErrEmpty) {
			more, err := d.drawSingly(won[n:])
			return n + more, err
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// drawPipelined has a few batches under way; the time ends when the last one is durable. At the end
// of the stock it goes on as drawBatches does.
func (d *drawPool) drawPipelined(won []uint32) (n int, err error) {
	var tickets [inFlight]pool.Ticket
	begun, done, empty := 0, 0, false
	for at := 0; (at < len(won) && !empty) || done < begun; {
		if at < len(won) && !empty && begun-done < inFlight {
			end := min(at+d.commit, len(won))
			tickets[begun%inFlight] = d.pool.Submit(won[at:end])
			begun++
			at = end
			continue
		}
		got, err := tickets[done%inFlight].Wait()
		done++
		n += got
		if errors.Is(err, pool.ErrEmpty) {
			empty = true
		} else if err != nil {
			return n, err
		}
	}
	if !empty {
		return n, nil
	}
	more, err := d.drawSingly(won[n:])
	return n + more, err
}

func (d *drawPool) Close() (drawtest.Counters, error) {
	hash, err := d.pool.StateHash()
	if err != nil {
		return drawtest.Counters{}, err
	}
	d.hash = hash
	end := d.pool.Stats()
	return drawtest.Counters{
		Syncs:    end.Syncs - d.before.Syncs,
		WALBytes: int64(end.WALBytes - d.before.WALBytes),
		FileSize: int64(end.WALFileSize),
	}, d.pool.Close()
}

func (d *drawPool) Check(won []uint32) error {
	p, _, err := pool.Open(d.dir, pool.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	hash, err := p.StateHash()
	if err != nil {
		return err
	}
	if hash != d.hash {
		return fmt.Errorf("the recovered state has hash %x, before closing it was %x", hash, d.hash)
	}
	if draws := p.Stats().Draws; draws != uint64(len(won)) {
		return fmt.Errorf("%d draws recovered, %d acknowledged", draws, len(won))
	}
	items, err := p.Items()
	if err != nil {
		return err
	}
	left := make([]int64, len(items))
	for i, item := range items {
		left[i] = item.Quantity
	}
	return errors.Join(drawtest.CompareStock(d.items, left, won), p.Close())
}

func TestDraw(t *testing.T) { drawtest.Verify(t, drawEngine) }

func BenchmarkDraw(b *testing.B) { drawtest.BenchmarkDraw(b, drawEngine) }

func BenchmarkPublishedStock(b *testing.B) { drawtest.BenchmarkPublishedStock(b, drawEngine) }
