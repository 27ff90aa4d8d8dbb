package core

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func mustNew(t testing.TB, c Config) *State {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustDecode(t *testing.T, s *State) *State {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// life drives a state with random operations. split decides into which calls a
// run of draws is cut, reopen how often the state is encoded and decoded: neither
// may show in the outcome. Stock is checked against a plain account.
func life(t *testing.T, s *State, seed uint64, split, reopen int) (outcome []uint32, _ *State) {
	ops, cuts := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, uint64(split)))
	account := map[string]int64{}
	for _, it := range s.Items() {
		account[it.ID] = it.Quantity
	}
	draw := func(n int) {
		for n > 0 {
			part := n
			if split > 0 {
				part = 1 + cuts.IntN(min(n, split))
			}
			dst := make([]uint32, part)
			got := 0
			if part == 1 {
				if item, ok := s.Draw(); ok {
					dst[0], got = item, 1
				}
			} else {
				got = s.DrawN(dst)
			}
			outcome = append(outcome, dst[:got]...)
			for _, item := range dst[:got] {
				if q := account[s.ID(item)]; q == 0 {
					t.Fatalf("%q drawn without stock", s.ID(item))
				} else if q != Unlimited {
					account[s.ID(item)]--
				}
			}
			n -= part
		}
	}
	for step := range 200 {
		id := s.ID(uint32(ops.IntN(s.Len())))
		switch _, there := s.Index(id); ops.IntN(12) {
		case 0:
			q := ops.Int64N(30) - 1
			if err := s.Update(id, Update{Quantity: &q}); there && err != nil || !there && err != ErrUnknownItem {
				t.Fatal(err)
			} else if there {
				account[id] = q
			}
		case 1:
			w := ops.Uint64N(50)
			if err := s.Update(id, Update{Weight: &w}); there != (err == nil) {
				t.Fatal(err)
			}
		case 2:
			d := ops.Int64N(40) - 10
			if err := s.Update(id, Update{Delta: &d}); err == nil {
				account[id] += d
			}
		case 3:
			it := Item{ID: fmt.Sprintf("new %d", step), Quantity: ops.Int64N(20), Weight: ops.Uint64N(50)}
			if err := s.Add(it); err != nil {
				t.Fatal(err)
			}
			account[it.ID] = it.Quantity
		case 4:
			if ops.IntN(3) == 0 {
				if err := s.Retire(id); there != (err == nil) {
					t.Fatal(err)
				}
				account[id] = 0
			}
		default:
			draw(ops.IntN(100))
		}
		if reopen > 0 && cuts.IntN(reopen) == 0 {
			s = mustDecode(t, s)
		}
	}
	for _, it := range s.Items() {
		if account[it.ID] != it.Quantity {
			t.Fatalf("%q has %d, expected %d", it.ID, it.Quantity, account[it.ID])
		}
	}
	return outcome, s
}

// start has more items than listAtOnce when large, so that changes go to the tree.
func start(t *testing.T, law Law, rng RNG, large bool) *State {
	n := 20
	if large {
		n = listAtOnce + 50
	}
	c := Config{Law: law, RNG: rng, Seed: [32]byte{42}, Window: 8}
	for i := range n {
		c.Items = append(c.Items, Item{ID: fmt.Sprint(i), Quantity: int64(i%25) - 1, Weight: uint64(i % 7)})
	}
	return mustNew(t, c)
}

func TestReplayDoesNotDependOnCallsOrReopening(t *testing.T) {
	for _, large := range []bool{false, true} {
		for _, law := range []Law{LawClass, LawUnit} {
			for _, rng := range []RNG{RNGChaCha8, RNGWyrand} {
				seeds := 8
				if large {
					seeds = 1
				}
				for seed := range uint64(seeds) {
					want, end := life(t, start(t, law, rng, large), seed, 0, 0)
					hash := end.Hash()
					for _, split := range []int{1, 2, 13, 90} {
						got, end := life(t, start(t, law, rng, large), seed, split, 10*split)
						if !slices.Equal(got, want) || end.Hash() != hash {
							t.Fatalf("law %v, rng %v, large %v, seed %d: calls of up to %d draws differ", law, rng, large, seed, split)
						}
					}
				}
			}
		}
	}
}

func TestTotalsAreThoseOfTheItems(t *testing.T) {
	for _, law := range []Law{LawClass, LawUnit} {
		_, s := life(t, start(t, law, RNGChaCha8, false), 99, 5, 0)
		var mass, weights uint64
		live := 0
		for i := range s.ids {
			mass += s.massOf(uint32(i))
			if s.massOf(uint32(i)) > 0 {
				live++
			}
			if !s.retired[i] {
				weights += s.weights[i]
			}
		}
		if mass != s.mass || live != s.live || weights != s.weightSum {
			t.Errorf("law %v: %d %d %d, expected %d %d %d", law, s.mass, s.live, s.weightSum, mass, live, weights)
		}
	}
}

func TestReproduce(t *testing.T) {
	config := Config{Items: items(5, 400, 3, 300, 9, 1000), Seed: [32]byte{1}}
	a, b := mustNew(t, config), mustNew(t, config)
	out := make([]uint32, 1700)
	if n := a.DrawN(out); n != len(out) {
		t.Fatal(n)
	}
	if err := b.Reproduce(out); err != nil || a.Hash() != b.Hash() || b.Draws() != 1700 {
		t.Fatal(err, b.Draws())
	}
	c := mustNew(t, config)
	out[1234] ^= 1
	var d *DivergedError
	if err := c.Reproduce(out); !errors.As(err, &d) || d.Index != 1234 || d.Got != out[1234]^1 || d.Want != out[1234] {
		t.Fatal(err)
	}
	out[1234] ^= 1
	if err := mustNew(t, config).Reproduce(append(out, 0)); !errors.As(err, &d) || d.Index != 1700 || d.Got != NoItem {
		t.Fatal(err)
	}
}

func TestEmptyPoolConsumesNothing(t *testing.T) {
	s := mustNew(t, Config{Items: items(0, 5, 3, 0)})
	before := s.Hash()
	if _, ok := s.Draw(); ok || s.DrawN(make([]uint32, 3)) != 0 || s.Hash() != before {
		t.Error("an empty pool drew or changed")
	}
}

func TestInvalidInputIsNamedAndChangesNothing(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	weight := func(n uint64) *uint64 { return &n }
	for field, c := range map[string]Config{
		"items":             {},
		"items[1].id":       {Items: []Item{{ID: "a"}, {ID: "a"}}},
		"items[0].id":       {Items: []Item{{ID: ""}}},
		"items[2].id":       {Items: append(items(1, 1, 1, 1), Item{ID: strings.Repeat("x", 256)})},
		"items[0].quantity": {Items: items(1, -2)},
		"items[1].weight":   {Items: items(1, 1, MaxWeight+1, 1)},
		"items[1].quantity": {Items: items(1, 1, 1<<40, 1<<22), Law: LawUnit},
		"law":               {Items: items(1, 1), Law: 2},
		"rng":               {Items: items(1, 1), RNG: 2},
		"window":            {Items: items(1, 1), Window: -1},
	} {
		var bad *InvalidError
		if _, err := New(c); !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	s := mustNew(t, Config{Items: items(3, 5, 4, Unlimited), Law: LawUnit})
	before := s.Hash()
	for name, c := range map[string]struct {
		field string
		err   error
	}{
		"both":      {"delta", s.Update("0", Update{Quantity: number(1), Delta: number(1)})},
		"negative":  {"delta", s.Update("0", Update{Delta: number(-6)})},
		"overflow":  {"delta", s.Update("0", Update{Delta: number(math.MaxInt64)})},
		"unlimited": {"delta", s.Update("1", Update{Delta: number(1)})},
		"quantity":  {"quantity", s.Update("0", Update{Quantity: number(-2)})},
		"mass":      {"quantity", s.Update("0", Update{Quantity: number(math.MaxInt64)})},
		"weight":    {"weight", s.Update("0", Update{Weight: weight(MaxWeight + 1)})},
		"add":       {"id", s.Add(Item{ID: "1"})},
		"add mass":  {"quantity", s.Add(Item{ID: "2", Quantity: math.MaxInt64, Weight: 1})},
	} {
		var bad *InvalidError
		if !errors.As(c.err, &bad) || bad.Field != c.field {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if err := s.Update("no", Update{}); err != ErrUnknownItem {
		t.Error(err)
	}
	if err := s.Retire("no"); err != ErrUnknownItem {
		t.Error(err)
	}
	s.weightSum += MaxTotalMass - 10 // as if of a few million heavier items
	var bad *InvalidError
	if err := s.Add(Item{ID: "2", Weight: 4}); !errors.As(err, &bad) || bad.Field != "weight" {
		t.Error(err)
	}
	if s.Hash() != before {
		t.Error("a refused change changed the state")
	}
}

func TestRetiredItemsKeepTheirIndex(t *testing.T) {
	s := mustNew(t, Config{Items: items(3, 5, 4, 6)})
	if err := s.Retire("0"); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(Item{ID: "0", Quantity: 1, Weight: 1}); err != nil {
		t.Fatal(err)
	}
	if i, ok := s.Index("0"); !ok || i != 2 || s.Len() != 3 || s.ID(0) != "0" || !s.retired[0] {
		t.Error(i, ok, s.Len(), s.ID(0))
	}
	if got := s.Items(); len(got) != 2 || got[0].ID != "1" || got[1].ID != "0" {
		t.Error(got)
	}
	for range 7 {
		if item, ok := s.Draw(); !ok || item == 0 {
			t.Fatal(item, ok)
		}
	}
	if _, ok := s.Draw(); ok {
		t.Error("drew more than the stock")
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	for _, law := range []Law{LawClass, LawUnit} {
		s := mustNew(t, Config{Items: items(3, 1<<40, 4, 1<<40, 5, Unlimited), Law: law})
		dst := make([]uint32, 1000)
		s.DrawN(dst)
		id := uint64(0)
		for range DefaultWindow {
			s.RememberRequest(requestID(id, 0), 1)
			id++
		}
		if n := testing.AllocsPerRun(100, func() {
			s.DrawN(dst)
			item, _ := s.Draw()
			if _, found, err := s.LookupRequest(requestID(id, 0)); found || err != nil {
				t.Fatal(found, err)
			}
			s.RememberRequest(requestID(id, 0), item)
			id++
		}); n != 0 {
			t.Errorf("law %v: %v allocations", law, n)
		}
	}
}

func TestNamesParse(t *testing.T) {
	for _, l := range []Law{LawClass, LawUnit} {
		if got, err := ParseLaw(l.String()); got != l || err != nil {
			t.Error(got, err)
		}
	}
	for _, g := range []RNG{RNGChaCha8, RNGWyrand} {
		if got, err := ParseRNG(g.String()); got != g || err != nil {
			t.Error(got, err)
		}
	}
	if _, err := ParseLaw("Class"); err == nil {
		t.Error("Class is no law")
	}
	if _, err := ParseRNG(""); err == nil {
		t.Error("the empty name is no generator")
	}
}
