package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

type itemCount struct {
	ID    itemID `json:"id"`
	Count uint64 `json:"count"`
}

type drawResult struct {
	Draws    int         `json:"draws"`
	Items    []itemCount `json:"items"`
	Replayed bool        `json:"replayed,omitempty"`
}

func runDraw(c *call) (err error) {
	count := c.flags.Int("count", 1, "number of draws")
	batch := c.flags.Int("batch", 10_000, "draws that are logged together")
	request := c.flags.String("request", "", "id of the request, 32 hex digits as of a UUIDv7: the same id gets the same item")
	durability := c.durabilityFlag()
	if err := c.parse(); err != nil {
		return err
	}
	if *count < 1 || *batch < 1 || *batch > pool.MaxDraws {
		return usageError(fmt.Sprintf("--count is %d and --batch %d, expected at least 1 and 1 to %d", *count, *batch, pool.MaxDraws))
	}
	p, _, err := c.open(durability.mode)
	if err != nil {
		return err
	}
	defer closePool(p, &err)

	var result drawResult
	var drawErr error
	counts := map[uint32]uint64{}
	if *request != "" {
		if *count != 1 {
			return usageError("--request draws one item, but --count is given")
		}
		result.Replayed, drawErr = drawRequest(p, *request, counts)
	} else {
		progress := newProgress(c.stderr, *count)
		drawErr = drawMany(p, *count, *batch, func(won []uint32) {
			for _, item := range won {
				counts[item]++
			}
			progress.add(len(won))
		})
	}
	if len(counts) == 0 && drawErr != nil && !errors.Is(drawErr, pool.ErrEmpty) {
		return drawErr
	}
	if err := result.fill(p, counts); err != nil {
		return err
	}
	return errors.Join(c.print(result, result.text), drawErr)
}

// drawMany makes count draws, batch by batch, and passes the items of each batch to tell; they are
// valid during the call.
func drawMany(p *pool.Pool, count, batch int, tell func(won []uint32)) error {
	items := make([]uint32, min(count, batch))
	for left := count; left > 0; {
		n, err := drawBatch(p, items[:min(left, batch)])
		tell(items[:n])
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

func drawBatch(p *pool.Pool, items []uint32) (n int, err error) {
	if len(items) > 1 {
		return p.DrawN(items)
	}
	if items[0], err = p.Draw(); err != nil {
		return 0, err
	}
	return 1, nil
}

func drawRequest(p *pool.Pool, text string, counts map[uint32]uint64) (replayed bool, err error) {
	bytes, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil || len(bytes) != len(core.RequestID{}) {
		return false, usageError(fmt.Sprintf("--request is %q, expected 32 hex digits", text))
	}
	item, replayed, err := p.DrawID(core.RequestID(bytes))
	if err == nil {
		counts[item]++
	}
	return replayed, err
}

// fill names the items that were won, in the order of the catalog.
func (r *drawResult) fill(p *pool.Pool, counts map[uint32]uint64) error {
	r.Items = []itemCount{}
	for _, item := range slices.Sorted(maps.Keys(counts)) {
		id, err := p.ItemID(item)
		if err != nil {
			return err
		}
		r.Items = append(r.Items, itemCount{itemID(id), counts[item]})
		r.Draws += int(counts[item])
	}
	return nil
}

func (r *drawResult) text(w io.Writer) {
	for _, item := range r.Items {
		fmt.Fprintf(w, "%s\t%d\n", item.ID, item.Count)
	}
}
