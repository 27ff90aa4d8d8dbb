package graph

import (
	"fmt"

	"assay/acp/tuple"
)

// Fact is a relationship in numbers. A name that the graph does not have yet is number 0 and text.
type Fact struct {
	Slot    uint32 // of the relation
	Object  Name
	Subject Name
	Kind    tuple.Kind
	Held    uint32 // of a userset: its slot
}

// Name is an object or actor.
type Name struct {
	Number   uint32
	Resource uint16
	ID       string
}

// Fact checks a relationship against the policy's types and gives it in numbers.
func (g *Graph) Fact(r tuple.Relationship) (Fact, error) {
	slot, err := g.slotNumber(r.Object.Resource, r.Relation)
	if err != nil {
		return Fact{}, err
	}
	s := &g.slots[slot]
	if s.relation == nil {
		return Fact{}, fmt.Errorf("relation %q of resource %q is %w: it is a permission", r.Relation, r.Object.Resource, ErrUnknown)
	}
	f := Fact{Slot: slot, Kind: r.Subject.Kind}
	if f.Object, err = g.name(s.resource, r.Object.ID); err != nil {
		return Fact{}, err
	}
	if !g.allows(s, r.Subject, &f) {
		return Fact{}, fmt.Errorf("subject %s is %w of relation %q of resource %q", r.Subject, ErrType, r.Relation, r.Object.Resource)
	}
	switch f.Kind {
	case tuple.Actor:
		f.Subject, err = g.name(g.actors, r.Subject.Object.ID)
	case tuple.Entity, tuple.Userset:
		f.Subject, err = g.name(g.byName[r.Subject.Object.Resource], r.Subject.Object.ID)
	}
	return f, err
}

// allows tells whether the types of a relation take a subject, and finds the slot of a userset.
func (g *Graph) allows(s *slot, who tuple.Subject, f *Fact) bool {
	switch who.Kind {
	case tuple.Actor, tuple.All:
		return s.allowActor
	}
	resource, known := g.byName[who.Object.Resource]
	if who.Kind == tuple.Userset {
		f.Held = g.resources[resource][who.Relation]
		known = known && f.Held != 0
	}
	if !known {
		return false
	}
	for _, a := range s.allowKinds {
		if a.resource == resource && a.slot == f.Held {
			return true
		}
	}
	return false
}

// Archived gives the fact that an actor owned an archived object.
func (g *Graph) Archived(object tuple.Object, owner string) (Fact, error) {
	r, err := g.resourceNumber(object.Resource)
	if err != nil {
		return Fact{}, err
	}
	f := Fact{Slot: g.archived[r], Kind: tuple.Actor}
	if f.Object, err = g.name(r, object.ID); err == nil {
		f.Subject, err = g.name(g.actors, owner)
	}
	return f, err
}

// ArchivedSlot returns the slot of the fact that an object is archived, of the object of a fact.
func (g *Graph) ArchivedSlot(f Fact) uint32 { return g.archived[f.Object.Resource] }

func (g *Graph) name(resource uint16, id string) (Name, error) {
	if id == "" || len(id) > MaxID {
		return Name{}, fmt.Errorf("text of %d bytes is %w: expected 1 to %d bytes", len(id), ErrID, MaxID)
	}
	return Name{Number: g.names.find(resource, id), Resource: resource, ID: id}, nil
}

// find returns the record of a fact, or 0.
func (v View) find(f *Fact) uint32 {
	if f.Object.Number == 0 || f.Subject.Number == 0 && f.Kind != tuple.All {
		return 0
	}
	n := v.s.node(f.Object.Number, f.Slot)
	if n == 0 {
		return 0
	}
	who := makeSubject(f.Kind, f.Subject.Number)
	if f.Kind == tuple.Userset {
		number := v.s.node(f.Subject.Number, f.Held)
		if number == 0 {
			return 0
		}
		who = makeSubject(f.Kind, number)
	}
	number, _ := v.s.find(n, who, v.revision)
	return number
}

// Has tells whether a fact is there.
func (v View) Has(f Fact) bool { return v.find(&f) != 0 }

// Change sets and deletes facts, all at once for those who read.
type Change struct {
	Delete []Fact
	Add    []Fact
}

// Room tells whether a change fits: the error is ErrFull.
func (g *Graph) Room(c *Change) error {
	s := g.state.Load()
	bytes := 0
	for i := range c.Add {
		bytes += len(c.Add[i].Object.ID) + len(c.Add[i].Subject.ID)
	}
	most := uint32(1)<<subjectBits - uint32(2*len(c.Add)) - chunkSize
	if g.names.full(bytes) || g.names.entries.length > most || s.records.length > most || s.nodes.length > most {
		return fmt.Errorf("%w for %d more facts", ErrFull, len(c.Add))
	}
	return nil
}

// Apply makes a change and publishes it as the next revision. What is there already is not set
// again, what is not there is not deleted.
func (g *Graph) Apply(c *Change) {
	s := g.state.Load()
	revision := s.revision.Load() + 1
	v := View{g: g, s: s, revision: revision}
	for i := range c.Delete {
		if number := v.find(&c.Delete[i]); number != 0 {
			s.remove(number, revision)
		}
	}
	for i := range c.Add {
		g.set(v, &c.Add[i])
	}
	s.revision.Store(revision)
	if s.deleted() > vacuumSlack+s.live {
		g.vacuum()
	}
}

func (g *Graph) set(v View, f *Fact) {
	number := func(n *Name) uint32 {
		if n.Number == 0 {
			return g.names.add(n.Resource, n.ID)
		}
		return n.Number
	}
	object := number(&f.Object)
	n := v.s.addNode(object, f.Slot)
	who := everyone
	switch f.Kind {
	case tuple.Actor, tuple.Entity:
		who = makeSubject(f.Kind, number(&f.Subject))
	case tuple.Userset:
		who = makeSubject(f.Kind, v.s.addNode(number(&f.Subject), f.Held))
	}
	if number, _ := v.s.find(n, who, v.revision); number == 0 {
		v.s.add(n, who, v.revision)
	}
}

// vacuumSlack is how many deleted records are kept before a vacuum is thought of.
const vacuumSlack = 4096

// vacuum puts a state without deleted records in the place of the present one, which those who read
// it keep.
func (g *Graph) vacuum() {
	old := g.state.Load()
	v := View{g: g, s: old, revision: old.revision.Load()}
	s := newState(len(g.slots), old.live)
	for i := uint32(1); i < old.records.length; i++ {
		r := old.records.at(i)
		if !r.sees(v.revision) {
			continue
		}
		n := old.nodes.at(r.node)
		who := r.subject
		if who.kind() == tuple.Userset {
			held := old.nodes.at(who.number())
			who = makeSubject(tuple.Userset, s.addNode(held.object, held.slot))
		}
		s.add(s.addNode(n.object, n.slot), who, r.created)
	}
	s.revision.Store(v.revision)
	g.state.Store(s)
}
