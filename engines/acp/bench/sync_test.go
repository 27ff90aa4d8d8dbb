package bench

import (
	"fmt"
	"sync"
	"testing"

	"assay/acp"
	"assay/acp/bench/docbench"
	"assay/acp/bench/reference"
)

// BenchmarkSync registers the documents of the scale on disk, from as many goroutines as wait at the
// same time. An operation is a registration. sync=none returns when the document is written, which
// survives the end of the process; batch when it is on the disk, by a sync shared with the others that
// wait; each by a sync of its own.
func BenchmarkSync(b *testing.B) {
	modes := map[string]acp.Sync{"none": acp.SyncNone, "batch": acp.SyncBatch, "each": acp.SyncEach}
	for name, mode := range modes {
		for _, waiting := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("sync=%s/waiting=%d", name, waiting), func(b *testing.B) {
				registerWaiting(b, mode, waiting)
			})
		}
	}
}

func registerWaiting(b *testing.B, mode acp.Sync, waiting int) {
	dir := b.TempDir()
	s, err := reference.Open(acp.Options{Path: dir, Sync: mode})
	if err != nil {
		b.Fatal(err)
	}
	owner, docs := docbench.Actors(1)[0], docbench.Docs(docbench.Scale())
	before := s.Counters()
	errs := make([]error, waiting)
	var total docbench.Total
	total.Time(b, len(docs), func() error {
		var running sync.WaitGroup
		for w := range waiting {
			running.Go(func() {
				for i := w; i < len(docs) && errs[w] == nil; i += waiting {
					errs[w] = s.Register(owner, docs[i])
				}
			})
		}
		running.Wait()
		return nil
	})
	after := s.Counters()
	for _, err := range append(errs, s.Close()) {
		if err != nil {
			b.Fatal(err)
		}
	}
	again, err := reference.Open(acp.Options{Path: dir})
	if err != nil {
		b.Fatal(err)
	}
	defer again.Close()
	for _, doc := range docs {
		if found, err := again.IsRegistered(doc); err != nil || !found {
			b.Fatalf("document %s is registered after the store was opened again: %t, %v", doc, found, err)
		}
	}
	total.Report()
	each := float64(len(docs))
	b.ReportMetric(float64(after.Syncs-before.Syncs)/each, "syncs/operation")
	b.ReportMetric(float64(after.Bytes-before.Bytes)/each, "wal_bytes/operation")
}
