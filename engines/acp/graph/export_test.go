package graph

import "assay/acp/tuple"

// ListBySets is ListActors of all, by sets however few there are.
func (l *Lister) ListBySets(object tuple.Object, permission string) (Actors, error) {
	slot, _, err := l.parse(object.Resource, permission, "")
	number := l.View.g.names.find(l.View.g.slots[slot].resource, object.ID)
	if err != nil || number == 0 {
		return Actors{}, err
	}
	w := walk{View: l.View}
	c := &candidates{origin: origin{down: true, slot: slot, number: number}}
	c.found, _ = w.down(slot, number)
	c.held = make([]bool, len(c.found))
	if err := w.evaluate(c, workOf(w.facts)); err != nil {
		return Actors{}, err
	}
	l.last.Store(c)
	return l.ListActors(object, permission, "", 0)
}
