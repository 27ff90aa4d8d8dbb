package docbench

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// register times the registration of the documents by one owner, one after the other, in an empty
// store. As published, an operation is the registration of all of them.
func register(s setting) {
	registration(s, registerEach)
}

// registerBatch is register with the documents in calls of 64.
func registerBatch(s setting) {
	registration(s, func(store Store, owner string, docs []string) error {
		batcher := as[BatchRegisterer](s, store)
		for rest := docs; len(rest) > 0; rest = rest[min(64, len(rest)):] {
			if err := batcher.RegisterBatch(owner, rest[:min(64, len(rest))]); err != nil {
				return err
			}
		}
		return nil
	})
}

func registration(s setting, register func(store Store, owner string, docs []string) error) {
	owner, docs := Actors(1)[0], Docs(*scale)
	var total Total
	var live int64
	counts := map[string]uint64{}
	home := filepath.Dir(s.TempDir()) // where the directories of the stores are, too
	for begin := time.Now(); total.another(1, begin, 200*time.Millisecond); {
		before := liveHeap()
		store := s.open()
		had := countsOf(store)
		total.Time(s.B, func() error { return register(store, owner, docs) })
		for name, count := range countsOf(store) {
			counts[name] += count - had[name]
		}
		live += liveHeap() - before
		s.must(checkAnswers(store, owner, docs))
		s.must(store.Close())
	}
	disk := diskBytes(s.B, home)
	facts := contract(s)
	total.Report(total.parts)
	each := float64(total.parts * len(docs))
	s.ReportMetric(float64(total.elapsed.Nanoseconds())/each, "ns/doc")
	s.ReportMetric(float64(live)/each, "memory_bytes/doc")
	if s.persistent {
		s.ReportMetric(float64(disk)/each, "disk_bytes/doc")
	}
	for name, count := range counts {
		s.ReportMetric(float64(count)/each, name+"/doc")
	}
	for name, fact := range facts {
		s.ReportMetric(fact, name)
	}
}

func countsOf(store Store) map[string]uint64 {
	if counter, ok := store.(Counter); ok {
		return counter.Counts()
	}
	return nil
}

// diskBytes returns the length of all files below dir.
func diskBytes(b *testing.B, dir string) (sum int64) {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return sum
}
