package channeltext

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var catalogOfThree = []Item{{"gold", 3, 10}, {"silver", 50, 20}, {"bronze", Unlimited, 70}}

func open(t *testing.T, cfg Config) *Pool {
	t.Helper()
	if cfg.Items == nil {
		cfg.Items = catalogOfThree
	}
	cfg.Path = filepath.Join(t.TempDir(), "wal")
	cfg.Queue = 16
	p, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestLogHoldsWhatWasAcknowledged(t *testing.T) {
	for _, storage := range []Storage{File, Mmap} {
		for _, every := range []int{1, 7, 1000} {
			t.Run(fmt.Sprintf("%s/%d", storage, every), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "wal")
				p, err := Open(Config{Items: catalogOfThree[:2], Storage: storage, Path: path, FlushEvery: every, MapBytes: 1 << 16})
				if err != nil {
					t.Fatal(err)
				}
				var acknowledged []Reply
				for range 60 {
					acknowledged = append(acknowledged, <-p.Draw())
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				i := 0
				err = ReadLog(path, func(request uint64, item string) error {
					if want := acknowledged[i]; request != want.RequestID || item != want.ItemID {
						return fmt.Errorf("draw %d of %q, expected %+v", request, item, want)
					}
					i++
					return nil
				})
				if err != nil || i != len(acknowledged) {
					t.Fatalf("%d draws in the log, %v; expected %d", i, err, len(acknowledged))
				}
				for i, reply := range acknowledged {
					if empty := i >= 53; errors.Is(reply.Err, ErrEmpty) != empty {
						t.Errorf("draw %d of a stock of 53: %+v", i+1, reply)
					}
				}
			})
		}
	}
}

func TestStockIsConserved(t *testing.T) {
	p := open(t, Config{Storage: None, FlushEvery: 10})
	counts := map[string]int64{}
	var mu sync.Mutex
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 250 {
				reply := <-p.Draw()
				mu.Lock()
				counts[reply.ItemID]++
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	items, _, err := p.State()
	if err != nil {
		t.Fatal(err)
	}
	for i, item := range items {
		initial := catalogOfThree[i]
		if initial.Quantity != Unlimited && initial.Quantity-counts[item.ID] != item.Quantity {
			t.Errorf("%s: %d - %d drawn, but %d are left", item.ID, initial.Quantity, counts[item.ID], item.Quantity)
		}
	}
	if counts[""] != 0 || items[2].Quantity != Unlimited {
		t.Errorf("an unlimited item ran out: %v %v", counts, items)
	}
}

func TestDrawsFollowTheWeights(t *testing.T) {
	items := []Item{{"a", Unlimited, 10}, {"b", Unlimited, 20}, {"none", 0, 1000}, {"never", 5, 0}, {"c", Unlimited, 70}}
	p := open(t, Config{Items: items, Storage: None, FlushEvery: 1, Seed: 1})
	const n = 100_000
	counts := map[string]float64{}
	for range n {
		counts[(<-p.Draw()).ItemID]++
	}
	for id, share := range map[string]float64{"a": 0.1, "b": 0.2, "c": 0.7, "none": 0, "never": 0} {
		deviation := math.Abs(counts[id] - share*n)
		if limit := 5 * math.Sqrt(n*share*(1-share)); deviation > limit {
			t.Errorf("%s drawn %v times, expected %v +- %v", id, counts[id], share*n, limit)
		}
	}
}

func TestFailedFlushPutsDrawsBack(t *testing.T) {
	p := open(t, Config{Storage: Mmap, FlushEvery: 4, MapBytes: 8})
	var last Reply
	for range 4 {
		last = <-p.Draw()
	}
	if !errors.Is(last.Err, ErrLogFull) {
		t.Fatalf("fourth draw into a log of 8 bytes: %+v, expected %v", last, ErrLogFull)
	}
	items, _, err := p.State()
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if items[i] != catalogOfThree[i] {
			t.Errorf("stock is %+v, expected %+v", items[i], catalogOfThree[i])
		}
	}
}

func TestSyncsAreCounted(t *testing.T) {
	p := open(t, Config{Storage: File, FlushEvery: 10})
	for range 35 {
		<-p.Draw()
	}
	if _, syncs, err := p.State(); err != nil || syncs != 3 {
		t.Errorf("%d syncs, %v; expected 3", syncs, err)
	}
}

// A sync covers the pages since the last one and not the whole log.
func TestMappedSyncCoversNewPages(t *testing.T) {
	page := os.Getpagesize()
	opened, err := openMap(filepath.Join(t.TempDir(), "wal"), 16*page)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.close()
	s := opened.(*mapStore)
	for _, step := range []struct{ write, first, end int }{
		{2*page + 10, 0, 2*page + 10}, {5, 2 * page, 2*page + 15}, {page, 2 * page, 3*page + 15}, {1, 3 * page, 3*page + 16},
	} {
		if err := s.write(make([]byte, step.write)); err != nil {
			t.Fatal(err)
		}
		dirty := s.dirty()
		if first := s.used - len(dirty); first != step.first || s.used != step.end {
			t.Errorf("bytes %d to %d are synced, expected %d to %d", first, s.used, step.first, step.end)
		}
		if err := s.sync(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClosedPoolRefuses(t *testing.T) {
	p := open(t, Config{Storage: None, FlushEvery: 1})
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if reply := <-p.Draw(); !errors.Is(reply.Err, ErrClosed) {
		t.Errorf("draw: %v, expected %v", reply.Err, ErrClosed)
	}
	if _, _, err := p.State(); !errors.Is(err, ErrClosed) {
		t.Errorf("state: %v, expected %v", err, ErrClosed)
	}
}

func TestOpenRefusesBadInput(t *testing.T) {
	for name, cfg := range map[string]Config{
		"duplicate": {Items: []Item{{"a", 1, 1}, {"a", 1, 1}}, Storage: None, FlushEvery: 1},
		"no name":   {Items: []Item{{"", 1, 1}}, Storage: None, FlushEvery: 1},
		"quantity":  {Items: []Item{{"a", -2, 1}}, Storage: None, FlushEvery: 1},
		"weight":    {Items: []Item{{"a", 1, -1}}, Storage: None, FlushEvery: 1},
		"flush":     {Items: catalogOfThree, Storage: None},
		"storage":   {Items: catalogOfThree, Storage: "tape", FlushEvery: 1},
		"path":      {Items: catalogOfThree, Storage: File, FlushEvery: 1, Path: "/no/such/folder/wal"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Open(cfg); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestReadLogRefusesDamage(t *testing.T) {
	for content, reason := range map[string]string{
		"DRAW 1 a\nDRAW 2":      ":2: expected",
		"DRAW 1 a\nDROW 2 b\n":  ":2: expected",
		"DRAW one a\n":          ":1: request",
		"DRAW 1 a b\x00garbage": ":1: expected",
	} {
		path := filepath.Join(t.TempDir(), "wal")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		err := ReadLog(path, func(uint64, string) error { return nil })
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, expected an error with %q", content, err, reason)
		}
	}
}
