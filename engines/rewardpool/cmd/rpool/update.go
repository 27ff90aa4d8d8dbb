package main

import (
	"fmt"
	"io"

	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

func runUpdate(c *call) (err error) {
	id := c.flags.String("item", "", "id of the item (required)")
	quantity := c.flags.Int64("quantity", 0, "new stock; -1 is unlimited")
	add := c.flags.Int64("add", 0, "pieces to add to the stock, or to take when negative")
	weight := c.flags.Uint64("weight", 0, "new weight")
	if err := c.parse(); err != nil {
		return err
	}
	var change core.Update
	if c.given("quantity") {
		change.Quantity = quantity
	}
	if c.given("add") {
		change.Delta = add
	}
	if c.given("weight") {
		change.Weight = weight
	}
	if *id == "" || change == (core.Update{}) {
		return usageError("expected --item and at least one of --quantity, --add and --weight")
	}
	p, _, err := c.open(pool.Group)
	if err != nil {
		return err
	}
	defer closePool(p, &err)
	if err := p.Update(*id, change); err != nil {
		return fmt.Errorf("%s: %w", *id, err)
	}
	return c.print(struct {
		Item itemID `json:"item"`
	}{itemID(*id)}, func(w io.Writer) { fmt.Fprintf(w, "%s: updated\n", itemID(*id)) })
}
