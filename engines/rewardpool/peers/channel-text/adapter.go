package channeltext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/gocommon/seed"
	"assay/rewardpool/bench/drawtest"
)

// engine drives the pool with the common draws, a request each.
var engine = drawtest.Engine{
	Open: openPool,
	Durabilities: map[int][]string{
		1:      {"none", "mmap", "file"},
		10_000: {"none", "relaxed-mmap", "relaxed"},
	},
}

// window is how many replies are awaited together. Waiting for each one alone would add two
// goroutine switches to every draw.
const window = 512

type drawPool struct {
	pool  *Pool
	path  string // of the log, empty without one
	items []drawtest.Item
	index map[string]uint32
	left  []int64 // stock before it was closed
}

func openPool(dir string, items []drawtest.Item, durability string, commit, draws int) (drawtest.Pool, error) {
	catalog := make([]Item, len(items))
	for i, item := range items {
		catalog[i] = Item{ID: item.ID, Quantity: item.Quantity, Weight: int64(item.Weight)}
	}
	cfg := Config{
		Items:      catalog,
		Path:       filepath.Join(dir, "wal"),
		FlushEvery: commit,
		Queue:      window,
		Seed:       int64(seed.Number()),
	}
	switch durability {
	case "none":
		cfg.Storage = None
	case "file", "relaxed":
		cfg.Storage = File
	case "mmap", "relaxed-mmap":
		cfg.Storage = Mmap
		cfg.MapBytes = draws * len("DRAW 1234567890 item-0\n")
	default:
		return nil, fmt.Errorf("expected a durability of engine.Durabilities, found %q", durability)
	}
	p, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	d := &drawPool{pool: p, items: items, index: make(map[string]uint32, len(items))}
	if cfg.Storage != None {
		d.path = cfg.Path
	}
	for i, item := range items {
		d.index[item.ID] = uint32(i)
	}
	return d, nil
}

func (d *drawPool) Draw(won []uint32) (n int, err error) {
	replies := make([]<-chan Reply, 0, window)
	for left := len(won); left > 0; left -= len(replies) {
		replies = replies[:0]
		for range min(window, left) {
			replies = append(replies, d.pool.Draw())
		}
		for _, reply := range replies {
			r := <-reply
			if r.Err == nil {
				won[n] = d.index[r.ItemID]
				n++
			} else if !errors.Is(r.Err, ErrEmpty) {
				return n, r.Err
			}
		}
	}
	return n, nil
}

func (d *drawPool) Close() (drawtest.Counters, error) {
	items, syncs, err := d.pool.State()
	if err != nil {
		return drawtest.Counters{}, err
	}
	for _, item := range items {
		d.left = append(d.left, item.Quantity)
	}
	end := drawtest.Counters{Syncs: uint64(syncs)}
	if err := d.pool.Close(); err != nil || d.path == "" {
		return end, err
	}
	info, err := os.Stat(d.path)
	if err != nil {
		return end, err
	}
	end.WALBytes, end.FileSize = info.Size(), info.Size()
	return end, nil
}

func (d *drawPool) Check(won []uint32) error {
	if err := drawtest.CompareStock(d.items, d.left, won); err != nil || d.path == "" {
		return err
	}
	n := 0
	err := ReadLog(d.path, func(_ uint64, id string) error {
		if id == "" {
			return nil
		}
		if n == len(won) || d.items[won[n]].ID != id {
			return fmt.Errorf("winning draw %d is %s, which was not acknowledged", n, id)
		}
		n++
		return nil
	})
	if err == nil && n != len(won) {
		err = fmt.Errorf("%d winning draws in the log, %d acknowledged", n, len(won))
	}
	return err
}
