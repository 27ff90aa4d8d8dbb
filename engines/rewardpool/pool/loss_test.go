package pool

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"assay/gocommon/vfs"
	"assay/gocommon/wal"
)

// files are the contents of a pool by name.
type files map[string][]byte

func readFiles(fsys vfs.FS) files {
	names, _ := fsys.ReadDir(testDir)
	out := files{}
	for _, name := range names {
		out[name], _ = readFile(fsys, path.Join(testDir, name))
	}
	return out
}

func readFile(fsys vfs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name, false)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	return readStart(f, size)
}

// with returns the files with one replaced, or without it.
func (f files) with(name string, contents []byte) files {
	out := maps.Clone(f)
	if out[name] = contents; contents == nil {
		delete(out, name)
	}
	return out
}

func (f files) disk() *vfs.Mem {
	mem := vfs.NewMem()
	mem.MkdirAll(testDir)
	for name, contents := range f {
		file, _ := mem.Create(path.Join(testDir, name))
		file.WriteAt(contents, 0)
		file.Datasync()
	}
	mem.SyncDir(testDir)
	return mem
}

// Files of a closed pool that are cut, missing or older are damage, or nothing
// is missing without them. Only None, which has no log, may show an older stock.
func TestLostFiles(t *testing.T) {
	scripts := 1
	if long {
		scripts = 40
	}
	for _, d := range Durabilities {
		t.Run(d.String(), func(t *testing.T) {
			for seed := range uint64(scripts) {
				loseFiles(t, d, seed)
			}
		})
	}
}

func loseFiles(t *testing.T, d Durability, seed uint64) {
	t.Helper()
	mem := vfs.NewMem()
	r, err := newRun(testConfig(mem, d), seed)
	if err != nil {
		t.Fatal(err)
	}
	var images []files
	for range 4 {
		for range 40 {
			if err := r.step(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.reopen(); err != nil {
			t.Fatal(err)
		}
		images = append(images, readFiles(mem.Crash(vfs.KeepNone, nil)))
	}
	if err := r.p.Close(); err != nil {
		t.Fatal(err)
	}
	whole := readFiles(mem)
	lost := func(left files, what string) {
		t.Helper()
		if err := sameOrDamaged(left, r, d); err != nil {
			t.Fatalf("seed %d, %s: %v", seed, what, err)
		}
	}
	segments := maps.Clone(whole)
	for name, contents := range whole {
		for _, size := range []int{0, 100, wal.HeaderBytes, len(contents) / 2, len(contents) - 8} {
			if size >= 0 && size < len(contents) {
				lost(whole.with(name, contents[:size:size]), name+" cut")
			}
		}
		lost(whole.with(name, nil), name+" missing")
		for _, older := range images {
			if old, ok := older[name]; ok {
				lost(whole.with(name, old), name+" older")
			}
		}
		if strings.HasSuffix(name, ".seg") {
			delete(segments, name)
		}
	}
	if d != None {
		lost(files{wal.MarkName: whole[wal.MarkName]}, "all but the mark missing")
	}
	lost(segments, "the log missing")
	lost(segments.with(wal.MarkName, nil), "the log and its mark missing")
}

// Of a pool whose process was killed, no file can be cut, and none of the log be
// missing but the last segment, without damage.
func TestLostFilesAfterAKill(t *testing.T) {
	scripts := 1
	if long {
		scripts = 40
	}
	for _, d := range []Durability{Mmap, File, Group, Each} {
		for seed := range uint64(scripts) {
			r, err := newRun(testConfig(vfs.NewMem(), d), seed)
			if err != nil {
				t.Fatal(err)
			}
			for range scriptSteps {
				if err := r.step(); err != nil {
					t.Fatal(err)
				}
			}
			whole := readFiles(r.cfg.FS.(*vfs.Mem).Crash(vfs.KeepAll, nil))
			segments, err := wal.List(whole.disk(), testDir)
			if err != nil {
				t.Fatal(err)
			}
			last := segments[len(segments)-1].Name
			for name, contents := range whole {
				for _, size := range []int{0, 100, wal.HeaderBytes, len(contents) / 2, len(contents) - 8} {
					if size >= 0 && size < len(contents) {
						if err := sameOrDamaged(whole.with(name, contents[:size:size]), r, d); err != nil {
							t.Errorf("%v, seed %d, %s cut to %d bytes: %v", d, seed, name, size, err)
						}
					}
				}
				if name == last {
					continue
				}
				if err := sameOrDamaged(whole.with(name, nil), r, d); err != nil {
					t.Errorf("%v, seed %d, %s missing: %v", d, seed, name, err)
				}
			}
			r.p.Close()
		}
	}
}

// sameOrDamaged opens the files and requires damage or the state of the run.
func sameOrDamaged(left files, r *run, d Durability) error {
	var damage *wal.CorruptError
	mem := left.disk()
	rep, err := inspect(mem, testDir, true)
	if err != nil && !errors.As(err, &damage) {
		return err
	}
	if err == nil && rep.LSN < r.m.lsn && d != None {
		return errors.New("verified without its last events")
	}
	p, report, err := Open(testDir, testConfig(mem, d))
	if errors.As(err, &damage) {
		if !maps.EqualFunc(readFiles(mem), left, slices.Equal[[]byte]) {
			return errors.New("refused, but changed")
		}
		return nil
	}
	if err != nil {
		return err
	}
	if d == None && report.LSN < r.m.lsn {
		return p.Close()
	}
	return errors.Join(r.m.same(p), p.Close())
}

// What a log proves stays proved until its history is given up on purpose.
func TestRepairGivesUpTheMark(t *testing.T) {
	mem := vfs.NewMem()
	p := openTest(t, testConfig(mem, File))
	for range 3 {
		if _, err := p.DrawN(make([]uint32, 20)); err != nil {
			t.Fatal(err)
		}
		if err := p.Rotate(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	whole := readFiles(mem)
	for what, left := range map[string]files{
		"the last segments are missing": whole.with(wal.SegmentName(60), nil).with(wal.SegmentName(40), nil),
		"the mark is missing":           whole.with(wal.MarkName, nil),
		"the last segment is longer":    whole.with(wal.SegmentName(60), append(slices.Clone(whole[wal.SegmentName(60)]), 1)),
		"a segment is cut":              whole.with(wal.SegmentName(20), whole[wal.SegmentName(20)][:4100]),
	} {
		mem := left.disk()
		var damage *wal.CorruptError
		if _, _, err := Open(testDir, testConfig(mem, File)); !errors.As(err, &damage) {
			t.Fatalf("%s: %v", what, err)
		}
		if rep, err := repair(mem, testDir, damage.LSN, true); err != nil || rep.LSN != damage.LSN {
			t.Fatalf("%s: repaired to %+v, %v; expected lsn %d", what, rep, err, damage.LSN)
		}
		q := openTest(t, testConfig(mem, File))
		if got := q.Stats().LSN; got != damage.LSN {
			t.Fatalf("%s: lsn %d, expected %d", what, got, damage.LSN)
		}
		q.Close()
	}
}

// A file that a log did not make stays, whatever its name ends with.
func TestFilesOfOthersStay(t *testing.T) {
	others := []string{"thesis.tmp", "wal-0000000000000000.seg.tmp", "segment-2.tmp", "snap-1.snap.tmp", "wal-next-x.tmp"}
	ours := []string{"snap-0000000000000007.snap.tmp", "wal-next-9.tmp", "wal-cut.tmp"}
	mem := vfs.NewMem()
	p := openTest(t, testConfig(mem, File))
	p.Draw()
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(others, ours) {
		f, _ := mem.Create(path.Join(testDir, name))
		f.WriteAt([]byte("draft"), 0)
	}
	if rep, err := inspect(mem, testDir, true); err != nil || rep.LSN != 1 {
		t.Fatal(rep, err)
	}
	p = openTest(t, testConfig(mem, File))
	p.Close()
	left := readFiles(mem)
	for _, name := range others {
		if string(left[name]) != "draft" {
			t.Errorf("%s is gone", name)
		}
	}
	for _, name := range ours {
		if _, ok := left[name]; ok {
			t.Errorf("%s is left", name)
		}
	}
}

// hugeFile has the bytes of a file and claims to be of a terabyte.
type hugeFile struct {
	vfs.File
	t *testing.T
}

func (f hugeFile) Size() (int64, error) { return 1 << 40, nil }

func (f hugeFile) ReadAt(b []byte, off int64) (int, error) {
	if len(b) > 1<<20 {
		f.t.Fatalf("%d bytes are read at once", len(b))
	}
	return f.File.ReadAt(b, off)
}

type hugeFS struct {
	*vfs.Mem
	t    *testing.T
	name string
}

func (h hugeFS) Open(name string, write bool) (vfs.File, error) {
	f, err := h.Mem.Open(name, write)
	if err == nil && path.Base(name) == h.name {
		return hugeFile{f, h.t}, nil
	}
	return f, err
}

// The length of a file is held against what its header says, before it is read.
func TestLengthsAreChecked(t *testing.T) {
	mem := vfs.NewMem()
	p := openTest(t, testConfig(mem, Group))
	p.DrawN(make([]uint32, 20))
	if err := errors.Join(p.Snapshot(), p.Close()); err != nil {
		t.Fatal(err)
	}
	for name := range readFiles(mem) {
		huge := hugeFS{mem, t, name}
		rep, err := inspect(huge, testDir, true)
		var damage *wal.CorruptError
		if !wal.IsTemporary(name) && !errors.As(err, &damage) {
			t.Errorf("%s of a terabyte: %+v, %v", name, rep, err)
		}
	}
}
