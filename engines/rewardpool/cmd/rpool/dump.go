package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"assay/rewardpool/pool"
)

// jsonEvent is one line of the dump. Fields that an event does not have are left out.
type jsonEvent struct {
	LSN         uint64    `json:"lsn"`
	Kind        string    `json:"kind"`
	Item        itemID    `json:"item,omitempty"`
	Request     string    `json:"request,omitempty"`
	Quantity    *int64    `json:"quantity,omitempty"`
	Add         *int64    `json:"add,omitempty"`
	Weight      *uint64   `json:"weight,omitempty"`
	Added       *jsonItem `json:"added,omitempty"`
	SnapshotLSN *uint64   `json:"snapshot_lsn,omitempty"`
}

func newJSONEvent(e pool.Event) jsonEvent {
	j := jsonEvent{
		LSN:      e.LSN,
		Kind:     e.Kind.String(),
		Item:     itemID(e.ItemID),
		Quantity: e.Update.Quantity,
		Add:      e.Update.Delta,
		Weight:   e.Update.Weight,
	}
	if e.Request != nil {
		j.Request = hex.EncodeToString(e.Request[:])
	}
	switch e.Kind {
	case pool.EventAdd:
		added := newJSONItem(e.Added)
		j.Added = &added
	case pool.EventSnapshot:
		j.SnapshotLSN = &e.SnapshotLSN
	}
	return j
}

// runDump prints the history from the oldest snapshot on: JSON lines, or "<lsn> <kind> <item>".
func runDump(c *call) (err error) {
	if err := c.parse(); err != nil {
		return err
	}
	out := bufio.NewWriter(c.stdout)
	defer func() { err = errors.Join(err, out.Flush()) }()
	for event, err := range pool.Dump(c.dir) {
		if err != nil {
			return err
		}
		if err := printEvent(out, newJSONEvent(event), c.json); err != nil {
			return err
		}
	}
	return nil
}

func printEvent(w io.Writer, event jsonEvent, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(event)
	}
	_, err := fmt.Fprintf(w, "%d\t%s\t%s\n", event.LSN, event.Kind, event.Item)
	return err
}
