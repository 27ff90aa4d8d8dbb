package core

import (
	"fmt"
	"math"
	"slices"
)

// Update changes an item; nil fields stay. Quantity and Delta exclude each other.
type Update struct {
	Quantity *int64
	Delta    *int64 // added to a limited quantity
	Weight   *uint64
}

func itemField(i int) string { return fmt.Sprintf("items[%d].", i) }

// Add appends an item to the catalog.
func (s *State) Add(it Item) error {
	if len(s.ids) == MaxItems {
		return invalid("items", "more than %d", MaxItems)
	}
	s.names.reserve(1, s.ids)
	if err := s.add(it, ""); err != nil {
		return err
	}
	s.selection.restart(len(s.ids))
	return nil
}

// add appends an item for which names has room.
func (s *State) add(it Item, prefix string) error {
	if err := it.check(prefix); err != nil {
		return err
	}
	if _, taken := s.Index(it.ID); taken {
		return invalid(prefix+"id", "%q is already in the catalog", it.ID)
	}
	if err := s.checkMass(it.Weight, it.Quantity, 0, 0, prefix); err != nil {
		return err
	}
	s.push(it)
	s.names.insert(s.ids, uint32(len(s.ids)-1))
	return nil
}

// reserve makes room for n items.
func (s *State) reserve(n int) {
	s.ids = slices.Grow(s.ids, n)
	s.stock = slices.Grow(s.stock, n)
	s.weights = slices.Grow(s.weights, n)
	s.retired = slices.Grow(s.retired, n)
	s.names.reserve(n, s.ids)
}

// push appends a checked item, whose id the caller enters into names.
func (s *State) push(it Item) {
	s.ids = append(s.ids, it.ID)
	s.stock = append(s.stock, 0)
	s.weights = append(s.weights, 0)
	s.retired = append(s.retired, false)
	s.set(uint32(len(s.ids)-1), it.Weight, it.Quantity)
}

// set assigns weight and stock and keeps the totals.
func (s *State) set(item uint32, weight uint64, quantity int64) {
	old := s.massOf(item)
	s.weightSum += weight - s.weights[item]
	s.weights[item], s.stock[item] = weight, quantity
	mass := s.massOf(item)
	s.mass += mass - old
	if old > 0 {
		s.live--
	}
	if mass > 0 {
		s.live++
	}
}

func (s *State) massOf(item uint32) uint64 {
	m, _ := s.law.mass(s.weights[item], s.stock[item]) // fits: checkMass
	return m
}

// Update applies a change, or none of it.
func (s *State) Update(id string, u Update) error {
	item, ok := s.Index(id)
	if !ok {
		return ErrUnknownItem
	}
	it := s.item(item)
	switch {
	case u.Quantity != nil && u.Delta != nil:
		return invalid("delta", "given with quantity, expected one of them")
	case u.Quantity != nil:
		it.Quantity = *u.Quantity
	case u.Delta != nil:
		d := *u.Delta
		if it.Quantity == Unlimited {
			return invalid("delta", "%d for an unlimited item, expected quantity", d)
		}
		if d < -it.Quantity || d > math.MaxInt64-it.Quantity {
			return invalid("delta", "%d for %d remaining, expected a sum from 0 to %d", d, it.Quantity, int64(math.MaxInt64))
		}
		it.Quantity += d
	}
	if u.Weight != nil {
		it.Weight = *u.Weight
	}
	if err := it.check(""); err != nil {
		return err
	}
	if err := s.checkMass(it.Weight, it.Quantity, s.weights[item], s.stock[item], ""); err != nil {
		return err
	}
	s.change(item, it.Weight, it.Quantity)
	return nil
}

// Retire takes an item out of the catalog. Its index stays taken; its id may be
// added again and gets a new index.
func (s *State) Retire(id string) error {
	item, ok := s.Index(id)
	if !ok {
		return ErrUnknownItem
	}
	s.names.remove(s.ids, id)
	s.change(item, s.weights[item], 0)
	s.weightSum -= s.weights[item]
	s.retired[item] = true
	return nil
}

// checkMass refuses a change that would let a total exceed MaxTotalMass.
func (s *State) checkMass(weight uint64, quantity int64, oldWeight uint64, oldQuantity int64, prefix string) error {
	if sum := s.weightSum - oldWeight + weight; sum > MaxTotalMass {
		return invalid(prefix+"weight", "%d, the sum of the weights becomes %d, expected <= %d", weight, sum, uint64(MaxTotalMass))
	}
	old, _ := s.law.mass(oldWeight, oldQuantity)
	mass, ok := s.law.mass(weight, quantity)
	if !ok || mass > MaxTotalMass || s.mass-old+mass > MaxTotalMass {
		return invalid(prefix+"quantity", "%d of weight %d, the sum of weight x quantity exceeds %d", quantity, weight, uint64(MaxTotalMass))
	}
	return nil
}
