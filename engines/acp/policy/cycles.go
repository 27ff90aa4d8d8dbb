package policy

// cycleState is what the searches of this file know of a node.
type cycleState struct {
	mentionedBy *node // the last node with an edge to this one,
	mention     int   // and which of its edges that is

	index   int // from 1, in the order of visits
	low     int
	onStack bool
	cycle   int // 0: on none; else those with the same number reach each other

	dependents []*node
	hasBase    bool
}

// DependsOnItself ends the message of the problem that a minus stands on a cycle.
const DependsOnItself = "depends on itself behind a -"

// findCycles refuses a minus on a cycle, for then set semantics has no answer: x: a - x. Whether data
// closes the cycle does not matter. It also refuses permissions that nobody can have, because they
// rest on nothing but each other.
func (c *checker) findCycles() {
	t := tarjan{}
	for _, n := range c.nodes {
		if n.index == 0 {
			t.visit(n)
		}
	}
	c.findBases()
	for _, n := range c.nodes {
		if n.permission == nil || n.cycle == 0 {
			continue
		}
		what := "resource " + n.resource.Name + ": permission " + n.permission.Name
		if !n.hasBase {
			c.reader.strict(n.at, "%s: rests on nothing but itself: nobody can have it", what)
		}
		for _, e := range n.edges {
			if e.negated && e.to.cycle == n.cycle {
				c.reader.refuse(n.at, "%s: %s", what, DependsOnItself)
				break
			}
		}
	}
}

// tarjan finds the strongly connected components.
type tarjan struct {
	visits int
	cycles int
	stack  []*node
}

func (t *tarjan) visit(n *node) {
	t.visits++
	n.index, n.low, n.onStack = t.visits, t.visits, true
	t.stack = append(t.stack, n)
	loop := false
	for _, e := range n.edges {
		if e.to.index == 0 {
			t.visit(e.to)
			n.low = min(n.low, e.to.low)
		} else if e.to.onStack {
			n.low = min(n.low, e.to.index)
		}
		loop = loop || e.to == n
	}
	if n.low != n.index {
		return
	}
	size := 1
	for t.stack[len(t.stack)-size] != n {
		size++
	}
	component := t.stack[len(t.stack)-size:]
	if size > 1 || loop {
		t.cycles++
	}
	for _, member := range component {
		member.onStack = false
		if size > 1 || loop {
			member.cycle = t.cycles
		}
	}
	t.stack = t.stack[:len(t.stack)-size]
}

// findBases marks what somebody could have: relations, and what follows from them.
func (c *checker) findBases() {
	for _, n := range c.nodes {
		for _, e := range n.edges {
			e.to.dependents = append(e.to.dependents, n)
		}
	}
	work := append([]*node(nil), c.nodes...)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !n.hasBase && c.based(n) {
			n.hasBase = true
			work = append(work, n.dependents...)
		}
	}
}

func (c *checker) based(n *node) bool {
	switch {
	case n.relation != nil:
		return true
	case n.permission != nil:
		return c.basedExpr(n, n.permission.Expr)
	}
	for _, e := range n.edges { // of an arrow
		if e.to.hasBase {
			return true
		}
	}
	return len(n.edges) == 0 // another problem, or let pass
}

func (c *checker) basedExpr(n *node, e Expr) bool {
	switch e.Op {
	case Union:
		for _, operand := range e.Operands {
			if c.basedExpr(n, operand) {
				return true
			}
		}
		return false
	case Intersection:
		for _, operand := range e.Operands {
			if !c.basedExpr(n, operand) {
				return false
			}
		}
		return true
	case Difference:
		return c.basedExpr(n, e.Operands[0])
	case None:
		return true
	}
	target := c.leaf(n, e)
	return target == nil || target.hasBase
}
