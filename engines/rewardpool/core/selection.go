package core

// selection says how the next item is found. It depends on the history of the
// state alone, never on time, so that a replay finds the same items.
//
// Draws use an alias table of the masses at the time it was listed, and accept
// an item with the part of its listed mass that is left: for LawClass all or
// nothing. When less than half of the mass is left the table is listed again. A
// change that the table cannot show sends a large catalog to the tree, for as
// many draws as there are items, so that listing is paid for.
type selection struct {
	listed     []int64 // quantities in the alias table, for LawClass 0 or 1; nil: the tree is used
	listedMass uint64
	wait       int // draws left on the tree before listing

	table *alias   // of listed, built when needed
	tree  *sumTree // of the masses, built when needed
	sole  uint32   // likely the only item with mass
}

// listAtOnce is the size of a catalog up to which listing costs about as much
// as a few thousand draws, and is not put off.
const listAtOnce = 4096

// restart drops the table and the tree of a catalog of n items.
func (c *selection) restart(n int) {
	*c = selection{sole: c.sole}
	if n > listAtOnce {
		c.wait = n
	}
}

// list makes the items with mass the listed ones.
func (s *State) list() {
	c := &s.selection
	if c.listed == nil {
		c.listed = make([]int64, len(s.ids))
	}
	for i := range c.listed {
		c.listed[i] = 0
		if s.massOf(uint32(i)) > 0 {
			c.listed[i] = s.stock[i]
			if s.law == LawClass {
				c.listed[i] = 1
			}
		}
	}
	c.listedMass = s.mass
	c.table, c.tree = nil, nil
}

// change assigns weight and stock between draws.
func (s *State) change(item uint32, weight uint64, quantity int64) {
	c := &s.selection
	oldMass, oldWeight := s.massOf(item), s.weights[item]
	s.set(item, weight, quantity)
	mass := s.massOf(item)
	if mass == oldMass && weight == oldWeight {
		return
	}
	if c.listed != nil {
		listed, _ := s.law.mass(oldWeight, c.listed[item])
		if mass > listed || listed > 0 && weight != oldWeight {
			c.restart(len(s.ids))
		} else {
			s.checkTable()
		}
		return
	}
	if c.tree != nil {
		c.tree.add(int(item), mass-oldMass)
	}
	if len(s.ids) > listAtOnce {
		c.wait = len(s.ids)
	}
}

// aliasTable returns the table to draw from, listing first when it is time to, with
// two items of mass or more; nil means that the tree is used.
func (s *State) aliasTable() *alias {
	c := &s.selection
	if c.listed == nil {
		if c.wait > 0 {
			return nil
		}
		s.list()
	} else if s.overdue() {
		s.list()
	}
	if c.table == nil {
		masses := make([]uint64, len(c.listed))
		for i, quantity := range c.listed {
			masses[i], _ = s.law.mass(s.weights[i], quantity)
		}
		c.table = newAlias(masses, c.listedMass)
	}
	return c.table
}

// overdue says that less than half of the mass in the table is left.
func (s *State) overdue() bool { return s.mass < s.selection.listedMass-s.mass }

// checkTable drops a table that is overdue: one that is there can be drawn from.
func (s *State) checkTable() {
	if s.overdue() {
		s.selection.table = nil
	}
}

// sumTree returns the tree of the masses.
func (s *State) sumTree() *sumTree {
	c := &s.selection
	if c.tree == nil {
		masses := make([]uint64, len(s.ids))
		for i := range masses {
			masses[i] = s.massOf(uint32(i))
		}
		c.tree = newSumTree(masses)
	}
	return c.tree
}

// soleItem returns the only item with mass.
func (s *State) soleItem() uint32 {
	c := &s.selection
	if int(c.sole) >= len(s.ids) || s.massOf(c.sole) == 0 {
		for c.sole = 0; s.massOf(c.sole) == 0; {
			c.sole++
		}
	}
	return c.sole
}
