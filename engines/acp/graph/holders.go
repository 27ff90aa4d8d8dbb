package graph

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"

	"assay/acp/policy"
)

// ErrWork is the error of a list that takes more work than a list may, see Lister.ListActors.
var ErrWork = errors.New("too much work")

// workOf is what the evaluation of a list may take that walks over a number of facts. A step is an edge between
// what depends on each other, or a part of a set that is looked at, and takes about 0.1 microseconds; a part that is made
// takes 32 bytes at most.
func workOf(facts uint64) budget {
	return budget{steps: 1<<24 + 256*int(facts), parts: 1<<22 + 32*int(facts)}
}

// holders evaluates a slot of an object for all candidates together: the value of a slot of an object is
// the set of those who hold it.
//
// A class is slots of objects on cycles where + alone stands over each operand: who holds one holds the one
// before, so all have the same holders. A component is classes that depend on each other in any way. It is
// evaluated behind all that it depends on. What stands behind a minus is never in the component of the
// expression, since a policy with a minus on a cycle is refused, and so it is complete. Within a component,
// who was added to an operand is passed on until nobody is.
type holders struct {
	*walk
	*sets
	candidates []uint32 // actors: the first is number 1 in sets, and 0 stands for who is no candidate
	last       int      // what number returned last
	vertices   []vertex
	operands   []operand
	edges      []edge
	classes    []class
	plain      [][]bool // by slot: which steps of the program lead to others by + alone; nil: not asked yet
}

// vertex is a slot of an object. Its operands, and the edges to what it depends on, follow each other.
type vertex struct {
	slot                   uint32
	class                  uint32
	firstOperand, operands uint32
	firstEdge, edges       uint32
	uses                   uint32 // the last edge to it
	due                    bool   // an operand has grown
}

// class is vertices with one set of holders.
type class struct {
	vertices  []uint32
	due       []uint32 // those of them that are
	component uint32
	place     int // in its component
	held      set // so far
}

// operand is a step of a vertex's program: whom facts name, and who holds a vertex that an edge leads to.
type operand struct {
	vertex, step uint32
	held         set // so far
}

// edge leads from an operand to a vertex.
type edge struct{ operand, to, before uint32 } // before: the edge before that leads to the vertex

// evaluate finds which candidates hold the slot that they were found from, within a budget.
func (w *walk) evaluate(c *candidates, limit budget) error {
	h := &holders{walk: w, candidates: c.found, edges: make([]edge, 1), plain: make([][]bool, len(w.g.slots))}
	named := h.explore(c.slot, c.number, limit.steps)
	h.sets = newSets(len(c.found)+1, limit)
	h.sets.steps = len(h.edges)
	for _, n := range named {
		if h.operands[n.operand].held = h.all(); !n.everyone {
			h.operands[n.operand].held = h.of(n.numbers)
		}
	}
	h.classify()
	h.run()
	if w.steps = h.sets.steps; h.over() {
		return fmt.Errorf("a list along %d facts is %w: more than %d steps or %d parts of sets", w.facts, ErrWork, limit.steps, limit.parts)
	}
	held := h.classes[h.vertices[0].class].held
	c.everyone = h.has(held, 0)
	for i := range c.found {
		c.held[i] = h.has(held, uint32(i)+1)
	}
	return nil
}

// number returns the number in sets of an actor. Facts are chained from the newest on, so the next one asked
// for is often the one before.
func (h *holders) number(actor uint32) uint32 {
	if h.last < 2 || h.candidates[h.last-2] != actor {
		i, _ := slices.BinarySearch(h.candidates, actor)
		h.last = i + 1
	} else {
		h.last--
	}
	return uint32(h.last)
}

// named are those whom facts name of an operand.
type named struct {
	operand  uint32
	everyone bool
	numbers  []uint32
}

// explore makes the vertices that a slot of an object depends on; it is the first of them. It ends early
// where there are more edges than a limit.
func (h *holders) explore(slot, object uint32, limit int) []named {
	var all []named
	var objects []uint32 // by vertex
	places := map[uint64]uint32{}
	vertexOf := func(object, slot uint32) uint32 {
		key := uint64(object)<<32 | uint64(slot)
		place, there := places[key]
		if !there {
			place = uint32(len(h.vertices))
			places[key] = place
			h.vertices = append(h.vertices, vertex{slot: slot})
			objects = append(objects, object)
		}
		return place
	}
	vertexOf(object, slot)
	for at := uint32(0); int(at) < len(h.vertices) && len(h.edges) <= limit; at++ {
		first, firstEdge := len(h.operands), len(h.edges)
		operandOf := func(step int) uint32 {
			if last := len(h.operands) - 1; last < first || h.operands[last].step != uint32(step) {
				h.operands = append(h.operands, operand{vertex: at, step: uint32(step)})
			}
			return uint32(len(h.operands) - 1)
		}
		h.expand(objects[at], h.vertices[at].slot, func(step int, object, slot uint32) {
			to := vertexOf(object, slot)
			h.edges = append(h.edges, edge{operandOf(step), to, h.vertices[to].uses})
			h.vertices[to].uses = uint32(len(h.edges) - 1)
		}, func(step int, who subject) {
			o := operandOf(step)
			if last := len(all) - 1; last < 0 || all[last].operand != o {
				all = append(all, named{operand: o})
			}
			n := &all[len(all)-1]
			if who == everyone {
				n.everyone = true
				return
			}
			n.numbers = append(n.numbers, h.number(who.number()))
		})
		v := &h.vertices[at]
		v.firstOperand, v.operands = uint32(first), uint32(len(h.operands)-first)
		v.firstEdge, v.edges = uint32(firstEdge), uint32(len(h.edges)-firstEdge)
	}
	return all
}

// classify finds the classes.
func (h *holders) classify() {
	var plain digraph
	for i := range h.vertices {
		v := &h.vertices[i]
		for at := range v.edges {
			e := &h.edges[v.firstEdge+at]
			if h.isPlain(v.slot, h.operands[e.operand].step) {
				plain.to = append(plain.to, e.to)
			}
		}
		plain.end()
	}
	byClass := make([]uint32, 0, len(h.vertices))
	plain.components(func(vertices []uint32) {
		for _, v := range vertices {
			h.vertices[v].class = uint32(len(h.classes))
			h.vertices[v].due = true
		}
		byClass = append(byClass, vertices...)
		vertices = byClass[len(byClass)-len(vertices):]
		h.classes = append(h.classes, class{vertices: vertices, due: vertices})
	})
}

// run evaluates all classes.
func (h *holders) run() {
	var classes digraph
	for i := range h.classes {
		for _, v := range h.classes[i].vertices {
			for at := range h.vertices[v].edges {
				classes.to = append(classes.to, h.vertices[h.edges[h.vertices[v].firstEdge+at].to].class)
			}
		}
		classes.end()
	}
	component := uint32(0)
	classes.components(func(members []uint32) {
		component++
		for place, c := range members {
			h.classes[c].component, h.classes[c].place = component, place
		}
		s := h.sweep(members)
		for c, more := s.next(); more && !h.over(); c, more = s.next() {
			h.evaluateClass(c, s)
		}
	})
}

// isPlain tells whether who holds what a step of a slot's program leads to holds the slot.
func (h *holders) isPlain(slot, step uint32) bool {
	if h.plain[slot] == nil {
		h.plain[slot] = plainSteps(nil, h.g.exprs[slot], true)
	}
	return h.plain[slot][step]
}

// plainSteps appends, for each name and arrow of an expression, whether only + stands over it.
func plainSteps(steps []bool, e policy.Expr, plain bool) []bool {
	if e.Operands == nil {
		return append(steps, plain)
	}
	for _, operand := range e.Operands {
		steps = plainSteps(steps, operand, plain && e.Op == policy.Union)
	}
	return steps
}

// evaluateClass evaluates the due vertices of a class, and passes on who is new.
func (h *holders) evaluateClass(number uint32, s *sweep) {
	c := &h.classes[number]
	held := c.held
	for _, v := range c.due {
		held = h.apply(union, held, h.value(v))
		h.vertices[v].due = false
	}
	c.due = nil
	more := h.apply(difference, held, c.held)
	if c.held = held; more == 0 {
		return
	}
	for _, v := range c.vertices {
		for at := h.vertices[v].uses; at != 0; at = h.edges[at].before {
			o := &h.operands[h.edges[at].operand]
			user := &h.vertices[o.vertex]
			if user.class == number {
				continue // who holds the class already is all that it can add to it, also under & and before -
			}
			o.held = h.apply(union, o.held, more)
			if h.classes[user.class].component == c.component {
				s.add(o.vertex)
			}
		}
	}
}

// value returns who holds a vertex by what its operands have so far.
func (h *holders) value(v uint32) set {
	h.visits++
	vertex := &h.vertices[v]
	e := expression{h.sets, h.operands[vertex.firstOperand:][:vertex.operands], 0}
	return e.value(h.g.exprs[vertex.slot])
}

// expression evaluates what compile makes steps of, in their order.
type expression struct {
	*sets
	operands []operand // from the step on
	step     uint32
}

func (e *expression) value(x policy.Expr) set {
	var op operator
	switch x.Op {
	case policy.Union:
		op = union
	case policy.Intersection:
		op = intersection
	case policy.Difference:
		op = difference
	default:
		held := set(0)
		if len(e.operands) > 0 && e.operands[0].step == e.step {
			held, e.operands = e.operands[0].held, e.operands[1:]
		}
		e.step++
		return held
	}
	held := e.value(x.Operands[0])
	for _, operand := range x.Operands[1:] {
		held = e.apply(op, held, e.value(operand))
	}
	return held
}

// sweep gives those classes of a component that have due vertices, back and forth in the order in which they
// were met: what is passed on from class to class comes far in one sweep, whichever way it goes.
type sweep struct {
	h             *holders
	classes       []uint32
	at, direction int
	ahead, behind queue // of places, times the direction, and times the other
}

// sweep returns a sweep over all classes of a component, from the last one on: the others depend on it.
func (h *holders) sweep(classes []uint32) *sweep {
	s := &sweep{h: h, classes: classes, direction: -1}
	for i := range classes {
		s.ahead = append(s.ahead, i-len(classes)+1)
	}
	return s
}

func (s *sweep) next() (class uint32, more bool) {
	if len(s.ahead) == 0 {
		if len(s.behind) == 0 {
			return 0, false
		}
		s.ahead, s.behind, s.direction = s.behind, s.ahead, -s.direction
	}
	s.at = heap.Pop(&s.ahead).(int) * s.direction
	return s.classes[s.at], true
}

// add makes a vertex due.
func (s *sweep) add(number uint32) {
	v := &s.h.vertices[number]
	if v.due {
		return
	}
	v.due = true
	c := &s.h.classes[v.class]
	if c.due = append(c.due, number); len(c.due) > 1 {
		return // the class is in a queue
	}
	if key := c.place * s.direction; key > s.at*s.direction {
		heap.Push(&s.ahead, key)
	} else {
		heap.Push(&s.behind, -key)
	}
}

// queue is a heap of whole numbers.
type queue []int

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(int)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
