package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"assay/transcode/httpbench/client"
	"assay/transcode/httpbench/echo"
	"assay/transcode/httpbench/gateway"
	"assay/transcode/httpbench/load"
	"assay/transcode/httpbench/payload"
	"assay/transcode/httpbench/schema"
)

// Before anything is timed, the connections carry this much load.
const (
	warmUp         = 150 * time.Millisecond
	warmUpRequests = 400
)

// shot is what open and closed have in common.
type shot struct {
	body, mode  string
	connections int
	seconds     float64
	seed        uint64
	render      files
}

func (s *shot) register(flags *flag.FlagSet) {
	flags.StringVar(&s.body, "body", "field", "field, nested, int32 or bytes")
	flags.StringVar(&s.mode, "mode", "json", "json, json_h2 or grpc")
	flags.IntVar(&s.connections, "connections", 8, "how many connections carry the load")
	flags.Float64Var(&s.seconds, "seconds", 0.5, "for how long load is sent")
	flags.Uint64Var(&s.seed, "seed", 1, "of the bodies")
	flags.Var(&s.render, "render", "file to fill and copy into the gateway's directory")
}

// measured is one loop with the gateway's bill for it.
type measured struct {
	load.Result
	cpu        time.Duration
	peakMemory int64
}

// run starts everything, warms it up, and measures one loop.
func (s *shot) run(words []string, loop func([]client.Client) (load.Result, error)) (measured, error) {
	var found measured
	body, err := payload.Make(s.body, s.seed)
	if err != nil {
		return found, err
	}
	set, err := schema.Set()
	if err != nil {
		return found, err
	}
	err = withGateway(words, s.render, set, false, func(g *gateway.Gateway, _ *echo.Server) error {
		if err := g.Wait(func() error { return once(s.mode, g.Address, body) }); err != nil {
			return err
		}
		clients, err := load.Dial(s.connections, func() (client.Client, error) {
			return client.Dial(s.mode, g.Address, body)
		})
		if err != nil {
			return err
		}
		if _, err := load.Closed(clients, warmUp, warmUpRequests); err != nil {
			return err
		}
		before, err := g.CPU()
		if err != nil {
			return err
		}
		if found.Result, err = loop(clients); err != nil {
			return err
		}
		after, err := g.CPU()
		if err != nil {
			return err
		}
		found.cpu = after - before
		found.peakMemory, err = g.PeakMemory()
		return err
	})
	return found, err
}

// once is one request over a connection of its own.
func once(mode, address string, body *payload.Payload) error {
	c, err := client.Dial(mode, address, body)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Do(); err != nil {
		return err
	}
	return c.Judge()
}

func open(flags *flag.FlagSet, words []string) error {
	var s shot
	s.register(flags)
	rate := flags.Float64("rate", 1000, "requests offered per second")
	if err := flags.Parse(words); err != nil {
		return err
	}
	requests := int(*rate*s.seconds + 0.5)
	found, err := s.run(flags.Args(), func(clients []client.Client) (load.Result, error) {
		return load.Open(clients, *rate, requests)
	})
	if err != nil {
		return err
	}
	report("cpu_seconds_per_request", found.cpu.Seconds()/float64(found.Requests))
	for _, percent := range []int{50, 90, 99} {
		// Fewer than five values above a percentile would not tell it.
		if above := found.Requests * (100 - percent) / 100; above >= 5 {
			latency := found.Latencies[found.Requests-1-above]
			report(fmt.Sprintf("latency_p%d", percent), latency.Seconds())
		}
	}
	return s.rest(found)
}

func closed(flags *flag.FlagSet, words []string) error {
	var s shot
	s.register(flags)
	if err := flags.Parse(words); err != nil {
		return err
	}
	found, err := s.run(flags.Args(), func(clients []client.Client) (load.Result, error) {
		return load.Closed(clients, time.Duration(s.seconds*1e9), 0)
	})
	if err != nil {
		return err
	}
	report("seconds_per_request", found.Elapsed.Seconds()/float64(found.Requests))
	report("cpu_seconds_per_request", found.cpu.Seconds()/float64(found.Requests))
	return s.rest(found)
}

// rest prints what both loops have. A shot with a wrong answer never comes here.
func (s *shot) rest(found measured) error {
	report("requests", float64(found.Requests))
	report("requests_per_second", float64(found.Requests)/found.Elapsed.Seconds())
	report("errors", 0)
	report("peak_memory", float64(found.peakMemory))
	return nil
}

func report(metric string, value float64) {
	line, err := json.Marshal(map[string]any{"metric": metric, "value": value})
	if err != nil {
		panic(err) // a name and a finite number
	}
	_, _ = fmt.Fprintln(os.Stdout, string(line))
}
