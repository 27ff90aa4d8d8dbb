package meter

import (
	"flag"
	"runtime"
	"testing"
)

var sink []byte

func TestUsageCountsTheTimedPart(t *testing.T) {
	if err := flag.Set("test.benchtime", "1x"); err != nil {
		t.Fatal(err)
	}
	var got Usage
	testing.Benchmark(func(b *testing.B) {
		sink = make([]byte, 1<<20) // preparation: not counted
		m := Start(b)
		for range 4 {
			sink = make([]byte, 1<<10)
		}
		runtime.GC()
		got = m.Stop(b)
		sink = make([]byte, 1<<20) // after: not counted
	})
	if got.Allocs < 4 || got.HeapBytes < 4<<10 || got.HeapBytes > 1<<19 {
		t.Errorf("4 allocations of 1 KiB measured as %d allocations of %d bytes in all", got.Allocs, got.HeapBytes)
	}
	if got.GCs != 1 {
		t.Errorf("1 garbage collection measured as %d", got.GCs)
	}
	if got.CPU <= 0 {
		t.Errorf("no processor time measured")
	}
}
