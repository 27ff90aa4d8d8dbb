package pool

import "assay/rewardpool/core"

// maxChangeBytes bounds the payload of a change: fields and an id.
const maxChangeBytes = 32 + 256

// Update changes the quantity (to, or by) or the weight of an item. A refused
// change is not logged: core.ErrUnknownItem or a *core.InvalidError.
func (p *Pool) Update(id string, u core.Update) error {
	return p.change(typeUpdate, func() error { return p.state.Update(id, u) },
		func(b []byte) []byte { return appendUpdate(b, id, u) })
}

// Add appends an item to the catalog; its index is the number of items before.
func (p *Pool) Add(it core.Item) error {
	return p.change(typeAdd, func() error { return p.state.Add(it) },
		func(b []byte) []byte { return appendAdd(b, it) })
}

// Retire takes an item out for good. Its index is not used again.
func (p *Pool) Retire(id string) error {
	return p.change(typeRetire, func() error { return p.state.Retire(id) },
		func(b []byte) []byte { return appendID(b, id) })
}

// change applies a change to the state and logs it as one event. It is as
// durable as a draw when it returns.
func (p *Pool) change(typ byte, apply func() error, encode func([]byte) []byte) error {
	p.mu.Lock()
	if p.refuse != nil {
		return p.unlock(p.refuse)
	}
	if p.log == nil {
		err := apply()
		if err == nil {
			p.changes++
		}
		return p.unlock(err)
	}
	if err := p.log.Reserve(maxChangeBytes); err != nil {
		return p.unlock(p.poison(err))
	}
	if err := apply(); err != nil {
		return p.unlock(err)
	}
	p.width = itemWidth(p.state.Len())
	p.stage(typ, encode)
	return p.settle()
}

// stage appends an event of at most maxChangeBytes, for which there is room.
func (p *Pool) stage(typ byte, encode func([]byte) []byte) {
	n := len(encode(p.log.Payload(maxChangeBytes)[:0]))
	p.log.Append(typ, 0, 1, n)
}
