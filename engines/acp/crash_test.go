package acp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/acp/tuple"
	"assay/gocommon/vfs"
)

// long is set for the full gate: longer histories.
var long = os.Getenv("ACP_TEST_LONG") != ""

// history does random operations on a persistent engine, one in seven of them in a batch, and one in
// memory beside it. It keeps the facts after each change, in the order of the log.
type history struct {
	t      *testing.T
	rng    *rand.Rand
	o      Options
	e      *Engine
	memory *Engine
	id     string
	states []string // after 0, 1, ... operations
	acked  int      // operations that returned
}

func newHistory(t *testing.T, seed uint64, fsys vfs.FS, sync Sync) *history {
	h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 3)), memory: must(Open(Options{}))}
	h.o = Options{Path: "store", FS: fsys, Sync: sync, segmentBytes: 256 << 10}
	h.e = must(Open(h.o))
	h.states = []string{state(h.t, h.memory)}
	h.step(func(e *Engine) { h.id = must(e.AddPolicy(alice, streamPolicy)) })
	return h
}

// step does one operation. What comes after it is known before it is logged.
func (h *history) step(do func(*Engine)) {
	do(h.memory)
	h.states = append(h.states, state(h.t, h.memory))
	do(h.e)
	h.acked = len(h.states) - 1
}

func (h *history) run(operations int) {
	for i := range operations {
		o := randomOperation(h.rng)
		switch {
		case i%7 == 0:
			docs := []string{fmt.Sprint("a", i), fmt.Sprint("b", i), fmt.Sprint("c", i)}
			h.step(func(e *Engine) { must(e.RegisterDocs(alice, h.id, "doc", docs)) })
		case i%11 == 10:
			owned := []tuple.Relationship{ownership(tuple.Object{Resource: "doc", ID: "x"}, alice), ownership(tuple.Object{Resource: "doc", ID: "y"}, bob)}
			h.step(func(e *Engine) { must(e.ImportPolicy(alice, streamPolicy, owned[:1], owned[1:])) })
		case i%29 == 28:
			h.step(func(e *Engine) {
				if err := e.EditPolicy(alice, h.id, fmt.Sprintf("%s# %d\n", streamPolicy, i)); err != nil {
					h.t.Fatal(err)
				}
			})
		default:
			h.step(func(e *Engine) { o.run(e, h.id) })
		}
	}
}

// state is all that an engine holds.
func state(t *testing.T, e *Engine) string {
	t.Helper()
	var b strings.Builder
	for _, p := range e.Policies() {
		fmt.Fprintln(&b, p)
		for _, r := range facts(t, e, p.ID) {
			fmt.Fprintln(&b, r)
		}
		b.WriteString(access(t, e, p.ID))
	}
	return b.String()
}

// recovered returns after which operation a store has its state, the last one if there are several:
// some operations change nothing, and some undo others.
func (h *history) recovered(fsys vfs.FS) int {
	h.t.Helper()
	found := h.reopened(fsys)
	for at := len(h.states) - 1; at >= 0; at-- {
		if h.states[at] == found {
			return at
		}
	}
	h.t.Fatalf("the store has a state that never was: %s", found)
	return -1
}

// reopened returns the state of a store, opened twice: the second time finds the same.
func (h *history) reopened(fsys vfs.FS) string {
	h.t.Helper()
	o := h.o
	o.FS = fsys
	found := ""
	for i := range 2 {
		e, err := Open(o)
		if err != nil {
			h.t.Fatal(err)
		}
		s := state(h.t, e)
		if i == 1 && s != found {
			h.t.Fatalf("opened again the store has %s, before %s", s, found)
		}
		found = s
		if err := e.log.Close(); err != nil { // without a snapshot
			h.t.Fatal(err)
		}
	}
	return found
}

// TestCrashAtEveryCall: whatever a crash leaves at any call to the file system is the state after some
// operation, and after the last one acknowledged or a later one where the sync mode promises that.
func TestCrashAtEveryCall(t *testing.T) {
	operations := 30
	if long {
		operations = 200
	}
	for _, sync := range []Sync{SyncNone, SyncBatch, SyncEach} {
		mem := vfs.NewMem()
		h := newHistory(t, 5, mem, sync)
		crashes := 0
		mem.Before = func(c vfs.Call) error {
			if !c.Mutates() {
				return nil
			}
			for _, keep := range vfs.Keeps {
				got := h.recovered(mem.Crash(keep, h.rng))
				if (sync != SyncNone || keep == vfs.KeepAll) && got < h.acked {
					t.Fatalf("%v, keeping %v: operation %d of %d acknowledged ones is the last (%v)", sync, keep, got, h.acked, c)
				}
				crashes++
			}
			return nil
		}
		h.run(operations)
		mem.Before = nil
		for _, keep := range vfs.Keeps {
			got := h.recovered(mem.Crash(keep, h.rng))
			if (sync != SyncNone || keep == vfs.KeepAll) && got < h.acked {
				t.Fatalf("%v, keeping %v: operation %d of %d is the last", sync, keep, got, h.acked)
			}
		}
		if sync == SyncEach && crashes < operations {
			t.Errorf("%d crashes in %d operations", crashes, operations)
		}
	}
}

// TestTornAtEveryByte cuts the log at every byte, and changes every byte: what opens is the state after
// some operation, the later the longer the log.
func TestTornAtEveryByte(t *testing.T) {
	operations := 15
	if long {
		operations = 1000
	}
	mem := vfs.NewMem()
	h := newHistory(t, 6, mem, SyncNone)
	h.run(operations)
	name, content := segment(t, mem)
	end := len(content)
	for end > 0 && content[end-1] == 0 {
		end--
	}
	const header = 4096
	last := 0
	for at := header; at <= end; at++ {
		cut := slices.Clone(content)
		clear(cut[at:])
		got := slices.Index(h.states[last:], h.reopened(store(t, mem, name, cut)))
		if got < 0 {
			t.Fatalf("cut at byte %d the log has a state that was not after operation %d or a later one", at, last)
		}
		last += got // the first such state: an operation may undo others
		if at == end {
			break
		}
		changed := slices.Clone(content)
		changed[at] ^= byte(1 + h.rng.IntN(255))
		h.recovered(store(t, mem, name, changed))
	}
	if h.states[last] != h.states[h.acked] {
		t.Errorf("the whole log ends after operation %d of %d", last, h.acked)
	}
}

// segment returns the only segment of the log.
func segment(t *testing.T, mem *vfs.Mem) (name string, content []byte) {
	t.Helper()
	for _, n := range must(mem.ReadDir("store")) {
		if strings.HasSuffix(n, ".seg") {
			if name != "" {
				t.Fatalf("segments %s and %s, want one", name, n)
			}
			name = n
		}
	}
	f := must(mem.Open("store/"+name, false))
	content = make([]byte, must(f.Size()))
	must(f.ReadAt(content, 0))
	return name, content
}

// store copies a store with another content of one file.
func store(t *testing.T, mem *vfs.Mem, name string, content []byte) *vfs.Mem {
	t.Helper()
	out := mem.Crash(vfs.KeepAll, nil)
	f := must(out.Open("store/"+name, true))
	must(f.WriteAt(content, 0))
	if err := f.Datasync(); err != nil {
		t.Fatal(err)
	}
	return out
}
