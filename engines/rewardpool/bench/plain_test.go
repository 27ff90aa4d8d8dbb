package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/gocommon/seed"
	"assay/rewardpool/channeltext"
	"assay/rewardpool/core"
)

// window is how many replies of the plain design are awaited together. Waiting for each one alone
// would add two goroutine switches to every draw.
const window = 512

// plain is the stand-in of the published engine.
type plain struct {
	pool  *channeltext.Pool
	path  string // of the log, empty without one
	items []core.Item
	index map[string]uint32
	left  []int64 // stock before it was closed
}

func openPlain(dir string, items []core.Item, durability string, commit, draws int) (contender, error) {
	cfg := channeltext.Config{
		Items:      plainItems(items),
		Path:       filepath.Join(dir, "wal"),
		FlushEvery: commit,
		Queue:      window,
		Seed:       int64(seed.Number()),
	}
	switch durability {
	case "none":
		cfg.Storage = channeltext.None
	case "file", "relaxed":
		cfg.Storage = channeltext.File
	case "mmap", "relaxed-mmap":
		cfg.Storage = channeltext.Mmap
		cfg.MapBytes = draws * len("DRAW 1234567890 item-0\n")
	default:
		return nil, fmt.Errorf("the plain design has no durability %q", durability)
	}
	p, err := channeltext.Open(cfg)
	if err != nil {
		return nil, err
	}
	c := &plain{pool: p, items: items, index: make(map[string]uint32, len(items))}
	if cfg.Storage != channeltext.None {
		c.path = cfg.Path
	}
	for i, item := range items {
		c.index[item.ID] = uint32(i)
	}
	return c, nil
}

func (p *plain) draw(won []uint32) (n int, err error) {
	replies := make([]<-chan channeltext.Reply, 0, window)
	for left := len(won); left > 0; left -= len(replies) {
		replies = replies[:0]
		for range min(window, left) {
			replies = append(replies, p.pool.Draw())
		}
		for _, reply := range replies {
			r := <-reply
			if r.Err == nil {
				won[n] = p.index[r.ItemID]
				n++
			} else if !errors.Is(r.Err, channeltext.ErrEmpty) {
				return n, r.Err
			}
		}
	}
	return n, nil
}

func (p *plain) close() (counters, error) {
	items, syncs, err := p.pool.State()
	if err != nil {
		return counters{}, err
	}
	for _, item := range items {
		p.left = append(p.left, item.Quantity)
	}
	end := counters{syncs: uint64(syncs)}
	if err := p.pool.Close(); err != nil || p.path == "" {
		return end, err
	}
	info, err := os.Stat(p.path)
	if err != nil {
		return end, err
	}
	end.walBytes, end.fileSize = info.Size(), info.Size()
	return end, nil
}

func (p *plain) check(won []uint32) error {
	if err := compareStock(p.items, p.left, won); err != nil || p.path == "" {
		return err
	}
	n := 0
	err := channeltext.ReadLog(p.path, func(_ uint64, id string) error {
		if id == "" {
			return nil
		}
		if n == len(won) || p.items[won[n]].ID != id {
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
