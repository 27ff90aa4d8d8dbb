package core

// Draw draws one item. ok is false when no item has mass; then nothing changes,
// the random numbers included.
func (s *State) Draw() (item uint32, ok bool) {
	if table := s.selection.table; table != nil && s.live > 1 {
		s.draws++
		return s.drawOne(table), true
	}
	var one [1]uint32
	n := s.DrawN(one[:])
	return one[0], n == 1
}

// DrawN fills dst as len(dst) calls of Draw would, and returns how many
// succeeded: fewer when the pool runs empty; then the rest of dst is undefined.
func (s *State) DrawN(dst []uint32) int {
	n := 0
	for n < len(dst) && s.live > 0 {
		if s.live == 1 {
			n += s.drawSole(dst[n:])
		} else if table := s.aliasTable(); table == nil {
			n += s.drawTree(dst[n:])
		} else if s.law == LawUnit {
			n += s.drawUnits(table, dst[n:])
		} else {
			n += s.drawClass(table, dst[n:])
		}
	}
	s.draws += uint64(n)
	return n
}

// Reproduce draws len(want) items and compares them with want. After an error
// the state must not be used.
func (s *State) Reproduce(want []uint32) error {
	var got [512]uint32
	for at := 0; at < len(want); {
		part := want[at:min(at+len(got), len(want))]
		n := s.DrawN(got[:len(part)])
		for i, w := range part {
			if i >= n {
				return &DivergedError{Index: at + i, Got: NoItem, Want: w}
			}
			if got[i] != w {
				return &DivergedError{Index: at + i, Got: got[i], Want: w}
			}
		}
		at += n
	}
	return nil
}

// The functions below draw until dst is full or the choice of the function may
// have to change, and return how many they drew.

// drawSole needs no random number.
func (s *State) drawSole(dst []uint32) int {
	item := s.soleItem()
	n := len(dst)
	if left := s.stock[item]; left != Unlimited {
		n = int(min(int64(n), left))
		s.takeMass(item, int64(n))
	}
	for i := range dst[:n] {
		dst[i] = item
	}
	return n
}

// drawClass works on a block of random words in two passes, so that the cache
// misses of the table overlap, and then those of the stock. Whether a draw meets
// an exhausted item is random: the second pass stores first and counts the draw
// if the item had stock, and its only branch is rarely taken.
func (s *State) drawClass(table *alias, dst []uint32) int {
	r, stock := s.rand, s.stock
	n := 0
	for n < len(dst) {
		words := r.words()
		words = words[:min(len(words), len(dst)-n)]
		part := dst[n : n+table.pickEach(dst[n:], words)]
		for i, item := range part {
			left := stock[item]
			stock[item] = left - oneIfLimited(left)
			dst[n] = item
			n += oneUnlessZero(left)
			if left == 1 {
				r.next += i + 1
				s.exhausted(item)
				return n
			}
		}
		r.next += len(part)
		if len(part) < len(words) && n < len(dst) {
			dst[n] = s.drawOne(table) // an undecided word
			return n + 1
		}
	}
	return n
}

// drawUnits draws one at a time, because each draw changes the masses.
func (s *State) drawUnits(table *alias, dst []uint32) int {
	n := 0
	for n < len(dst) && s.live > 1 && s.selection.table == table {
		dst[n] = s.drawOne(table)
		n++
	}
	return n
}

// drawOne picks an item of the table and accepts it with the part of its listed
// mass that is left, until one is accepted.
func (s *State) drawOne(table *alias) uint32 {
	for {
		item := table.pick(s.rand)
		left := s.stock[item]
		if s.law == LawUnit {
			if s.rand.below(tickets(s.selection.listed[item])) >= tickets(left) {
				continue
			}
		} else if left == 0 {
			continue
		}
		if left != Unlimited {
			s.takeMass(item, 1)
			s.checkTable()
		}
		return item
	}
}

// tickets is what an item holds in the urn of LawUnit.
func tickets(quantity int64) uint64 {
	if quantity == Unlimited {
		return 1
	}
	return uint64(quantity)
}

// oneIfLimited is 1 for a stock > 0, 0 for none and for Unlimited.
func oneIfLimited(left int64) int64 { return int64(uint64(-left) >> 63) }

// oneUnlessZero is 1 for a stock > 0 and for Unlimited.
func oneUnlessZero(left int64) int { return int(uint64(left|-left) >> 63) }

// exhausted accounts for an item of the table whose stock became 0.
func (s *State) exhausted(item uint32) {
	s.mass -= s.weights[item]
	s.live--
	s.checkTable()
}

func (s *State) drawTree(dst []uint32) int {
	tree, c := s.sumTree(), &s.selection
	n := 0
	for n < len(dst) && s.live > 1 {
		item := uint32(tree.find(s.rand.below(s.mass)))
		dst[n] = item
		n++
		if s.stock[item] != Unlimited {
			s.takeMass(item, 1)
		}
		if c.wait > 0 {
			c.wait--
			if c.wait == 0 {
				break
			}
		}
	}
	return n
}

// takeMass takes n units of a limited item and their mass, in the tree as well.
func (s *State) takeMass(item uint32, n int64) {
	left := s.stock[item] - n
	s.stock[item] = left
	if left == 0 {
		s.live--
	}
	lost := s.weights[item]
	if s.law == LawUnit {
		lost *= uint64(n)
	} else if left > 0 {
		return
	}
	s.mass -= lost
	if tree := s.selection.tree; tree != nil {
		tree.add(int(item), -lost)
	}
}
