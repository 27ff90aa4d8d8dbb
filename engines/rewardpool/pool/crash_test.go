package pool

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/gocommon/vfs"
)

// A script is a run of random operations that is the same each time.
const scriptSteps = 90

// runScript runs until the first error of the pool; before is called ahead of
// each mutating call.
func runScript(t *testing.T, d Durability, seed uint64, before func(*run, vfs.Call) error) (*run, *vfs.Mem, error) {
	t.Helper()
	mem := vfs.NewMem()
	r := &run{m: newModel(testItems()), mem: mem}
	mem.Before = func(c vfs.Call) error {
		if !c.Mutates() {
			return nil
		}
		return before(r, c)
	}
	opened, err := newRun(testConfig(mem, d), seed)
	if err != nil {
		return r, mem, err
	}
	opened.mem = mem
	*r = *opened
	for range scriptSteps {
		if err := r.step(); err != nil {
			if errors.Is(err, errWrong) {
				t.Fatal(err)
			}
			return r, mem, err
		}
		if d == Mmap {
			// A store is not a call.
			if err := before(r, vfs.Call{Op: "store"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r, mem, nil
}

// consistent opens what a crash left and requires a state of the history, at
// or above the LSN that had to survive.
func consistent(mem *vfs.Mem, cfg Config, history []*model, acked uint64) (lsn uint64, err error) {
	cfg.FS = mem
	p, report, err := Open(testDir, cfg)
	if err != nil {
		return 0, err
	}
	if report.LSN < acked {
		return 0, fmt.Errorf("recovered lsn %d, acknowledged %d", report.LSN, acked)
	}
	// A frame is an operation, but the mark of a snapshot is an event of its own.
	at := history[0]
	for _, m := range history {
		if m.lsn <= report.LSN {
			at = m
		}
	}
	if err := at.same(p); err != nil {
		return 0, fmt.Errorf("recovered lsn %d, which is not a prefix: %w", report.LSN, err)
	}
	return report.LSN, p.Close()
}

// mustSurvive is the LSN that a crash of the kind may not take away.
func mustSurvive(d Durability, keep vfs.Keep, r *run) uint64 {
	if len(r.history) == 0 {
		return 0
	}
	last := r.history[len(r.history)-1]
	if d.synced() || keep == vfs.KeepAll && (d == Mmap || d == File) {
		return last.lsn
	}
	return last.durable
}

// A crash at every call of the file system, with the unsynced data kept in
// five ways, leaves a prefix of the history that has all it must have. Mmap
// also crashes between the operations, since its stores are not calls.
func TestCrashAtEveryCall(t *testing.T) {
	scripts := 1
	if long {
		scripts = 20
	}
	for _, d := range Durabilities {
		t.Run(d.String(), func(t *testing.T) {
			for seed := range uint64(scripts) {
				whole, _, err := runScript(t, d, seed, func(*run, vfs.Call) error { return nil })
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(seed, 9))
				call := 0
				_, _, err = runScript(t, d, seed, func(r *run, c vfs.Call) error {
					call++
					for _, keep := range vfs.Keeps {
						what := fmt.Sprintf("seed %d, call %d (%s %s), keep %v", seed, call, c.Op, c.Name, keep)
						checkCrash(t, r.mem.Crash(keep, rng), d, whole, mustSurvive(d, keep, r), rng, what)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// checkCrash recovers once whole and once with a second crash inside of the
// recovery, at a random call of it, and a third in the recovery of that.
func checkCrash(t *testing.T, left *vfs.Mem, d Durability, whole *run, acked uint64, rng *rand.Rand, what string) {
	t.Helper()
	cfg := testConfig(left, d)
	again := left
	for depth := range 2 {
		calls, at := 0, 1+rng.IntN(8)
		var inside *vfs.Mem
		probe := again.Crash(vfs.KeepAll, rng)
		probe.Before = func(c vfs.Call) error {
			if c.Mutates() {
				if calls++; calls == at {
					inside = probe.Crash(vfs.Keeps[rng.IntN(len(vfs.Keeps))], rng)
				}
			}
			return nil
		}
		lsn, err := consistent(probe, cfg, whole.history, acked)
		if err != nil {
			t.Fatalf("%s, recovery %d: %v", what, depth, err)
		}
		if d.synced() {
			acked = min(acked, lsn)
		}
		if inside == nil {
			break
		}
		again = inside
	}
	if _, err := consistent(again, cfg, whole.history, acked); err != nil {
		t.Fatalf("%s, third recovery: %v", what, err)
	}
	if !long && rng.IntN(4) > 0 {
		return
	}
	if err := continues(left, cfg); err != nil {
		t.Fatalf("%s, after the recovery: %v", what, err)
	}
}

// continues works on after a crash, over a rotation and a snapshot, and
// requires that the files tell the same story from the oldest snapshot on.
func continues(mem *vfs.Mem, cfg Config) error {
	cfg.FS = mem
	p, _, err := Open(testDir, cfg)
	if err != nil {
		return err
	}
	for _, step := range []func() error{p.Rotate, p.Snapshot, p.Rotate, p.Sync} {
		for range 3 {
			if _, err := p.DrawN(make([]uint32, 40)); err != nil && !errors.Is(err, ErrEmpty) {
				return err
			}
		}
		if err := step(); err != nil {
			return err
		}
	}
	want, err := p.StateHash()
	if err = errors.Join(err, p.Close()); err != nil {
		return err
	}
	rep, err := inspect(mem, testDir, true)
	if err == nil && rep.StateHash != want {
		err = errors.New("the history leads to another state")
	}
	return err
}
