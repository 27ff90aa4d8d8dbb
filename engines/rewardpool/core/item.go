package core

import "math"

// Unlimited is the quantity of an item that never runs out.
const Unlimited int64 = -1

// NoItem is no valid item index.
const NoItem uint32 = math.MaxUint32

// Bounds of a catalog.
const (
	MaxItems     = 1 << 24
	MaxIDBytes   = 255
	MaxWeight    = 1 << 40
	MaxTotalMass = 1<<62 - 1 // sum of the weights; for LawUnit also of weight x quantity
)

// Item is one entry of the catalog.
type Item struct {
	ID       string // 1 to MaxIDBytes bytes, any bytes
	Quantity int64  // >= 0, or Unlimited
	Weight   uint64 // <= MaxWeight; 0 is never drawn
}

// check reports the first rule that it breaks, naming fields below prefix.
func (it *Item) check(prefix string) error {
	if len(it.ID) == 0 || len(it.ID) > MaxIDBytes {
		return invalid(prefix+"id", "%d bytes, expected 1 to %d", len(it.ID), MaxIDBytes)
	}
	if it.Quantity < Unlimited {
		return invalid(prefix+"quantity", "%d, expected >= 0 or %d (unlimited)", it.Quantity, Unlimited)
	}
	if it.Weight > MaxWeight {
		return invalid(prefix+"weight", "%d, expected <= %d", it.Weight, uint64(MaxWeight))
	}
	return nil
}
