package graph

import (
	"sync"

	"assay/acp/tuple"
)

// A search evaluates slots of objects in depth, each once, on a stack of its own: facts can chain as
// far as they like. The answer is that of plain sets, the least in which all expressions are true to
// their operands.
//
// Meeting a slot that is still being evaluated counts as false for the time being, and who met it waits
// for it. What was found true stays true, since no minus stands on a cycle (such a policy is refused);
// what waits for it then goes on behind the step that it had left with a false. So each step of a slot
// of an object is left twice at most, and the work is in proportion to the facts, whatever cycles there
// are. What was found false is final at once if it waits for nothing; else it is when the search ends
// and nobody is left to go on.
//
// What stands behind a minus has to be final before its falsehood counts. It depends on nothing that
// is being evaluated, since that would be a cycle. So there, too, a search ends: all go on who are of
// its stratum or a lower one, and no others.
type search struct {
	frames     []frame
	memo       []memo // open addressing by object and slot
	used       int
	generation uint32
	waits      []wait
	ready      [][]wait // by stratum: whose wait is over
	gone       map[wait]struct{}
}

type frame struct {
	object, slot uint32
	at           int32  // step of the program, or accept or reject behind its end
	begun        bool   // the step's own facts were looked at
	ends         bool   // a false has to be final
	waits        bool   // for something
	again        bool   // nobody asks for the answer: the frame goes on behind a wait
	record       uint32 // where to go on in a chain of subjects
	place        uint32 // in memo
}

type memo struct {
	object, slot uint32
	generation   uint32
	waits        int32 // the last one for this, from 1
	verdict      verdict
}

// wait is a step that took something for false.
type wait struct {
	object, slot uint32
	step         int32
	before       int32 // the wait before, for the same
}

type verdict uint8

const (
	unknown verdict = iota
	open
	waiting // false so far
	no
	yes
)

const (
	firstMemo = 256
	// largestKept is how large a search may be to be used again.
	largestKept = 1 << 16
)

var searches = sync.Pool{New: func() any { return &search{memo: make([]memo, firstMemo)} }}

func takeSearch() *search {
	se := searches.Get().(*search)
	se.frames, se.waits, se.used = se.frames[:0], se.waits[:0], 0
	for i := range se.ready {
		se.ready[i] = se.ready[i][:0]
	}
	se.gone = nil
	if se.generation++; se.generation == 0 {
		clear(se.memo)
		se.generation = 1
	}
	return se
}

func (se *search) release() {
	if len(se.memo) <= largestKept && len(se.waits) <= largestKept {
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

// growMemo doubles the memo. Places change; frames hold places.
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
}

func (se *search) push(c *checker, f frame) {
	if m := &se.memo[f.place]; m.verdict == unknown {
		m.verdict = open
	}
	se.frames = append(se.frames, f)
	c.cost.Visits++
}

// run evaluates a slot of an object, unless an earlier run for the actor has.
func (se *search) run(c *checker, object, slot uint32) bool {
	place := se.place(object, slot)
	switch se.memo[place].verdict {
	case yes, no:
		return se.memo[place].verdict == yes
	case waiting:
		se.push(c, frame{object: object, slot: slot, place: place, at: reject, ends: true})
	default:
		se.push(c, frame{object: object, slot: slot, place: place, ends: true})
	}
	for {
		f := &se.frames[len(se.frames)-1]
		if f.at < 0 {
			if len(se.gone) > 0 && se.memo[f.place].verdict == yes { // found meanwhile
				f.at = accept
			}
			if f.at == reject && f.ends && se.goOn(c, c.g.slots[f.slot].stratum) {
				continue
			}
			if held, over := se.pop(c); over {
				return held
			}
			continue
		}
		st := &c.g.slots[f.slot].program[f.at]
		held, object, slot := se.step(c, f, st)
		if object == 0 {
			f.answer(st, held)
			continue
		}
		place := se.place(object, slot) // may move memo, not frames
		switch v := se.memo[place].verdict; {
		case v == yes:
			f.answer(st, true)
		case v == no:
		case v == unknown:
			se.push(c, frame{object: object, slot: slot, place: place, ends: st.negated})
		case st.negated:
			se.push(c, frame{object: object, slot: slot, place: place, at: reject, ends: true})
		default:
			se.wait(f, place)
		}
	}
}

// answer goes on behind a step.
func (f *frame) answer(st *step, held bool) {
	f.begun, f.record = false, 0
	if f.at = st.no; held {
		f.at = st.yes
	}
}

// wait notes that a frame's step takes what is at a place for false.
func (se *search) wait(f *frame, place uint32) {
	f.waits = true
	m := &se.memo[place]
	se.waits = append(se.waits, wait{f.object, f.slot, f.at, m.waits})
	m.waits = int32(len(se.waits))
}

// pop ends the top frame and tells the one below, which waits for its answer.
func (se *search) pop(c *checker) (held, over bool) {
	f := &se.frames[len(se.frames)-1] // good until the next push
	se.frames = se.frames[:len(se.frames)-1]
	m := &se.memo[f.place]
	held = f.at == accept
	switch {
	case held:
		m.verdict = yes
		for at := m.waits; at != 0; {
			w := se.waits[at-1]
			at, w.before = w.before, 0
			stratum := c.g.slots[w.slot].stratum
			for len(se.ready) <= stratum {
				se.ready = append(se.ready, nil)
			}
			se.ready[stratum] = append(se.ready[stratum], w)
		}
		m.waits = 0
	case f.again:
	case f.ends || !f.waits:
		m.verdict = no
	default:
		m.verdict = waiting
	}
	if len(se.frames) == 0 {
		return held, true
	}
	below := &se.frames[len(se.frames)-1]
	switch st := below.at; {
	case f.again || st < 0:
	case held:
		below.answer(&c.g.slots[below.slot].program[st], true)
	case m.verdict == waiting:
		se.wait(below, f.place)
	}
	return held, false
}

// goOn lets one go on whose wait is over, of those up to a stratum. It returns false if there is none.
func (se *search) goOn(c *checker, stratum int) bool {
	for s := range min(stratum+1, len(se.ready)) {
		for len(se.ready[s]) > 0 {
			w := se.ready[s][len(se.ready[s])-1]
			se.ready[s] = se.ready[s][:len(se.ready[s])-1]
			place := se.place(w.object, w.slot)
			if _, gone := se.gone[w]; gone || se.memo[place].verdict == yes {
				continue
			}
			if se.gone == nil {
				se.gone = map[wait]struct{}{}
			}
			se.gone[w] = struct{}{}
			se.push(c, frame{object: w.object, slot: w.slot, place: place, at: c.g.slots[w.slot].program[w.step].yes, again: true})
			return true
		}
	}
	return false
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
		var r *record
		if f.record&linked == 0 { // as step does, which is not inlined
			r = c.s.records.at(f.record)
			f.record = r.next
		} else {
			r, f.record = c.s.step(f.record, c.revision)
		}
		c.cost.Probes++
		if !r.sees(c.revision) {
			if r.bypassed(c.revision) {
				f.record = r.as
			}
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
