package channeltext

import "fmt"

// Unlimited is the quantity of an item that never runs out.
const Unlimited = -1

// Item is one entry of the catalog. A stocked item is drawn with probability weight / (sum of the
// weights of stocked items).
type Item struct {
	ID       string
	Quantity int64 // pieces, or Unlimited
	Weight   int64
}

// catalog holds the stock by name. A staged draw has left the stock but can still be put back.
type catalog struct {
	items  map[string]*Item
	index  map[string]int
	names  []string
	weight *fenwick
	staged []string
}

func newCatalog(items []Item) (*catalog, error) {
	c := &catalog{
		items:  make(map[string]*Item, len(items)),
		index:  make(map[string]int, len(items)),
		weight: newFenwick(len(items)),
	}
	for i, item := range items {
		if item.ID == "" || item.Quantity < Unlimited || item.Weight < 0 || c.items[item.ID] != nil {
			return nil, fmt.Errorf("items[%d]: %+v: expected a new name, a quantity of at least -1 and a weight of at least 0", i, item)
		}
		c.items[item.ID] = &item
		c.index[item.ID] = i
		c.names = append(c.names, item.ID)
		if item.Quantity != 0 {
			c.weight.add(i, item.Weight)
		}
	}
	return c, nil
}

// stage draws an item and takes it out of the stock; ok is false when nothing is left.
func (c *catalog) stage(random func(int64) int64) (id string, ok bool) {
	total := c.weight.sum()
	if total == 0 {
		return "", false
	}
	id = c.names[c.weight.find(random(total))]
	item := c.items[id]
	if item.Quantity != Unlimited {
		item.Quantity--
		if item.Quantity == 0 {
			c.weight.add(c.index[id], -item.Weight)
		}
	}
	c.staged = append(c.staged, id)
	return id, true
}

// commit makes the staged draws final.
func (c *catalog) commit() { c.staged = c.staged[:0] }

// revert puts the staged draws back.
func (c *catalog) revert() {
	for _, id := range c.staged {
		item := c.items[id]
		if item.Quantity == Unlimited {
			continue
		}
		if item.Quantity == 0 {
			c.weight.add(c.index[id], item.Weight)
		}
		item.Quantity++
	}
	c.staged = c.staged[:0]
}

func (c *catalog) state() []Item {
	items := make([]Item, 0, len(c.names))
	for _, id := range c.names {
		items = append(items, *c.items[id])
	}
	return items
}
