package bench

import (
	"fmt"

	"assay/rewardpool/channeltext"
	"assay/rewardpool/core"
)

// ampleCatalog has ten items of different weights that never run out in a benchmark.
func ampleCatalog() []core.Item {
	items := make([]core.Item, 10)
	for i := range items {
		items[i] = core.Item{ID: fmt.Sprintf("item-%d", i), Quantity: 1 << 40, Weight: uint64(10 * (i + 1))}
	}
	return items
}

// publishedCatalog is the only catalog of the published benchmarks.
func publishedCatalog() []core.Item {
	return []core.Item{{ID: "gold", Quantity: 1_000_000, Weight: 100}}
}

func plainItems(items []core.Item) []channeltext.Item {
	plain := make([]channeltext.Item, len(items))
	for i, item := range items {
		plain[i] = channeltext.Item{ID: item.ID, Quantity: item.Quantity, Weight: int64(item.Weight)}
	}
	return plain
}
