package pool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/gocommon/vfs"
	"assay/rewardpool/core"
)

// model is what a pool must look like, kept by bookkeeping alone: it takes the
// outcomes that the pool reports and refuses those that are impossible.
type model struct {
	items    []core.Item
	retired  []bool
	requests map[core.RequestID]uint32
	lsn      uint64 // as reported after the operation
	durable  uint64
	draws    int
}

func newModel(items []core.Item) *model {
	return &model{
		items:    slices.Clone(items),
		retired:  make([]bool, len(items)),
		requests: map[core.RequestID]uint32{},
	}
}

func (m *model) clone() *model {
	c := *m
	c.items, c.retired, c.requests = slices.Clone(m.items), slices.Clone(m.retired), maps.Clone(m.requests)
	return &c
}

func (m *model) empty() bool {
	for i, it := range m.items {
		if !m.retired[i] && it.Quantity != 0 && it.Weight > 0 {
			return false
		}
	}
	return true
}

func (m *model) draw(item uint32) error {
	if int(item) >= len(m.items) || m.retired[item] || m.items[item].Quantity == 0 || m.items[item].Weight == 0 {
		return fmt.Errorf("drew item %d, which has no stock", item)
	}
	if m.items[item].Quantity > 0 {
		m.items[item].Quantity--
	}
	m.draws++
	return nil
}

func (m *model) live() []core.Item {
	var out []core.Item
	for i, it := range m.items {
		if !m.retired[i] {
			out = append(out, it)
		}
	}
	return out
}

// same says how the pool differs from the model.
func (m *model) same(p *Pool) error {
	items, err := p.Items()
	if err != nil {
		return err
	}
	if want := m.live(); !slices.Equal(items, want) {
		return fmt.Errorf("items %v, expected %v", items, want)
	}
	if got := p.Stats().Draws; got != uint64(m.draws) {
		return fmt.Errorf("%d draws, expected %d", got, m.draws)
	}
	for id, want := range m.requests {
		p.mu.Lock()
		got, found, err := p.state.LookupRequest(id)
		p.mu.Unlock()
		if err != nil || !found || got != want {
			return fmt.Errorf("request %x: item %d, found %v, %v; expected item %d", id, got, found, err, want)
		}
	}
	return nil
}

func testItems() []core.Item {
	return []core.Item{
		{ID: "gold", Quantity: 40, Weight: 10},
		{ID: "silver, with a comma\n", Quantity: 300, Weight: 20},
		{ID: "bronze\x00", Quantity: core.Unlimited, Weight: 30},
		{ID: "none left", Quantity: 0, Weight: 5},
		{ID: "not weighed", Quantity: 7, Weight: 0},
	}
}

// testConfig opens deterministically: background work runs in place.
func testConfig(fsys vfs.FS, d Durability) Config {
	return Config{
		Durability:   d,
		Items:        testItems(),
		Seed:         &[32]byte{1, 2, 3},
		SegmentBytes: minSegmentBytes,
		RelaxedEvery: 50,
		FS:           fsys,
		background:   func(f func()) { f() },
	}
}

const testDir = "pool"

// run drives a pool and its model through random operations. The operations
// depend on the seed alone, so that two runs are equal call for call.
type run struct {
	p       *Pool
	mem     *vfs.Mem // of scripts
	cfg     Config
	m       *model
	rng     *rand.Rand
	next    uint64   // of the request ids
	history []*model // after each acknowledged operation
}

func newRun(cfg Config, seed uint64) (*run, error) {
	p, _, err := Open(testDir, cfg)
	if err != nil {
		return nil, err
	}
	r := &run{p: p, cfg: cfg, m: newModel(cfg.Items), rng: rand.New(rand.NewPCG(seed, 2)), next: 1}
	r.history = append(r.history, r.m.clone())
	return r, nil
}

func requestID(n uint64) (id core.RequestID) {
	binary.BigEndian.PutUint64(id[:], n)
	id[15] = byte(n * 37)
	return id
}

// errWrong is a failure of the pool under test, as opposed to an error that it
// was made to return.
var errWrong = errors.New("wrong")

// step does one operation and compares. An error other than errWrong is the
// pool's, and the operation counts as not acknowledged.
func (r *run) step() error {
	before := *r.m.clone()
	if err := r.operation(); err != nil {
		if !errors.Is(err, errWrong) {
			*r.m = before
		}
		return err
	}
	r.m.lsn, r.m.durable = r.p.Stats().LSN, r.p.Stats().DurableLSN
	r.history = append(r.history, r.m.clone())
	return nil
}

func (r *run) operation() error {
	switch k := r.rng.IntN(100); {
	case k < 35:
		item, err := r.p.Draw()
		return r.drawn(1, []uint32{item}, err)
	case k < 55:
		dst := make([]uint32, 1+r.rng.IntN(40))
		n, err := r.p.DrawN(dst)
		return r.drawn(len(dst), dst[:n], err)
	case k < 75:
		return r.request()
	case k < 82:
		return r.update()
	case k < 85:
		it := core.Item{ID: fmt.Sprint("item ", len(r.m.items)), Quantity: r.rng.Int64N(30), Weight: r.rng.Uint64N(50)}
		err := r.p.Add(it)
		if err == nil {
			r.m.items, r.m.retired = append(r.m.items, it), append(r.m.retired, false)
		}
		return err
	case k < 87:
		return r.retire()
	case k < 91:
		if err := r.p.Update("no such item", core.Update{}); !errors.Is(err, core.ErrUnknownItem) && !errors.Is(err, ErrPoisoned) {
			return fmt.Errorf("%w: update of an unknown item: %v", errWrong, err)
		}
		return nil
	case k < 94:
		return r.p.Sync()
	case k < 96:
		return r.p.Snapshot()
	case k < 98:
		return r.p.Rotate()
	}
	return r.reopen()
}

func (r *run) drawn(want int, got []uint32, err error) error {
	if errors.Is(err, ErrEmpty) {
		if want == 1 {
			got = nil
		}
	} else if err != nil {
		return err
	} else if len(got) != want {
		return fmt.Errorf("%w: %d of %d draws without an error", errWrong, len(got), want)
	}
	for _, item := range got {
		if derr := r.m.draw(item); derr != nil {
			return fmt.Errorf("%w: %v", errWrong, derr)
		}
	}
	if err != nil && !r.m.empty() {
		return fmt.Errorf("%w: ErrEmpty with stock left", errWrong)
	}
	return nil
}

func (r *run) request() error {
	n := r.next
	if r.rng.IntN(3) == 0 && n > 1 {
		n -= 1 + r.rng.Uint64N(min(n-1, 20)) // a retry
	} else {
		r.next++
	}
	id := requestID(n)
	want, known := r.m.requests[id]
	item, replayed, err := r.p.DrawID(id)
	switch {
	case errors.Is(err, ErrEmpty) && r.m.empty() && !known:
		return nil
	case err != nil:
		return err
	case replayed != known || known && item != want:
		return fmt.Errorf("%w: request %d gave item %d, replayed %v; expected %d, %v", errWrong, n, item, replayed, want, known)
	case known:
		return nil
	}
	r.m.requests[id] = item
	return r.drawn(1, []uint32{item}, nil)
}

func (r *run) update() error {
	i := r.rng.IntN(len(r.m.items))
	var u core.Update
	quantity, weight := r.rng.Int64N(60), r.rng.Uint64N(40)
	switch r.rng.IntN(3) {
	case 0:
		u.Quantity = &quantity
	case 1:
		u.Delta = &quantity
	}
	if r.rng.IntN(2) == 0 {
		u.Weight = &weight
	}
	err := r.p.Update(r.m.items[i].ID, u)
	var invalid *core.InvalidError
	switch {
	case r.m.retired[i] && errors.Is(err, core.ErrUnknownItem), errors.As(err, &invalid):
		return nil
	case err != nil:
		return err
	}
	it := &r.m.items[i]
	if u.Quantity != nil {
		it.Quantity = quantity
	}
	if u.Delta != nil {
		it.Quantity += quantity
	}
	if u.Weight != nil {
		it.Weight = weight
	}
	return nil
}

func (r *run) retire() error {
	i := r.rng.IntN(len(r.m.items))
	err := r.p.Retire(r.m.items[i].ID)
	if r.m.retired[i] && errors.Is(err, core.ErrUnknownItem) {
		return nil
	}
	if err == nil {
		r.m.retired[i] = true
	}
	return err
}

func (r *run) reopen() error {
	if err := r.p.Close(); err != nil {
		return err
	}
	p, report, err := Open(testDir, r.cfg)
	if err != nil {
		return err
	}
	r.p = p
	if report.LSN != r.m.lsn || report.TruncatedBytes != 0 {
		return fmt.Errorf("%w: reopened with %+v, expected lsn %d", errWrong, report, r.m.lsn)
	}
	if err := r.m.same(p); err != nil {
		return fmt.Errorf("%w: reopened: %v", errWrong, err)
	}
	return nil
}

// Random operations agree with the model, in all modes.
func TestModel(t *testing.T) {
	sequences := 12
	if long {
		sequences = 400
	}
	for _, d := range Durabilities {
		t.Run(d.String(), func(t *testing.T) {
			for seed := range uint64(sequences) {
				r, err := newRun(testConfig(vfs.NewMem(), d), seed)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 250 {
					if err := r.step(); err != nil {
						t.Fatalf("seed %d, step %d: %v", seed, i, err)
					}
					if err := r.m.same(r.p); err != nil {
						t.Fatalf("seed %d, step %d: %v", seed, i, err)
					}
				}
				if err := r.reopen(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}
