package graph

import (
	"sync"

	"assay/acp/tuple"
)

// A search evaluates slots of objects in depth, each once, on a stack of its own: facts can chain as
// far as they like. The answer is that of plain sets, the least in which all expressions are true to
// their operands.
//
// Meeting a slot that is still being evaluated counts as false for the time being. What was found
// true stays true, since negation never goes through a cycle (such a policy is refused). What was
// found false is final only if it did not build on a temporary false; else it is provisional until
// the lowest frame that it built on ends. If that ends false, the provisional was right. When a frame
// ends true, what was provisional above it is forgotten.
type search struct {
	frames      []frame
	memo        []memo // open addressing by object and slot
	used        int
	generation  uint32
	provisional []uint32 // places in memo
}

type frame struct {
	object, slot uint32
	at           int32  // step of the program
	begun        bool   // the step's own facts were looked at
	record       uint32 // where to go on in a chain of subjects
	place        uint32 // in memo
	lowest       int32  // lowest frame whose temporary false this one may have built on
	mark         int    // length of provisional when the frame began
}

type memo struct {
	object, slot uint32
	generation   uint32
	verdict      verdict
	frame        int32 // of open
}

type verdict uint8

const (
	unknown verdict = iota
	open
	provisional
	no
	yes
)

const (
	firstMemo = 256
	// largestKept is how large a search may be to be used again.
	largestKept = 1 << 16
	nothing     = int32(1<<31 - 1) // no frame
)

var searches = sync.Pool{New: func() any { return &search{memo: make([]memo, firstMemo)} }}

func takeSearch() *search {
	se := searches.Get().(*search)
	se.frames, se.provisional, se.used = se.frames[:0], se.provisional[:0], 0
	if se.generation++; se.generation == 0 {
		clear(se.memo)
		se.generation = 1
	}
	return se
}

func (se *search) release() {
	if len(se.memo) <= largestKept {
		searches.Put(se)
	}
}

// place returns where the verdict on a slot of an object is kept.
func (se *search) place(object, slot uint32) uint32 {
	mask := uint32(len(se.memo) - 1)
	for at := mix(object, slot); ; at++ {
		m := &se.memo[at&mask]
		if m.generation != se.generation {
			if se.used*2 >= len(se.memo) {
				se.growMemo()
				return se.place(object, slot)
			}
			se.used++
			*m = memo{object: object, slot: slot, generation: se.generation}
			return at & mask
		}
		if m.object == object && m.slot == slot {
			return at & mask
		}
	}
}

// growMemo doubles the memo. Places change; frames and provisional hold places.
func (se *search) growMemo() {
	old := se.memo
	se.memo, se.used = make([]memo, 2*len(old)), 0
	move := func(place *uint32) {
		m := old[*place]
		*place = se.place(m.object, m.slot)
	}
	for _, m := range old {
		if m.generation == se.generation {
			se.memo[se.place(m.object, m.slot)] = m
		}
	}
	for i := range se.frames {
		move(&se.frames[i].place)
	}
	for i := range se.provisional {
		move(&se.provisional[i])
	}
}

func (se *search) push(c *checker, object, slot, place uint32) {
	m := &se.memo[place]
	m.verdict, m.frame = open, int32(len(se.frames))
	se.frames = append(se.frames, frame{object: object, slot: slot, place: place, lowest: nothing, mark: len(se.provisional)})
	c.cost.Visits++
}

// run evaluates a slot of an object, unless an earlier run for the actor has.
func (se *search) run(c *checker, object, slot uint32) bool {
	place := se.place(object, slot)
	if v := se.memo[place].verdict; v == yes || v == no {
		return v == yes
	}
	se.push(c, object, slot, place)
	for {
		f := &se.frames[len(se.frames)-1]
		st := &c.g.slots[f.slot].program[f.at]
		held, object, slot := se.step(c, f, st)
		if object != 0 { // the step waits for another slot
			place := se.place(object, slot) // may move memo, not frames
			switch m := &se.memo[place]; m.verdict {
			case yes:
				held = true
			case no:
				continue
			case open:
				f.lowest = min(f.lowest, m.frame)
				continue
			case provisional:
				f.lowest = 0 // what it built on may have ended since, but not the first frame
				continue
			default:
				se.push(c, object, slot, place)
				continue
			}
		}
		// The step is answered; so may be the frame, and with it the step that waits for it.
		for {
			f = &se.frames[len(se.frames)-1]
			st = &c.g.slots[f.slot].program[f.at]
			f.begun, f.record = false, 0
			if f.at = st.no; held {
				f.at = st.yes
			}
			if f.at >= 0 {
				break
			}
			held = f.at == accept
			se.pop(held)
			if len(se.frames) == 0 {
				return held
			}
			if !held {
				break // the step below goes on with its next subject
			}
		}
	}
}

// step goes on with a step and answers it, or returns the slot of an object that it depends on next.
func (se *search) step(c *checker, f *frame, st *step) (held bool, object, slot uint32) {
	if st.kind == stepPermission {
		if f.begun {
			return false, 0, 0
		}
		f.begun = true
		return false, f.object, st.slot
	}
	if !f.begun {
		f.begun = true
		n := c.s.node(f.object, st.slot)
		if n == 0 {
			return false, 0, 0
		}
		if st.kind == stepRelation && c.direct(n) {
			return true, 0, 0
		}
		if st.direct {
			return false, 0, 0
		}
		f.record = c.s.nodes.at(n).others.Load()
	}
	for f.record != 0 {
		r := c.s.records.at(f.record)
		f.record = r.next
		c.cost.Probes++
		if !r.sees(c.revision) {
			continue
		}
		switch r.subject.kind() {
		case tuple.Userset:
			if st.kind == stepRelation {
				n := c.s.nodes.at(r.subject.number())
				return false, n.object, n.slot
			}
		case tuple.Entity:
			if st.kind == stepArrow {
				object := r.subject.number()
				if target := st.targets[c.g.names.resource(object)]; target != 0 {
					return false, object, target
				}
			}
		}
	}
	return false, 0, 0
}

// pop ends the top frame.
func (se *search) pop(held bool) {
	depth := int32(len(se.frames) - 1)
	f := se.frames[depth]
	se.frames = se.frames[:depth]
	m := &se.memo[f.place]
	switch {
	case held:
		m.verdict = yes
		se.settle(f.mark, unknown)
	case f.lowest >= depth:
		m.verdict = no
		se.settle(f.mark, no)
	default:
		m.verdict = provisional
		se.provisional = append(se.provisional, f.place)
		below := &se.frames[depth-1]
		below.lowest = min(below.lowest, f.lowest)
	}
}

// settle gives all provisional verdicts from a mark on their final one, or forgets them.
func (se *search) settle(mark int, v verdict) {
	for _, place := range se.provisional[mark:] {
		se.memo[place].verdict = v
	}
	se.provisional = se.provisional[:mark]
}
