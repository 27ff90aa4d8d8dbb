package pool

import (
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/gocommon/vfs"
	"assay/rewardpool/core"
)

// The defects of the published engine, each by its number.

func openTest(t *testing.T, cfg Config) *Pool {
	t.Helper()
	p, _, err := Open(testDir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// D1: after kill -9 the published engine starts again from the first catalog.
func TestD1CrashRecoversAcknowledgedDraws(t *testing.T) {
	for _, d := range []Durability{Mmap, File, Group, Each} {
		mem := vfs.NewMem()
		p := openTest(t, testConfig(mem, d))
		if n, err := p.DrawN(make([]uint32, 123)); n != 123 || err != nil {
			t.Fatal(n, err)
		}
		want, _ := p.StateHash()
		q := openTest(t, testConfig(mem.Crash(vfs.KeepAll, nil), d))
		if got, _ := q.StateHash(); got != want || q.Stats().Draws != 123 {
			t.Fatalf("%v: %d draws after the crash", d, q.Stats().Draws)
		}
	}
}

// D2: the published engine acknowledges before the sync, and gives acknowledged
// prizes again when it fails. Here nothing is shown before the sync returned.
func TestD2NothingShownBeforeDurable(t *testing.T) {
	for _, d := range []Durability{Group, Each} {
		t.Run(d.String(), func(t *testing.T) {
			mem := vfs.NewMem()
			p := openTest(t, testConfig(mem, d))
			var wg sync.WaitGroup
			var shown sync.Map // LSN at which a call returned -> durable LSN then
			syncing, proceed := make(chan struct{}), make(chan struct{})
			var once sync.Once
			mem.Before = func(c vfs.Call) error {
				if c.Op == "datasync" {
					once.Do(func() { close(syncing); <-proceed })
				}
				return nil
			}
			call := func(name string, f func() error) {
				wg.Add(1)
				go func() {
					defer wg.Done()
					if err := f(); err != nil {
						t.Error(name, err)
					}
					shown.Store(name, p.log.DurableLSN())
				}()
			}
			call("draw", func() error { _, err := p.Draw(); return err })
			<-syncing
			id := requestID(1)
			call("request", func() error { _, _, err := p.DrawID(id); return err })
			call("retry", func() error { _, _, err := p.DrawID(id); return err })
			call("items", func() error { _, err := p.Items(); return err })
			call("hash", func() error { _, err := p.StateHash(); return err })
			call("sync", p.Sync)
			for i := 0; i < 100; i++ {
				p.gather(&commit{})
			}
			shown.Range(func(name, _ any) bool { t.Errorf("%v returned before the sync", name); return true })
			close(proceed)
			wg.Wait()
			if got := p.log.DurableLSN(); got != 2 {
				t.Fatalf("durable lsn %d", got)
			}
			p.Close()
		})
	}
}

// An empty pool is shown only when the draws that emptied it are durable: when
// their sync fails, they may not have happened.
func TestD2EmptyNotShownBeforeDurable(t *testing.T) {
	calls := map[string]func(*Pool) error{
		"draw":    func(p *Pool) error { _, err := p.Draw(); return err },
		"drawn":   func(p *Pool) error { _, err := p.DrawN(make([]uint32, 2)); return err },
		"request": func(p *Pool) error { _, _, err := p.DrawID(requestID(1)); return err },
		"submit":  func(p *Pool) error { _, err := p.Submit(make([]uint32, 2)).Wait(); return err },
	}
	for _, d := range []Durability{Group, Each} {
		for name, call := range calls {
			mem := vfs.NewMem()
			cfg := testConfig(mem, d)
			cfg.Items = []core.Item{{ID: "gold", Quantity: 1, Weight: 1}}
			p := openTest(t, cfg)
			syncing, proceed := make(chan struct{}), make(chan struct{})
			mem.Before = func(c vfs.Call) error {
				if c.Op != "datasync" {
					return nil
				}
				close(syncing)
				<-proceed
				return syscall.EIO
			}
			last := p.Submit(make([]uint32, 1))
			<-syncing
			answer := make(chan error, 1)
			go func() { answer <- call(p) }()
			select {
			case err := <-answer:
				t.Errorf("%v, %s: answered %v before the sync", d, name, err)
				close(proceed)
			case <-time.After(10 * time.Millisecond):
				close(proceed)
				if err := <-answer; !errors.Is(err, ErrPoisoned) {
					t.Errorf("%v, %s: %v after the sync failed", d, name, err)
				}
			}
			if _, err := last.Wait(); !errors.Is(err, ErrPoisoned) {
				t.Error(d, name, err)
			}
		}
	}
}

// D3: every reply of the published batch engine but the last has no item.
func TestD3EveryReplyHasItsItem(t *testing.T) {
	cfg := testConfig(vfs.NewMem(), Relaxed)
	cfg.Items = []core.Item{{ID: "a", Quantity: 0, Weight: 1}, {ID: "b", Quantity: 1000, Weight: 1}}
	p := openTest(t, cfg)
	for i := range 1000 {
		if item, err := p.Draw(); item != 1 || err != nil {
			t.Fatalf("draw %d: item %d, %v", i, item, err)
		}
	}
}

// D4: the published benchmark counts draws of an empty pool.
func TestD4EmptyDrawsAreNotDraws(t *testing.T) {
	cfg := testConfig(vfs.NewMem(), File)
	cfg.Items = []core.Item{{ID: "gold", Quantity: 5, Weight: 1}}
	p := openTest(t, cfg)
	if n, err := p.DrawN(make([]uint32, 8)); n != 5 || !errors.Is(err, ErrEmpty) {
		t.Fatal(n, err)
	}
	before := p.Stats()
	_, one := p.Draw()
	_, _, id := p.DrawID(requestID(1))
	if n, many := p.DrawN(make([]uint32, 8)); n != 0 || !errors.Is(many, ErrEmpty) || !errors.Is(one, ErrEmpty) || !errors.Is(id, ErrEmpty) {
		t.Fatal(one, id, n, many)
	}
	if after := p.Stats(); after != before || after.Draws != 5 {
		t.Fatalf("empty draws changed %+v to %+v", before, after)
	}
}

// D5: an id with a comma makes the published log unreadable.
func TestD5AnyBytesInIDs(t *testing.T) {
	mem := vfs.NewMem()
	cfg := testConfig(mem, File)
	cfg.Items = []core.Item{{ID: "a,b\n\x00\xff", Quantity: 9, Weight: 1}}
	p := openTest(t, cfg)
	if err := errors.Join(p.Add(core.Item{ID: ",,\n", Quantity: 1, Weight: 1}), p.Retire("a,b\n\x00\xff")); err != nil {
		t.Fatal(err)
	}
	q := openTest(t, testConfig(mem.Crash(vfs.KeepAll, nil), File))
	if items, _ := q.Items(); len(items) != 1 || items[0].ID != ",,\n" {
		t.Fatal(items)
	}
}

// D6: the published engine accepts nonsense and logs updates of nothing.
func TestD6BadInputChangesNothing(t *testing.T) {
	bad := map[string][]core.Item{
		"no items":     {},
		"duplicate id": {{ID: "a", Quantity: 1, Weight: 1}, {ID: "a", Quantity: 1, Weight: 1}},
		"empty id":     {{ID: "", Quantity: 1, Weight: 1}},
		"quantity":     {{ID: "a", Quantity: -7, Weight: 1}},
		"weight":       {{ID: "a", Quantity: 1, Weight: 1<<40 + 1}},
	}
	for name, items := range bad {
		mem := vfs.NewMem()
		cfg := testConfig(mem, File)
		cfg.Items = items
		var invalid *core.InvalidError
		if _, _, err := Open(testDir, cfg); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
		if names, _ := mem.ReadDir(testDir); len(names) != 0 {
			t.Errorf("%s left %v", name, names)
		}
	}
	p := openTest(t, testConfig(vfs.NewMem(), File))
	before := p.Stats()
	less := int64(-7)
	for name, err := range map[string]error{
		"update of nothing": p.Update("nothing", core.Update{Quantity: &less}),
		"quantity":          p.Update("gold", core.Update{Quantity: &less}),
		"duplicate":         p.Add(core.Item{ID: "gold", Quantity: 1, Weight: 1}),
		"retire nothing":    p.Retire("nothing"),
	} {
		var invalid *core.InvalidError
		if !errors.As(err, &invalid) && !errors.Is(err, core.ErrUnknownItem) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, n := range []int{0, MaxDraws + 1, 100_000} {
		var invalid *core.InvalidError
		if _, err := p.DrawN(make([]uint32, n)); !errors.As(err, &invalid) {
			t.Errorf("DrawN of %d: %v", n, err)
		}
	}
	if p.Stats() != before {
		t.Fatal("a refused change was logged")
	}
}

// D7: a draw during Stop panics in the published engine, and a snapshot fails
// with draws pending.
func TestD7CloseAndSnapshotUnderTraffic(t *testing.T) {
	for _, d := range Durabilities {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(nil, d)
			cfg.FS, cfg.background = nil, nil
			for i := range cfg.Items {
				cfg.Items[i].Quantity = core.Unlimited
			}
			dir := t.TempDir() + "/pool"
			p, _, err := Open(dir, cfg)
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			acked := make([]uint64, 4)
			started := make(chan struct{}, len(acked))
			for c := range acked {
				wg.Add(1)
				go func() {
					defer wg.Done()
					dst := make([]uint32, 50)
					for i := 0; ; i++ {
						n, err := p.DrawN(dst[:1+i%50])
						if errors.Is(err, ErrClosed) {
							return
						}
						if err != nil {
							t.Error(err)
							return
						}
						acked[c] += uint64(n)
						if i == 5 {
							started <- struct{}{}
						}
					}
				}()
			}
			for range acked {
				<-started
			}
			for range 3 {
				if err := errors.Join(p.Snapshot(), p.Rotate(), p.Sync()); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			wg.Wait()
			if err := p.Close(); !errors.Is(err, ErrClosed) {
				t.Fatal("second Close:", err)
			}
			_, report, err := Open(dir, Config{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var sum uint64
			for _, n := range acked {
				sum += n
			}
			if got := p.state.Draws(); got != sum || report.TruncatedBytes != 0 {
				t.Fatalf("%d draws acknowledged, %d made, %+v", sum, got, report)
			}
			if rep, err := Verify(dir); err != nil || rep.LSN != report.LSN {
				t.Fatal(rep, err)
			}
		})
	}
}

// D8: a crash during the rotation loses the published pool.
func TestD8CrashDuringRotation(t *testing.T) {
	mem := vfs.NewMem()
	p := openTest(t, testConfig(mem, Group))
	if _, err := p.DrawN(make([]uint32, 50)); err != nil {
		t.Fatal(err)
	}
	crashes := 0
	mem.Before = func(c vfs.Call) error {
		if c.Mutates() {
			crashes++
			q := openTest(t, testConfig(mem.Crash(vfs.KeepNone, nil), Group))
			if got := q.Stats().Draws; got != 50 {
				t.Errorf("crash at %s %s: %d draws", c.Op, c.Name, got)
			}
		}
		return nil
	}
	if err := errors.Join(p.Rotate(), p.Snapshot()); err != nil {
		t.Fatal(err)
	}
	if crashes < 10 {
		t.Fatalf("only %d calls", crashes)
	}
}

// D9: the published benchmark measures one item and a channel; a draw here
// allocates nothing, whatever the mode without a sync of its own.
func TestD9DrawAllocatesNothing(t *testing.T) {
	for _, d := range []Durability{None, Mmap, File, Relaxed} {
		cfg := testConfig(nil, d)
		cfg.FS, cfg.background = nil, nil
		cfg.SegmentBytes = 1 << 20
		cfg.Items[2].Weight = 1 << 30
		p, _, err := Open(t.TempDir()+"/pool", cfg)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]uint32, 100)
		if n := testing.AllocsPerRun(200, func() { p.Draw() }); n != 0 {
			t.Errorf("%v: Draw allocates %v times", d, n)
		}
		if n := testing.AllocsPerRun(200, func() { p.DrawN(dst) }); n != 0 {
			t.Errorf("%v: DrawN allocates %v times", d, n)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
