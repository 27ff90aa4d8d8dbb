package main

import (
	"fmt"
	"io"

	"assay/rewardpool/pool"
)

func runSnapshot(c *call) (err error) {
	if err := c.parse(); err != nil {
		return err
	}
	p, report, err := c.open(pool.Group)
	if err != nil {
		return err
	}
	defer closePool(p, &err)
	if err := p.Snapshot(); err != nil {
		return err
	}
	return c.print(struct {
		LSN uint64 `json:"lsn"`
	}{report.LSN}, func(w io.Writer) { fmt.Fprintf(w, "snapshot at lsn %d\n", report.LSN) })
}
