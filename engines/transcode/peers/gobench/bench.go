package gobench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// How long the message is translated before the clock starts, and how long at least with it.
const (
	warmUp  = 20 * time.Millisecond
	timeFor = 60 * time.Millisecond
)

// work is the translation of one input, whose output was as expected. The output is kept for its memory.
type work struct {
	translate  func(input, out []byte) ([]byte, error)
	input, out []byte
}

func (w *work) once() (err error) {
	w.out, err = w.translate(w.input, w.out[:0])
	return err
}

// checked is the translation of the message in dir.
func checked(codec New, dir, direction string) (*work, error) {
	s, err := readSchema(filepath.Join(dir, "schema.binpb"))
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{"type.txt": nil, "input.json": nil, "expected.bin": nil}
	if direction == toJSON {
		texts = map[string][]byte{"type.txt": nil, "input.bin": nil, "expected.json": nil}
	}
	for name := range texts {
		if texts[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	message, err := s.message(strings.TrimSpace(string(texts["type.txt"])))
	if err != nil {
		return nil, err
	}

	c := codec(message, s, false)
	translate, equal := c.ToWire, s.sameWire
	input, expected := texts["input.json"], texts["expected.bin"]
	if direction == toJSON {
		translate, equal = c.ToJSON, s.sameJSON
		input, expected = texts["input.bin"], texts["expected.json"]
	}
	out, err := translate(input, nil)
	if err != nil {
		return nil, err
	}
	if ok, err := equal(message, out, expected); err != nil || !ok {
		return nil, errors.Join(errors.New("the output is another message than the expected one"), err)
	}
	return &work{translate, input, out}, nil
}

// measure repeats the work as often as the warm-up says that it takes.
func (w *work) measure() ([]metric, error) {
	start := time.Now()
	warm := 0
	for time.Since(start) < warmUp {
		if err := w.once(); err != nil {
			return nil, err
		}
		warm++
	}
	count := max(1, int(float64(warm)*timeFor.Seconds()/time.Since(start).Seconds()))

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpuBefore, err := cpuSeconds()
	if err != nil {
		return nil, err
	}
	start = time.Now()
	for range count {
		if err := w.once(); err != nil {
			return nil, err
		}
	}
	seconds := time.Since(start).Seconds()
	cpuAfter, err := cpuSeconds()
	if err != nil {
		return nil, err
	}
	cpu := cpuAfter - cpuBefore
	runtime.ReadMemStats(&after)

	n := float64(count)
	return []metric{
		{"wall_seconds", seconds / n},
		{"cpu_seconds", cpu / n},
		{"cpu_seconds_per_byte", cpu / n / float64(len(w.input))},
		{"allocs_per_op", float64(after.Mallocs-before.Mallocs) / n},
		{"heap_bytes_per_op", float64(after.TotalAlloc-before.TotalAlloc) / n},
	}, nil
}

// cpuSeconds is the CPU time of all threads, in user mode and in the kernel.
func cpuSeconds() (float64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("no CPU time: %w", err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) * 1e-9, nil
}
