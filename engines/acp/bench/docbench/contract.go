package docbench

// contract finds out by experiment what a registration promises in this engine, as 1 or 0. Engines
// that promise less do less: compare their times with this in mind.
func contract(s setting) map[string]float64 {
	actors := Actors(3)
	owner, other := actors[0], actors[1]
	facts := map[string]float64{}
	set := func(name string, holds bool) {
		facts[name] = 0
		if holds {
			facts[name] = 1
		}
	}
	store := s.open()
	s.must(store.Register(owner, "1"))
	set("refuses_second_owner", store.Register(other, "1") != nil)
	set("refuses_invalid_actor", store.Register("nobody", "2") != nil)
	sharer, ok := store.(Sharer)
	set("refuses_strangers_grant", ok && sharer.Grant(other, "1", other) != nil)
	s.must(store.Close())

	if s.persistent {
		dir := s.TempDir()
		store, err := s.engine.OpenDir(dir)
		s.must(err)
		s.must(store.Register(owner, "1"))
		s.must(store.Close())
		store, err = s.engine.OpenDir(dir)
		s.must(err)
		found, err := store.IsRegistered("1")
		s.must(err)
		set("survives_close", found)
		s.must(store.Close())
	}
	return facts
}
