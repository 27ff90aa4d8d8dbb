package core

import "crypto/sha256"

// Config describes a new pool.
type Config struct {
	Items  []Item // at least one, ids distinct
	Law    Law
	RNG    RNG
	Seed   [32]byte
	Window int // request ids remembered; 0 = DefaultWindow
}

// State is a reward pool. Items have dense indices in the order they were
// added; an index is never reused, not even after Retire.
type State struct {
	law   Law
	draws uint64
	rand  *Rand

	ids     []string
	stock   []int64
	weights []uint64
	retired []bool
	names   names

	weightSum uint64 // of the items not retired, stocked or not
	live      int    // items with mass
	mass      uint64 // their total

	selection selection
	window    window
}

// New returns the state of an untouched pool.
func New(c Config) (*State, error) {
	if c.Law > LawUnit {
		return nil, invalid("law", "%d, expected %d or %d", c.Law, LawClass, LawUnit)
	}
	if c.RNG > RNGWyrand {
		return nil, invalid("rng", "%d, expected %d or %d", c.RNG, RNGChaCha8, RNGWyrand)
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	if c.Window < 1 || c.Window > MaxWindow {
		return nil, invalid("window", "%d, expected 1 to %d", c.Window, MaxWindow)
	}
	if len(c.Items) == 0 {
		return nil, invalid("items", "none, expected at least one")
	}
	if len(c.Items) > MaxItems {
		return nil, invalid("items", "%d, expected at most %d", len(c.Items), MaxItems)
	}
	s := &State{law: c.Law, rand: NewRand(c.RNG, c.Seed), window: newWindow(c.Window)}
	s.reserve(len(c.Items))
	for i, it := range c.Items {
		if err := s.add(it, itemField(i)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Len returns the number of item indices, those of retired items included.
func (s *State) Len() int { return len(s.ids) }

// ID returns the id of an item, retired or not.
func (s *State) ID(item uint32) string { return s.ids[item] }

// Index returns the index of an item that is not retired.
func (s *State) Index(id string) (item uint32, ok bool) { return s.names.lookup(s.ids, id) }

// Draws returns the number of successful draws since New.
func (s *State) Draws() uint64 { return s.draws }

// item returns an item by its index; a retired one has quantity 0.
func (s *State) item(item uint32) Item {
	return Item{ID: s.ids[item], Quantity: s.stock[item], Weight: s.weights[item]}
}

// Items returns the items that are not retired, in the order of their indices.
func (s *State) Items() []Item {
	items := make([]Item, 0, len(s.ids))
	for i := range s.ids {
		if !s.retired[i] {
			items = append(items, s.item(uint32(i)))
		}
	}
	return items
}

// Hash returns the SHA-256 of the canonical encoding.
func (s *State) Hash() [32]byte {
	b, _ := s.AppendBinary(nil)
	return sha256.Sum256(b)
}
