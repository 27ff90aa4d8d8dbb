package main

import (
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

// check sends all bodies in all modes from many clients at once and judges every answer.
func check(flags *flag.FlagSet, words []string) error {
	clients := flags.Int("clients", 64, "how many send at the same time")
	seconds := flags.Float64("seconds", 2, "for how long")
	seed := flags.Uint64("seed", 1, "of the bodies")
	var modes, render files
	flags.Var(&modes, "mode", "json, json_h2, grpc; may be repeated (none: all)")
	flags.Var(&render, "render", "file to fill and copy into the gateway's directory")
	if err := flags.Parse(words); err != nil {
		return err
	}
	if len(modes) == 0 {
		modes = files{"json", "json_h2", "grpc"}
	}
	var bodies []*payload.Payload
	for _, name := range []string{"field", "nested", "int32", "bytes"} {
		body, err := payload.Make(name, *seed)
		if err != nil {
			return err
		}
		bodies = append(bodies, body)
	}
	set, err := schema.Set()
	if err != nil {
		return err
	}
	return withGateway(flags.Args(), render, set, false, func(g *gateway.Gateway, _ *echo.Server) error {
		if err := g.Wait(func() error { return once(modes[0], g.Address, bodies[0]) }); err != nil {
			return err
		}
		next := 0
		all, err := load.Dial(*clients, func() (client.Client, error) {
			place := next
			next++
			return client.Dial(modes[place%len(modes)], g.Address, bodies[place/len(modes)%len(bodies)])
		})
		if err != nil {
			return err
		}
		found, err := load.Closed(all, time.Duration(*seconds*1e9), 0)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(os.Stdout, "%d answers to %d clients are right\n", found.Requests, *clients)
		return err
	})
}
