package graph

// digraph is what numbers from 0 lead to: number i to those from ends[i-1], or 0, up to ends[i].
type digraph struct {
	to   []uint32
	ends []uint32
}

// end ends what one more number leads to.
func (d *digraph) end() { d.ends = append(d.ends, uint32(len(d.to))) }

// components finds the strongly connected components by Tarjan's algorithm, each behind all that it leads
// to. The members are in the order in which they were met, and are good until found returns.
func (d *digraph) components(found func(members []uint32)) {
	const over = ^uint32(0) // low of what is in a component
	type state struct {
		met, low uint32 // when it was met, from 1, and the first that it leads to of the open ones
		next     uint32 // place in to
	}
	states := make([]state, len(d.ends))
	var calls, open []uint32
	met := uint32(0)
	meet := func(v uint32) {
		met++
		states[v].met, states[v].low = met, met
		if v > 0 {
			states[v].next = d.ends[v-1]
		}
		calls, open = append(calls, v), append(open, v)
	}
	for start := range states {
		if states[start].met == 0 {
			meet(uint32(start))
		}
		for len(calls) > 0 {
			number := calls[len(calls)-1]
			v := &states[number]
			if v.next < d.ends[number] {
				to := d.to[v.next]
				v.next++
				if states[to].met == 0 {
					meet(to)
				} else if states[to].low != over {
					v.low = min(v.low, states[to].met)
				}
				continue
			}
			if calls = calls[:len(calls)-1]; len(calls) > 0 {
				below := &states[calls[len(calls)-1]]
				below.low = min(below.low, v.low)
			}
			if v.low < v.met {
				continue
			}
			first := len(open)
			for done := false; !done; {
				first--
				done = open[first] == number
				states[open[first]].low = over
			}
			found(open[first:])
			open = open[:first]
		}
	}
}
