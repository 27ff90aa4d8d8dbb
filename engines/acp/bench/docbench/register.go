package docbench

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
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
	for total.Another(1) {
		before := liveHeap()
		store := s.open()
		had := countsOf(store)
		total.Time(s.B, 1, func() error { return register(store, owner, docs) })
		for name, count := range countsOf(store) {
			counts[name] += count - had[name]
		}
		live += liveHeap() - before
		s.must(checkAnswers(store, owner, docs))
		s.must(store.Close())
	}
	disk := diskBytes(s.B, home)
	facts := contract(s)
	total.Report()
	each := float64(total.operations * len(docs))
	s.ReportMetric(total.PerOperation()/float64(len(docs)), "ns/doc")
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
