package core

// Selector picks items with probability weight / total, with replacement.
type Selector interface {
	Pick(r *Rand) uint32
}

// NewSelector builds the selector called alias, fenwick, sumtree or prefix.
func NewSelector(kind string, weights []uint64) (Selector, error) {
	var total uint64
	positive := 0
	for _, w := range weights {
		if w > MaxWeight {
			return nil, invalid("weights", "%d, expected <= %d", w, uint64(MaxWeight))
		}
		total += w
		if w > 0 {
			positive++
		}
	}
	if len(weights) > MaxItems || positive < 2 || total > MaxTotalMass {
		return nil, invalid("weights", "%d, %d of them above 0, sum %d; expected 2 to %d above 0, sum <= %d",
			len(weights), positive, total, MaxItems, uint64(MaxTotalMass))
	}
	switch kind {
	case "alias":
		return newAlias(weights, total), nil
	case "fenwick":
		return bySum{newFenwick(weights), total}, nil
	case "sumtree":
		return bySum{newSumTree(weights), total}, nil
	case "prefix":
		return bySum{newPrefixSums(weights), total}, nil
	}
	return nil, invalid("selector", "%q, expected alias, fenwick, sumtree or prefix", kind)
}

// Pick draws an item with probability weight / total.
func (a *alias) Pick(r *Rand) uint32 { return a.pick(r) }

// bySum picks the item that holds a uniform unit of mass.
type bySum struct {
	finder interface{ find(unit uint64) int }
	total  uint64
}

func (s bySum) Pick(r *Rand) uint32 { return uint32(s.finder.find(r.below(s.total))) }
