package main

import (
	"encoding/hex"
	"fmt"
	"io"

	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

type stateResult struct {
	Items     []jsonItem `json:"items,omitzero"` // nil with --summary
	Draws     uint64     `json:"draws"`
	LSN       uint64     `json:"lsn"`
	Hash      string     `json:"hash"`
	Replayed  uint64     `json:"replayed"`   // draws executed again to get here
	TornBytes int64      `json:"torn_bytes"` // of a tail that was never acknowledged as durable
}

func runState(c *call) (err error) {
	summary := c.flags.Bool("summary", false, "leave out the items")
	if err := c.parse(); err != nil {
		return err
	}
	p, report, err := pool.Open(c.dir, pool.Config{ReadOnly: true})
	if err != nil {
		return err
	}
	defer closePool(p, &err)
	hash, err := p.StateHash()
	if err != nil {
		return err
	}
	result := stateResult{
		Draws:     p.Stats().Draws,
		LSN:       report.LSN,
		Hash:      hex.EncodeToString(hash[:]),
		Replayed:  report.Draws,
		TornBytes: report.TruncatedBytes,
	}
	if !*summary {
		items, err := p.Items()
		if err != nil {
			return err
		}
		result.Items = make([]jsonItem, len(items))
		for i, item := range items {
			result.Items[i] = newJSONItem(item)
		}
	}
	return c.print(result, result.text)
}

func (r *stateResult) text(w io.Writer) {
	if r.Items != nil {
		fmt.Fprintf(w, "item\tquantity\tweight\n")
	}
	for _, item := range r.Items {
		quantity := fmt.Sprint(item.Quantity)
		if item.Quantity == core.Unlimited {
			quantity = "unlimited"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\n", item.ID, quantity, item.Weight)
	}
	fmt.Fprintf(w, "%d draws, lsn %d, hash %s, %d draws replayed\n", r.Draws, r.LSN, r.Hash, r.Replayed)
	if r.TornBytes > 0 {
		fmt.Fprintf(w, "%d bytes of a torn tail were left out\n", r.TornBytes)
	}
}
