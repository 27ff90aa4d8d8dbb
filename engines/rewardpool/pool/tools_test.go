package pool

import (
	"errors"
	"math"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"testing"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
	"assay/rewardpool/core"
)

func columnFrame(width, n int, b []byte) *wal.Frame {
	return &wal.Frame{Type: typeDraws, Flags: byte(width), Events: uint32(n), Payload: b[:wal.PaddedPayload(width*n)]}
}

// Dump shows what happened, in order, and nothing is written.
func TestDump(t *testing.T) {
	mem := vfs.NewMem()
	p := openTest(t, testConfig(mem, File))
	dst := make([]uint32, 5)
	one, _ := p.Draw()
	p.DrawN(dst)
	id := requestID(7)
	asked, _, _ := p.DrawID(id)
	plus := int64(3)
	if err := errors.Join(p.Update("gold", core.Update{Delta: &plus}), p.Add(core.Item{ID: "new", Quantity: 2, Weight: 1}),
		p.Retire("gold"), p.Close()); err != nil {
		t.Fatal(err)
	}
	var events []Event
	err := dump(mem, testDir, func(e Event, _ error) bool { events = append(events, e); return true })
	if err != nil || len(events) != 10 {
		t.Fatal(len(events), err)
	}
	want := append([]uint32{one}, append(dst, asked)...)
	for i, item := range want {
		if e := events[i]; e.LSN != uint64(i) || e.Kind != EventDraw || e.Item != item || e.ItemID != testItems()[item].ID {
			t.Fatalf("event %d: %+v, expected item %d", i, e, item)
		}
	}
	if r := events[6].Request; r == nil || *r != id {
		t.Fatal(events[6])
	}
	if e := events[7]; e.Kind != EventUpdate || e.ItemID != "gold" || *e.Update.Delta != 3 || e.Update.Quantity != nil {
		t.Fatalf("%+v", e)
	}
	if e := events[8]; e.Kind != EventAdd || e.Item != 5 || e.Added.Quantity != 2 {
		t.Fatalf("%+v", e)
	}
	if e := events[9]; e.Kind != EventRetire || e.ItemID != "gold" {
		t.Fatalf("%+v", e)
	}
}

// Damage is refused by Open, Check and Verify, and given up by Repair, which
// keeps what lies before it.
func TestRepair(t *testing.T) {
	l := logFrames(t, 1, someFrames)
	segment := append([]byte(nil), l.bytes...)
	segment[l.offsets[4]+30] ^= 1
	f, _ := l.mem.Create(l.name)
	f.WriteAt(segment, 0)
	f.Datasync()
	_, _, err := Open(testDir, testConfig(l.mem, Group))
	var damage *wal.CorruptError
	if !errors.As(err, &damage) || damage.LSN != l.history[4].lsn || damage.Offset != int64(l.offsets[4]) {
		t.Fatal(err)
	}
	for _, execute := range []bool{false, true} {
		if _, err := inspect(l.mem, testDir, execute); !errors.As(err, &damage) {
			t.Fatal(err)
		}
	}
	rep, err := repair(l.mem, testDir, damage.LSN, true)
	if err != nil || rep.LSN != damage.LSN || len(rep.Copies) != 2 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if kept, err := readFile(l.mem, path.Join(testDir, copyPrefix(1)+wal.SegmentName(0))); err != nil || string(kept) != string(segment) {
		t.Fatal("the copy differs", err)
	}
	if lsn, err := consistent(l.mem.Crash(vfs.KeepNone, nil), testConfig(l.mem, Group), l.history, rep.LSN); err != nil || lsn != rep.LSN {
		t.Fatal(lsn, err)
	}
}

// A snapshot whose length is damaged does not fill the disk with its copy.
func TestRepairCopiesNoZeros(t *testing.T) {
	dir := t.TempDir()
	p, _, err := Open(dir, Config{Items: testItems(), Durability: File})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.DrawN(make([]uint32, 20))
	if err := errors.Join(err, p.Snapshot(), p.Close()); err != nil {
		t.Fatal(err)
	}
	const size = 1 << 30
	newest := snapshotName(20)
	if err := os.Truncate(filepath.Join(dir, newest), size); err != nil {
		t.Fatal(err)
	}
	if _, err := Repair(dir, math.MaxUint64, true); err != nil {
		t.Fatal(err)
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(filepath.Join(dir, copyPrefix(1)+newest), &stat); err != nil || stat.Size != size || stat.Blocks*512 > 4<<20 {
		t.Fatalf("%d bytes in %d blocks, %v", stat.Size, stat.Blocks, err)
	}
}

// The last single draws are re-executed too, fewer than are reproduced together.
func TestVerifyReachesTheEnd(t *testing.T) {
	mem := vfs.NewMem()
	p := openTest(t, testConfig(mem, File))
	for range 100 {
		if _, err := p.Draw(); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := p.StateHash()
	p.Close()
	rep, err := inspect(mem, testDir, true)
	if err != nil || rep.Draws != 100 || rep.StateHash != want {
		t.Fatalf("%d draws, state %x, %v; expected 100 and %x", rep.Draws, rep.StateHash, err, want)
	}
}

// A damaged newest snapshot is replaced by the older one and the log; without
// enough log it is an error, not an old stock.
func TestSnapshotFallback(t *testing.T) {
	for _, d := range []Durability{None, Group} {
		mem := vfs.NewMem()
		cfg := testConfig(mem, d)
		p := openTest(t, cfg)
		for range 2 {
			if _, err := p.DrawN(make([]uint32, 20)); err != nil {
				t.Fatal(err)
			}
			if err := p.Snapshot(); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := p.StateHash()
		p.Close()
		lsns, err := listSnapshots(mem, testDir)
		if err != nil || len(lsns) != 2 {
			t.Fatal(lsns, err)
		}
		f, _ := mem.Open(path.Join(testDir, snapshotName(lsns[0])), true)
		f.WriteAt([]byte{0xff}, 200)
		q, report, err := Open(testDir, cfg)
		if d == None {
			var damage *wal.CorruptError
			if !errors.As(err, &damage) {
				t.Fatalf("an older stock was opened: %+v, %v", report, err)
			}
			continue
		}
		if err != nil || report.SnapshotLSN != lsns[1] {
			t.Fatal(report, err)
		}
		if got, _ := q.StateHash(); got != want {
			t.Fatal("another state after the fallback")
		}
	}
}

// A snapshot survives a power loss when Snapshot returns, and its hash counts.
func TestSnapshotIsDurable(t *testing.T) {
	for _, d := range []Durability{None, Group} {
		mem := vfs.NewMem()
		p := openTest(t, testConfig(mem, d))
		p.DrawN(make([]uint32, 20))
		if err := p.Snapshot(); err != nil {
			t.Fatal(err)
		}
		_, report, err := Open(testDir, Config{ReadOnly: true, FS: mem.Crash(vfs.KeepNone, nil)})
		if err != nil || report.SnapshotLSN != 20 {
			t.Fatalf("%v: %+v, %v", d, report, err)
		}
	}
	forged := snapshot{body: []byte("a state"), hash: [32]byte{1}}
	if _, _, why := decodeSnapshot(forged.encode(nil)); why == "" {
		t.Fatal("a state with another hash was accepted")
	}
}

// One process writes, or several read.
func TestLocking(t *testing.T) {
	mem := vfs.NewMem()
	cfg := testConfig(mem, File)
	p := openTest(t, cfg)
	if _, _, err := Open(testDir, cfg); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	if _, err := inspect(mem, testDir, true); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	p.Close()
	mem.Before = func(c vfs.Call) error {
		if c.Mutates() {
			t.Errorf("a reader calls %s %s", c.Op, c.Name)
		}
		return nil
	}
	read := cfg
	read.ReadOnly = true
	a, b := openTest(t, read), openTest(t, read)
	if _, err := a.Draw(); !errors.Is(err, ErrReadOnly) {
		t.Fatal(err)
	}
	if err := errors.Join(a.Sync(), a.Snapshot()); !errors.Is(err, ErrReadOnly) {
		t.Fatal(err)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	mem.Before = nil
	if _, _, err := Open("elsewhere", Config{FS: mem}); err == nil {
		t.Fatal("no directory, and no error")
	}
	mem.MkdirAll("empty")
	if _, _, err := Open("empty", Config{FS: mem}); !errors.Is(err, ErrNotPool) {
		t.Fatal(err)
	}
}

// A snapshot loader fed anything returns an error or a state, and does not
// panic.
func FuzzSnapshot(f *testing.F) {
	state, err := core.New(core.Config{Items: testItems()})
	if err != nil {
		f.Fatal(err)
	}
	body, _ := state.AppendBinary(nil)
	s := snapshot{lsn: 3, body: body}
	f.Add(s.encode(nil))
	f.Add([]byte(snapshotMagic))
	f.Add(s.encode(nil)[:snapshotHeader+9])
	f.Fuzz(func(t *testing.T, b []byte) {
		s, offset, why := decodeSnapshot(b)
		if why == "" && len(s.body) > len(b) || offset > int64(len(b))+snapshotHeader {
			t.Fatal(why, offset, len(s.body))
		}
		if mem := vfs.NewMem(); why == "" {
			mem.MkdirAll(testDir)
			writeSnapshot(mem, testDir, &s)
			if again, _, err := readSnapshot(mem, testDir, s.lsn); err == nil && again.hash != s.hash {
				t.Fatal("another hash after a round trip")
			}
		}
	})
}

// A snapshot that does not verify replaces none: two that do stay beside it.
func TestPruningCountsOnlyValidSnapshots(t *testing.T) {
	for _, d := range []Durability{None, Group} {
		mem := vfs.NewMem()
		p := openTest(t, testConfig(mem, d))
		save := func() {
			if _, err := p.DrawN(make([]uint32, 20)); err != nil {
				t.Fatal(err)
			}
			if err := p.Snapshot(); err != nil {
				t.Fatal(err)
			}
		}
		save()
		lsns, err := listSnapshots(mem, testDir)
		if err != nil || len(lsns) != 2 {
			t.Fatal(lsns, err)
		}
		oldest, damaged := lsns[1], lsns[0]
		f, _ := mem.Open(path.Join(testDir, snapshotName(damaged)), true)
		f.WriteAt([]byte{0xff}, 200)
		save()
		if after, err := listSnapshots(mem, testDir); err != nil || len(after) != 3 || after[2] != oldest {
			t.Errorf("%v: snapshots %v, %v; expected %d to stay below the damaged %d", d, after, err, oldest, damaged)
		}
		save()
		if after, err := listSnapshots(mem, testDir); err != nil || len(after) != 2 {
			t.Errorf("%v: snapshots %v, %v; expected the two newest", d, after, err)
		}
		p.Close()
	}
}
