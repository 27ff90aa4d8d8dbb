package core

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

func requestID(prefix, suffix uint64) (id RequestID) {
	binary.BigEndian.PutUint64(id[:8], prefix)
	binary.BigEndian.PutUint64(id[8:], suffix)
	return id
}

// The window against a plain list.
func TestWindowRemembersTheLastRequests(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, capacity := range []int{1, 2, 7, 64, 1000} {
		w := newWindow(capacity)
		var model []request
		var evicted uint64
		forgot := false
		check := func(id RequestID) {
			item, found, err := w.lookup(id)
			for _, q := range model {
				if q.id == id {
					if !found || item != q.item || err != nil {
						t.Fatalf("capacity %d: %x is %d %v %v, want %d", capacity, id, item, found, err, q.item)
					}
					return
				}
			}
			tooOld := forgot && id.prefix() <= evicted
			if found || errors.Is(err, ErrRequestTooOld) != tooOld {
				t.Fatalf("capacity %d: %x found %v, %v; evicted up to %x", capacity, id, found, err, evicted)
			}
		}
		for i := range 5000 {
			id := requestID(uint64(i/3+rng.IntN(5)), rng.Uint64N(3))
			check(id)
			_, found, err := w.lookup(id)
			if err != nil {
				continue
			}
			if found {
				w.remember(id, NoItem-1) // must keep the first outcome
				check(id)
				continue
			}
			w.remember(id, uint32(i))
			model = append(model, request{id, uint32(i)})
			if len(model) > capacity {
				evicted, forgot = max(evicted, model[0].id.prefix()), true
				model = model[1:]
			}
			for range 4 {
				check(requestID(uint64(rng.IntN(i/3+8)), rng.Uint64N(3)))
			}
			if len(model) > 0 {
				check(model[rng.IntN(len(model))].id)
			}
		}
	}
}
