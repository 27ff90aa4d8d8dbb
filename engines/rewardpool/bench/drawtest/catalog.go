package drawtest

import "fmt"

// Item is one entry of a catalog: its weight is its chance among the items in stock.
type Item struct {
	ID       string
	Quantity int64
	Weight   uint64
}

// AmpleCatalog has ten items of different weights that never run out in a benchmark.
func AmpleCatalog() []Item {
	items := make([]Item, 10)
	for i := range items {
		items[i] = Item{ID: fmt.Sprintf("item-%d", i), Quantity: 1 << 40, Weight: uint64(10 * (i + 1))}
	}
	return items
}

// publishedCatalog is the only catalog of the published benchmarks.
func publishedCatalog() []Item {
	return []Item{{ID: "gold", Quantity: 1_000_000, Weight: 100}}
}

// CompareStock compares what is left with what was there less what was won.
func CompareStock(initial []Item, left []int64, won []uint32) error {
	expected := make([]int64, len(initial))
	for i, item := range initial {
		expected[i] = item.Quantity
	}
	for i, item := range won {
		if int(item) >= len(expected) {
			return fmt.Errorf("draw %d won item %d of %d", i, item, len(expected))
		}
		expected[item]--
	}
	for i, item := range initial {
		if left[i] != expected[i] {
			return fmt.Errorf("%d of %s are left, expected %d", left[i], item.ID, expected[i])
		}
	}
	return nil
}
