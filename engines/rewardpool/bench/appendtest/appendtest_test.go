package appendtest

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// memoryLog keeps its records in memory and passes them through mangle when they are read back.
type memoryLog struct{ records [][]byte }

func (l *memoryLog) Append(records [][]byte) error {
	for _, r := range records {
		l.records = append(l.records, slices.Clone(r))
	}
	return nil
}

func (l *memoryLog) Close() error { return nil }

func memoryEngine(mangle func([][]byte) [][]byte) Engine {
	var log *memoryLog
	return Engine{
		Open: func(_ string, sync Sync) (Log, error) {
			if sync == SyncCommit {
				return nil, ErrUnsupported
			}
			log = &memoryLog{}
			return log, nil
		},
		Read: func(_ string, visit func([]byte) error) error {
			for _, r := range mangle(log.records) {
				if err := visit(r); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func same(records [][]byte) [][]byte { return records }

func TestVerifyAcceptsFaithfulLog(t *testing.T) { Verify(t, memoryEngine(same)) }

func TestBenchmarkReportsMetrics(t *testing.T) {
	if err := flag.Set("test.benchtime", "500x"); err != nil {
		t.Fatal(err)
	}
	result := testing.Benchmark(func(b *testing.B) { benchmark(b, memoryEngine(same), SyncNone, 100) })
	if result.N == 0 {
		t.Fatal("the benchmark failed")
	}
	for _, metric := range []string{"bytes/record", "allocs/record", "cpu_ns/record", "wal_bytes/record"} {
		if _, ok := result.Extra[metric]; !ok {
			t.Errorf("metric %s is missing", metric)
		}
	}
}

func TestRecordsFollowTheSeed(t *testing.T) {
	first := makeRecords(3)
	if err := flag.Set("seed", "7"); err != nil {
		t.Fatal(err)
	}
	defer flag.Set("seed", "0")
	if seeded := makeRecords(3); bytes.Equal(first, seeded) || !bytes.Equal(seeded, makeRecords(3)) {
		t.Error("the records do not follow from the seed alone")
	}
}

func TestCheckFindsWrongLogs(t *testing.T) {
	cases := map[string]struct {
		mangle func([][]byte) [][]byte
		reason string
	}{
		"lost":      {func(r [][]byte) [][]byte { return r[:len(r)-1] }, "9 records, expected 10"},
		"phantom":   {func(r [][]byte) [][]byte { return append(r, r[0]) }, "more than the 10 records"},
		"order":     {func(r [][]byte) [][]byte { r[3], r[4] = r[4], r[3]; return r }, "record 3 is"},
		"bit":       {func(r [][]byte) [][]byte { r[7][31] ^= 1; return r }, "record 7 is"},
		"truncated": {func(r [][]byte) [][]byte { r[9] = r[9][:31]; return r }, "record 9 is"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			engine := memoryEngine(c.mangle)
			log, err := engine.Open("", SyncNone)
			if err != nil {
				t.Fatal(err)
			}
			records := makeRecords(10)
			if err := appendAll(log, records, 4); err != nil {
				t.Fatal(err)
			}
			if err := check(engine, "", records); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("check returned %v, expected an error with %q", err, c.reason)
			}
		})
	}
}

func TestCheckPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	engine := Engine{Read: func(string, func([]byte) error) error { return broken }}
	if err := check(engine, "", nil); !errors.Is(err, broken) {
		t.Errorf("check returned %v, expected %v", err, broken)
	}
}

func TestWrittenBytesSkipsAllocatedSpace(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a": "ab\x00c\x00\x00", "below/b": "d", "empty": "\x00\x00"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := writtenBytes(dir); err != nil || got != 5 {
		t.Errorf("writtenBytes is %d, %v; expected 5", got, err)
	}
}
