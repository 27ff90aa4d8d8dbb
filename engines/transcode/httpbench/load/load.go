// Package load sends requests over several connections, in an open or a closed loop.
package load

import (
	"fmt"
	"runtime"
	"sort"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"assay/transcode/httpbench/client"
)

// Result is what a loop found.
type Result struct {
	Requests  int
	Elapsed   time.Duration
	Latencies []time.Duration // sorted; of the open loop
}

// Dial opens the connections of a loop.
func Dial(connections int, dial func() (client.Client, error)) ([]client.Client, error) {
	all := make([]client.Client, connections)
	for i := range all {
		var err error
		if all[i], err = dial(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Open offers requests at a fixed rate, whatever becomes of the earlier ones: request i is due
// i/rate seconds after the start. The next free connection sends it. Its latency counts from when
// it was due, so what waits behind a slow answer is not forgotten. All answers are judged; the
// first wrong one is the error.
func Open(clients []client.Client, rate float64, requests int) (Result, error) {
	start := time.Now().Add(time.Millisecond)
	due := make(chan time.Time, requests)
	stop := make(chan struct{})
	go clock(start, rate, requests, due, stop)
	latencies := make([][]time.Duration, len(clients))
	err := all(clients, func(i int, c client.Client) error {
		for at := range due {
			if err := c.Do(); err != nil {
				return err
			}
			latencies[i] = append(latencies[i], time.Since(at))
			if err := c.Judge(); err != nil {
				return err
			}
		}
		return nil
	}, func() { close(stop) })
	result := Result{Elapsed: time.Since(start)}
	for _, some := range latencies {
		result.Latencies = append(result.Latencies, some...)
	}
	result.Requests = len(result.Latencies)
	if err == nil && result.Requests != requests {
		err = fmt.Errorf("%d requests of %d were sent", result.Requests, requests)
	}
	sort.Slice(result.Latencies, func(i, k int) bool { return result.Latencies[i] < result.Latencies[k] })
	return result, err
}

// clock gives out the requests when they are due. It sleeps in the kernel, on a thread of its own:
// timers of the Go runtime may be a millisecond late.
func clock(start time.Time, rate float64, requests int, due chan<- time.Time, stop <-chan struct{}) {
	runtime.LockOSThread() // for good: the thread ends with this
	defer close(due)
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // in ns; without it, 50 µs late
	for i := range requests {
		at := start.Add(time.Duration(float64(i) / rate * 1e9))
		for wait := time.Until(at); wait > 0; wait = time.Until(at) {
			pause := unix.NsecToTimespec(int64(wait))
			_ = unix.Nanosleep(&pause, nil) // when it is interrupted, it is asked again
		}
		select {
		case <-stop:
			return
		default:
			due <- at
		}
	}
}

// Closed sends the next request on a connection when the last one is answered, until the time is
// over or each connection has had its share of most requests (0: no limit).
func Closed(clients []client.Client, length time.Duration, most int) (Result, error) {
	start := time.Now()
	counts := make([]int, len(clients))
	err := all(clients, func(i int, c client.Client) error {
		for time.Since(start) < length && (most == 0 || counts[i]*len(clients) < most) {
			if err := c.Do(); err != nil {
				return err
			}
			if err := c.Judge(); err != nil {
				return err
			}
			counts[i]++
		}
		return nil
	}, func() {})
	result := Result{Elapsed: time.Since(start)}
	for _, count := range counts {
		result.Requests += count
	}
	return result, err
}

// all runs work once for each client and waits for all. The first error ends the others by failed.
func all(clients []client.Client, work func(int, client.Client) error, failed func()) error {
	var (
		wait  sync.WaitGroup
		once  sync.Once
		first error
	)
	for i, c := range clients {
		wait.Go(func() {
			if err := work(i, c); err != nil {
				once.Do(func() {
					first = err
					failed()
				})
			}
		})
	}
	wait.Wait()
	return first
}
