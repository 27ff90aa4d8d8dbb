package docbench

import (
	"fmt"
)

// grant gives one reader to each document of the scale, by its owner. An operation is a grant.
func grant(s setting) { sharing(s, false) }

// revoke takes the readers that grant gave. An operation is a revocation.
func revoke(s setting) { sharing(s, true) }

func sharing(s setting, revoked bool) {
	actors, docs := Actors(2), Docs(*scale)
	shared := sample(docs, 4096)
	want := lookup{checkDenied.ask, !revoked}
	var total Total
	for total.Another(1) {
		store := s.open()
		sharer := as[Sharer](s, store)
		s.must(registerAll(store, actors[0], docs))
		s.must(checkDenied.each(store, actors, shared[:min(16, len(shared))]))
		change := func(one func(requester, doc, actor string) error) error {
			for _, doc := range shared {
				if err := one(actors[0], doc, actors[1]); err != nil {
					return err
				}
			}
			return nil
		}
		timed := sharer.Grant
		if revoked {
			s.must(change(sharer.Grant))
			timed = sharer.Revoke
		}
		total.Time(s.B, len(shared), func() error { return change(timed) })
		s.must(want.each(store, actors, shared[:min(64, len(shared))]))
		s.must(checkAnswers(store, actors[0], docs))
		s.must(store.Close())
	}
	total.Report()
}

// checkReaders refuses a document, which has as many readers as the scale says, to the owner of another.
func checkReaders(s setting) {
	store, docs, actors := s.openUntilEnd(), Docs(2), Actors(2+*scale)
	sharer := as[Sharer](s, store)
	s.must(store.Register(actors[0], docs[0]))
	s.must(store.Register(actors[1], docs[1]))
	s.must(grantAll(sharer, actors[0], docs[0], actors[2:]))
	s.must(expect(store, docs[0], actors[len(actors)-1], true, true))
	s.must(expect(store, docs[1], actors[len(actors)-1], true, false))
	refused := func(docs []string) error { return checkDenied.each(store, actors, docs) }
	s.must(refused(docs[:1]))
	var total Total
	total.Repeat(s.B, Chunks(docs[:1], refused))
	total.Report()
	s.must(checkAnswers(store, actors[0], docs[:1]))
}

func grantAll(sharer Sharer, owner, doc string, readers []string) error {
	for _, reader := range readers {
		if err := sharer.Grant(owner, doc, reader); err != nil {
			return err
		}
	}
	return nil
}

// listDocs lists what an owner may read, which are all documents of the scale. An operation is the
// whole list.
func listDocs(s setting) {
	store := filled(s)
	owner := Actors(1)[0]
	lister := as[DocLister](s, store)
	listing(s, func() ([]string, error) { return lister.ListDocs(owner) }, Docs(*scale))
	s.must(checkAnswers(store, owner, Docs(*scale)))
}

// listActors lists who may read a document: its owner and as many readers that the scale is their
// number. An operation is the whole list.
func listActors(s setting) {
	store, docs, actors := s.openUntilEnd(), Docs(2), Actors(*scale)
	lister, sharer := as[ActorLister](s, store), as[Sharer](s, store)
	s.must(registerEach(store, actors[0], docs))
	s.must(grantAll(sharer, actors[0], docs[1], actors[1:]))
	listing(s, func() ([]string, error) { return lister.ListActors(docs[1]) }, actors)
	s.must(checkAnswers(store, actors[0], docs))
}

// listing times list, and fails unless each of its lists holds what was wanted.
func listing(s setting, list func() ([]string, error), wanted []string) {
	check := func() error {
		got, err := list()
		if err != nil {
			return err
		}
		return sameSet(got, wanted)
	}
	s.must(check())
	var total Total
	total.Repeat(s.B, func() (int, error) {
		got, err := list()
		if err == nil && len(got) != len(wanted) {
			err = fmt.Errorf("%d listed, expected %d", len(got), len(wanted))
		}
		return 1, err
	})
	total.Report()
	s.ReportMetric(total.PerOperation()/float64(len(wanted)), "ns/item")
	s.must(check())
}

func sameSet(got, wanted []string) error {
	missing := make(map[string]bool, len(wanted))
	for _, item := range wanted {
		missing[item] = true
	}
	for _, item := range got {
		if !missing[item] {
			return fmt.Errorf("%s is listed twice or should not be", item)
		}
		delete(missing, item)
	}
	for item := range missing {
		return fmt.Errorf("%s is not listed, nor %d others", item, len(missing)-1)
	}
	return nil
}
