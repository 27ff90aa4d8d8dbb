package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"assay/rewardpool/core"
	"assay/rewardpool/pool"
)

func runInit(c *call) error {
	catalog := c.flags.String("catalog", "", "JSON file with an array of {id, quantity, weight}; quantity -1 is unlimited")
	var given itemFlags
	c.flags.Var(&given, "item", "an item as id:quantity:weight (may be repeated)")
	numbered := c.flags.Int("numbered", 0, "make this number of unlimited items item-0, item-1, ...")
	lawName := c.flags.String("law", core.LawClass.String(), "class (chances by weight) or unit (by weight and stock)")
	rngName := c.flags.String("rng", core.RNGChaCha8.String(), "random number generator: chacha8, or wyrand for simulations")
	seed := c.flags.Uint64("seed", 0, "seed of the draws (default: 256 bits from the operating system)")
	window := c.flags.Int("window", core.DefaultWindow, "request ids that are remembered")
	if err := c.parse(); err != nil {
		return err
	}
	items, err := catalogOf(*catalog, given, *numbered)
	if err != nil {
		return err
	}
	cfg := pool.Config{Durability: pool.None, Items: items, Window: *window}
	if cfg.Law, err = core.ParseLaw(*lawName); err != nil {
		return err
	}
	if cfg.RNG, err = core.ParseRNG(*rngName); err != nil {
		return err
	}
	if c.given("seed") {
		cfg.Seed = new([32]byte)
		binary.LittleEndian.PutUint64(cfg.Seed[:], *seed)
	}
	p, report, err := pool.Open(c.dir, cfg)
	if err != nil {
		return err
	}
	if !report.Created {
		return errors.Join(usageError(c.dir+" holds a pool already"), p.Close())
	}
	if err := p.Close(); err != nil {
		return err
	}
	result := struct {
		Dir   string `json:"dir"`
		Items int    `json:"items"`
	}{c.dir, len(items)}
	return c.print(result, func(w io.Writer) { fmt.Fprintf(w, "%s: a pool of %d items\n", c.dir, len(items)) })
}

// catalogOf returns the items of the one source that is given.
func catalogOf(path string, given []core.Item, numbered int) ([]core.Item, error) {
	switch {
	case path != "" && len(given) == 0 && numbered == 0:
		return readCatalog(path)
	case path == "" && len(given) > 0 && numbered == 0:
		return given, nil
	case path == "" && len(given) == 0 && numbered > 0 && numbered <= core.MaxItems:
		return numberedItems(numbered), nil
	}
	return nil, usageError(fmt.Sprintf("expected one of --catalog, --item and --numbered (1 to %d)", core.MaxItems))
}
