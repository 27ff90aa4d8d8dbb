package rewardpool_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

func Example() {
	home, err := os.MkdirTemp("", "rewardpool-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)

	p, _, err := pool.Open(filepath.Join(home, "pool"), pool.Config{
		Durability: pool.Group,
		Items: []core.Item{
			{ID: "gold", Quantity: 1, Weight: 1},
			{ID: "silver", Quantity: 9, Weight: 9},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	item, err := p.Draw() // durable when it returns
	if err != nil {
		log.Fatal(err)
	}
	first, err := p.ItemID(item)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("one of two items:", first == "gold" || first == "silver")

	rest := make([]uint32, 20)
	n, err := p.DrawN(rest) // one frame of the log: all or nothing after a crash
	fmt.Println(n, err)
	if err := p.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// one of two items: true
	// 9 the pool is empty
}
