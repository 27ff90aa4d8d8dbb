// Package meter measures what the timed part of a benchmark uses beside its time: allocated heap,
// garbage collections and processor time.
package meter

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Usage is what was used between two readings, by the whole process.
type Usage struct {
	HeapBytes uint64 // bytes allocated, whether freed since or not
	Allocs    uint64
	GCs       uint32
	CPU       time.Duration // user and system time of all threads
}

// Meter holds the reading taken when the timed part began.
type Meter struct{ start Usage }

// Start collects the garbage of the preparation, takes a reading and starts the benchmark's timer
// from zero.
func Start(b *testing.B) Meter {
	b.StopTimer()
	runtime.GC()
	m := Meter{read()}
	b.ResetTimer()
	b.StartTimer()
	return m
}

// Stop stops the benchmark's timer and returns what was used since Start.
func (m Meter) Stop(b *testing.B) Usage {
	b.StopTimer()
	end := read()
	return Usage{
		HeapBytes: end.HeapBytes - m.start.HeapBytes,
		Allocs:    end.Allocs - m.start.Allocs,
		GCs:       end.GCs - m.start.GCs,
		CPU:       end.CPU - m.start.CPU,
	}
}

// Report reports the usage for each of count operations, under "<name>/<op>".
func (u Usage) Report(b *testing.B, op string, count int) {
	n := float64(count)
	b.ReportMetric(float64(u.HeapBytes)/n, "bytes/"+op)
	b.ReportMetric(float64(u.Allocs)/n, "allocs/"+op)
	b.ReportMetric(float64(u.CPU.Nanoseconds())/n, "cpu_ns/"+op)
}

func read() Usage {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	var cpu syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &cpu); err != nil {
		panic("getrusage: " + err.Error())
	}
	return Usage{
		HeapBytes: heap.TotalAlloc,
		Allocs:    heap.Mallocs,
		GCs:       heap.NumGC,
		CPU:       time.Duration(cpu.Utime.Nano() + cpu.Stime.Nano()),
	}
}
