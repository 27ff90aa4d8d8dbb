package graph

import (
	"slices"

	"assay/acp/policy"
)

// A slot is a relation or permission of a resource; the slots of a policy are numbered from 1, those
// of a resource together. Each has a program, which says whether an actor holds it at an object.
type slot struct {
	resource    uint16
	name        string
	relation    *policy.Relation // nil of a permission
	allowActor  bool             // of a relation: its types take actors
	allowKinds  []allowed        // of a relation: the other subjects that its types take
	program     []step
	simple      bool       // every step looks at facts of the object only
	algebra     bool       // its program, or one that it leads to, has & or -
	stratum     int        // how many minuses at most stand between it and what it depends on
	supports    []uint32   // slots of the resource with steps that ask for this one
	viaArrow    []arrowUse // of a relation: the arrows along it
	arrowTarget bool       // an arrow leads here
	leadsOn     bool       // holding it can give more than what is in supports
	from        []uint32   // slots whose holders can come to hold this one
}

// arrowUse says that holder leads along a relation to the name of the target resource.
type arrowUse struct {
	target uint32 // slot
	holder uint32 // slot of the relation's resource
}

// allowed is a type of subjects: objects of a resource, or holders of one of its slots.
type allowed struct {
	resource uint16
	slot     uint32 // 0: objects
}

type stepKind uint8

const (
	stepRelation   stepKind = iota // held by a fact on the object itself, or through a userset
	stepPermission                 // another permission of the same object
	stepArrow                      // held at an object that a relation leads to
)

// step asks one question and goes on at yes or no; an expression has become jumps, so that no values
// are stacked and what does not matter is not asked.
type step struct {
	kind    stepKind
	direct  bool     // of a relation: no usersets can be set on it
	negated bool     // behind a minus: the less holds here, the more holds of the expression
	slot    uint32   // the relation or permission; of an arrow, the relation
	targets []uint32 // of an arrow: by resource, the slot asked for there, or 0
	yes, no int32    // the next step, or accept or reject
}

const (
	accept int32 = -1
	reject int32 = -2
)

// compiled is a policy made ready. Resource numbers are those of Policy.Resources, and the one behind
// them stands for actors.
type compiled struct {
	policy    *policy.Policy
	slots     []slot        // slots[0] stands for none
	exprs     []policy.Expr // by slot: what its program is made of; of a relation, its name
	resources []map[string]uint32
	owners    []uint32 // by resource: the slot of its relation owner
	archived  []uint32 // by resource: the slot of archived
	reads     []uint32 // by resource: the slot of read, or 0
	writes    []uint32 // by resource: the slot of write, or 0
	byName    map[string]uint16
	actors    uint16
}

func compile(p *policy.Policy) *compiled {
	c := &compiled{policy: p, slots: make([]slot, 1), byName: map[string]uint16{}, actors: uint16(len(p.Resources))}
	for i, r := range p.Resources {
		c.byName[r.Name] = uint16(i)
		names := map[string]uint32{}
		for _, relation := range r.Relations {
			names[relation.Name] = uint32(len(c.slots))
			c.slots = append(c.slots, slot{resource: uint16(i), name: relation.Name, relation: relation})
		}
		for _, permission := range r.Permissions {
			names[permission.Name] = uint32(len(c.slots))
			c.slots = append(c.slots, slot{resource: uint16(i), name: permission.Name})
		}
		c.owners = append(c.owners, names[policy.Owner])
		c.reads = append(c.reads, names["read"])
		c.writes = append(c.writes, names["write"])
		c.archived = append(c.archived, uint32(len(c.slots)))
		c.slots = append(c.slots, slot{resource: uint16(i), relation: archived})
		c.resources = append(c.resources, names)
	}
	for i := 1; i < len(c.slots); i++ {
		c.allow(&c.slots[i])
	}
	c.exprs = make([]policy.Expr, len(c.slots))
	for i := 1; i < len(c.slots); i++ {
		s := &c.slots[i]
		g := generator{c: c, slot: uint32(i)}
		if s.relation == archived {
			continue // never asked for
		} else if s.relation != nil {
			c.exprs[i] = policy.Expr{Op: policy.Name, Name: s.name}
		} else {
			c.exprs[i] = p.Resources[s.resource].Permission(s.name).Expr
		}
		g.expr(c.exprs[i], accept, reject)
		// Steps are generated from the last to the first, see generator.
		slices.Reverse(g.steps)
		last := int32(len(g.steps) - 1)
		for j := range g.steps {
			st := &g.steps[j]
			if st.yes >= 0 {
				st.yes = last - st.yes
			}
			if st.no >= 0 {
				st.no = last - st.no
			}
		}
		s.program = g.steps
		s.algebra = g.algebra
		s.simple = !slices.ContainsFunc(g.steps, func(st step) bool { return !st.direct })
	}
	c.link()
	c.stratify()
	return c
}

// archived is the relation of who owned an object to the archived object. It is in no policy, so no
// request can name it.
var archived = &policy.Relation{}

func (c *compiled) allow(s *slot) {
	if s.relation == nil {
		return
	}
	if s.relation == archived {
		s.allowActor = true
		return
	}
	for _, t := range s.relation.Types {
		resource, known := c.byName[t.Resource]
		switch {
		case t.Resource == c.policy.Actor && t.Relation == "":
			s.allowActor = true
		case known && t.Relation == "":
			s.allowKinds = append(s.allowKinds, allowed{resource: resource})
		case known:
			if target := c.resources[resource][t.Relation]; target != 0 {
				s.allowKinds = append(s.allowKinds, allowed{resource: resource, slot: target})
			}
		}
	}
}

// generator writes the steps of one program from the last to the first, so that a step knows where
// it goes on. Step numbers count from the end until compile turns them around.
type generator struct {
	c       *compiled
	slot    uint32
	steps   []step
	negated bool // where expr is
	algebra bool
}

// expr generates the steps of an expression and returns the first of them.
func (g *generator) expr(e policy.Expr, yes, no int32) int32 {
	switch e.Op {
	case policy.Union:
		for i := len(e.Operands) - 1; i >= 0; i-- {
			no = g.expr(e.Operands[i], yes, no)
		}
		return no
	case policy.Intersection:
		g.algebra = true
		for i := len(e.Operands) - 1; i >= 0; i-- {
			yes = g.expr(e.Operands[i], yes, no)
		}
		return yes
	case policy.Difference:
		g.algebra = true
		next := yes
		g.negated = !g.negated
		for i := len(e.Operands) - 1; i > 0; i-- {
			next = g.expr(e.Operands[i], no, next)
		}
		g.negated = !g.negated
		return g.expr(e.Operands[0], next, no)
	}
	return g.leaf(e, yes, no)
}

func (g *generator) leaf(e policy.Expr, yes, no int32) int32 {
	s := &g.c.slots[g.slot]
	own := g.c.resources[s.resource]
	var st step
	switch e.Op {
	case policy.Name:
		st = step{slot: own[e.Name], kind: stepPermission}
		operand := &g.c.slots[st.slot]
		if operand.relation != nil {
			st.kind = stepRelation
			st.direct = !slices.ContainsFunc(operand.allowKinds, func(a allowed) bool { return a.slot != 0 })
		}
		if st.slot != g.slot {
			operand.supports = append(operand.supports, g.slot)
		}
	case policy.Arrow:
		st = step{slot: own[e.Via], kind: stepArrow, targets: make([]uint32, len(g.c.resources))}
		via := &g.c.slots[st.slot]
		for _, a := range via.allowKinds {
			target := g.c.resources[a.resource][e.Name]
			if a.slot == 0 && target != 0 {
				st.targets[a.resource] = target
				via.viaArrow = append(via.viaArrow, arrowUse{target: target, holder: g.slot})
			}
		}
	default: // policy.None: a step that nobody passes
		st = step{slot: g.c.archived[s.resource], kind: stepArrow, targets: make([]uint32, len(g.c.resources))}
	}
	st.yes, st.no, st.negated = yes, no, g.negated
	g.steps = append(g.steps, st)
	return int32(len(g.steps) - 1)
}

// link finds which slots lead to which, and marks those that & or - has a part in.
func (c *compiled) link() {
	to := make([][]uint32, len(c.slots)) // slots that the holders of a slot can come to hold
	lead := func(from, into uint32) {
		to[from] = append(to[from], into)
		c.slots[into].from = append(c.slots[into].from, from)
	}
	var work []uint32
	for i := range c.slots {
		number, s := uint32(i), &c.slots[i]
		slices.Sort(s.supports)
		s.supports = slices.Compact(s.supports)
		for _, user := range s.supports {
			lead(number, user)
		}
		for _, a := range s.allowKinds {
			if a.slot != 0 {
				lead(a.slot, number)
				c.slots[a.slot].leadsOn = true
			}
		}
		for _, use := range s.viaArrow {
			lead(use.target, use.holder)
			c.slots[use.target].leadsOn, c.slots[use.target].arrowTarget = true, true
		}
		if s.algebra {
			work = append(work, number)
		}
	}
	for len(work) > 0 {
		number := work[len(work)-1]
		work = work[:len(work)-1]
		for _, user := range to[number] {
			if !c.slots[user].algebra {
				c.slots[user].algebra = true
				work = append(work, user)
			}
		}
	}
}

// dependencies are the slots that a step can ask for at other places.
func (c *compiled) dependencies(st *step) []uint32 {
	switch st.kind {
	case stepPermission:
		return []uint32{st.slot}
	case stepArrow:
		return st.targets
	}
	var slots []uint32
	for _, a := range c.slots[st.slot].allowKinds {
		slots = append(slots, a.slot)
	}
	return slots
}

// stratify numbers the strata. It comes to an end because a policy with a minus on a cycle is refused.
func (c *compiled) stratify() {
	for grown := true; grown; {
		grown = false
		for i := range c.slots {
			s := &c.slots[i]
			for j := range s.program {
				st := &s.program[j]
				for _, on := range c.dependencies(st) {
					least := c.slots[on].stratum
					if st.negated {
						least++
					}
					if on != 0 && least > s.stratum {
						s.stratum, grown = least, true
					}
				}
			}
		}
	}
}
