package docbench

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// lookup asks one question about a document, whose answer is want for registered ones.
type lookup struct {
	ask  func(store Store, actors []string, doc string) (bool, error)
	want bool
}

var (
	checkOwner = lookup{func(store Store, actors []string, doc string) (bool, error) {
		return store.Check(actors[0], doc)
	}, true}
	checkDenied = lookup{func(store Store, actors []string, doc string) (bool, error) {
		return store.Check(actors[1], doc)
	}, false}
	isRegistered = lookup{func(store Store, _ []string, doc string) (bool, error) {
		return store.IsRegistered(doc)
	}, true}
)

// each asks the question about each document, and fails at a wrong answer.
func (l lookup) each(store Store, actors, docs []string) error {
	for _, doc := range docs {
		got, err := l.ask(store, actors, doc)
		if err != nil {
			return err
		}
		if got != l.want {
			return fmt.Errorf("document %s: %t, expected %t", doc, got, l.want)
		}
	}
	return nil
}

// lookups runs a look-up in three modes. cold, as published: the first call in a store that was just
// filled, always for document 1, in up to ten stores. first: the first call for each of 1024 documents
// at random, in up to ten stores. warm: calls for documents at random, after each of them was called.
func lookups(s setting, l lookup) {
	modes := map[string]func(setting){
		"cold":  func(s setting) { cold(s, l) },
		"first": func(s setting) { first(s, l) },
		"warm":  func(s setting) { warm(s, filled(s), l) },
	}
	for name, mode := range modes {
		s.Run("mode="+name, func(b *testing.B) { mode(setting{b, s.engine, s.persistent}) })
	}
}

// cold times single calls. The first store is there to have run all code once, and is not timed.
func cold(s setting, l lookup) {
	actors, docs := Actors(2), Docs(*scale)
	doc := docs[min(1, len(docs)-1):][:1]
	small := s.open()
	s.must(registerEach(small, actors[0], docs[:min(16, len(docs))]))
	s.must(l.each(small, actors, docs[:min(16, len(docs))]))
	s.must(small.Close())

	var total Total
	for total.Another(2) {
		store := s.open()
		s.must(registerAll(store, actors[0], docs))
		total.Time(s.B, 1, func() error { return l.each(store, actors, doc) })
		s.must(checkAnswers(store, actors[0], docs))
		s.must(store.Close())
	}
	timer := timerNanoseconds(s.B) // before the report, which it would delete
	total.Report()
	s.ReportMetric(total.Mean(), "ns/op") // as published
	s.ReportMetric(float64(total.operations), "stores")
	s.ReportMetric(timer, "timer_ns")
}

func first(s setting, l lookup) {
	actors, docs := Actors(2), Docs(*scale)
	asked := sample(docs, 1024)
	var total Total
	for total.Another(1) {
		store := s.open()
		s.must(registerAll(store, actors[0], docs))
		total.Time(s.B, len(asked), func() error { return l.each(store, actors, asked) })
		s.must(checkAnswers(store, actors[0], docs))
		s.must(store.Close())
	}
	total.Report()
}

func warm(s setting, store Store, l lookup) {
	actors, docs := Actors(2), Docs(*scale)
	asked := Picks(docs, min(1<<16, 8*len(docs)))
	s.must(checkAnswers(store, actors[0], docs))
	s.must(l.each(store, actors, asked[:min(1024, len(asked))]))
	before := countsOf(store)
	var total Total
	total.Repeat(s.B, Chunks(asked, func(docs []string) error { return l.each(store, actors, docs) }))
	total.Report()
	for name, count := range countsOf(store) {
		s.ReportMetric(float64(count-before[name])/float64(total.operations), name+"/operation")
	}
	s.must(checkAnswers(store, actors[0], docs))
}

// denied refuses the documents of one owner to another, in mode warm.
func denied(s setting) {
	store := filled(s)
	s.must(store.Register(Actors(2)[1], "another"))
	warm(s, store, checkDenied)
}

// checkParallel checks with one goroutine or two at the same time, each with documents of its own. An
// operation is a check, so its time halves when two do not hinder each other.
func checkParallel(s setting) {
	for _, goroutines := range []int{1, 2} {
		s.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			s := setting{b, s.engine, s.persistent}
			store, actors, docs := filled(s), Actors(2), Docs(*scale)
			asked := Picks(docs, goroutines<<14)
			s.must(checkOwner.each(store, actors, asked[:min(1024, len(asked))]))
			work := make([]func() (int, error), goroutines)
			for t := range work {
				work[t] = Chunks(asked[t<<14:(t+1)<<14], func(docs []string) error {
					return checkOwner.each(store, actors, docs)
				})
			}
			calls, errs := make([]int, goroutines), make([]error, goroutines)
			var total Total
			total.Repeat(b, func() (sum int, err error) {
				var running sync.WaitGroup
				for t := range work {
					running.Go(func() { calls[t], errs[t] = lasting(round, work[t]) })
				}
				running.Wait()
				for _, n := range calls {
					sum += n
				}
				return sum, errors.Join(errs...)
			})
			total.Report()
			s.must(checkAnswers(store, actors[0], docs))
		})
	}
}

// batchCheck checks as many documents in one call as the scale says, among 8192 in all. An operation
// is a check.
func batchCheck(s setting) {
	store, actors, docs := s.openUntilEnd(), Actors(2), Docs(8192)
	batcher := as[BatchChecker](s, store)
	s.must(registerAll(store, actors[0], docs))
	asked := Picks(docs, *scale)
	batch := func() (int, error) {
		for i, actor := range actors {
			allowed, err := batcher.CheckBatch(actor, asked)
			if err != nil {
				return 0, err
			}
			if len(allowed) != len(asked) {
				return 0, fmt.Errorf("%d answers, expected %d", len(allowed), len(asked))
			}
			for j, got := range allowed {
				if want := i == 0; got != want {
					return 0, fmt.Errorf("document %s: %t, expected %t", asked[j], got, want)
				}
			}
		}
		return len(actors) * len(asked), nil
	}
	_, err := batch()
	s.must(err)
	var total Total
	total.Repeat(s.B, batch)
	total.Report()
	s.must(checkAnswers(store, actors[0], docs))
}
