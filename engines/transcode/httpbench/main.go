// Command httpbench measures gateways that turn JSON over HTTP into gRPC: the processor time that a
// request costs the gateway, and how long requests take. It starts a gRPC echo server, which is a
// real one (grpc-go) and a part of this process, then the gateway, as a process of its own that
// gets a CPU of its own if there are two, and then it sends load over the loopback interface.
//
//	httpbench open    -body B -mode M -rate R  [flags] -- COMMAND...   load at a fixed rate
//	httpbench closed  -body B -mode M -connections C  -- COMMAND...   as much load as it takes
//	httpbench check   [flags] -- COMMAND...                           every answer is right, under load
//	httpbench rough   [flags] -- COMMAND...                           clients on bad lines
//	httpbench replay  -cases FILE -descriptor FILE -- COMMAND...      recorded exchanges
//	httpbench echo    -listen ADDRESS                                 the echo server alone
//
// Package gateway says what is filled into COMMAND.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"assay/transcode/httpbench/echo"
	"assay/transcode/httpbench/gateway"
	"assay/transcode/httpbench/replay"
	"assay/transcode/httpbench/schema"
)

// The thread that starts the gateway has to live as long as this process.
func init() { runtime.LockOSThread() }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "httpbench:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	if len(words) == 0 {
		return errors.New("expected open, closed, check, rough, replay or echo")
	}
	commands := map[string]func(*flag.FlagSet, []string) error{
		"open": open, "closed": closed, "check": check, "rough": rough, "replay": replayed, "echo": echoed,
	}
	command, found := commands[words[0]]
	if !found {
		return fmt.Errorf("expected open, closed, check, rough, replay or echo, found %q", words[0])
	}
	return command(flag.NewFlagSet(words[0], flag.ExitOnError), words[1:])
}

func echoed(flags *flag.FlagSet, words []string) error {
	listen := flags.String("listen", "127.0.0.1:50051", "address")
	if err := flags.Parse(words); err != nil {
		return err
	}
	server, err := echo.Start(*listen, false)
	if err != nil {
		return err
	}
	defer server.Stop()
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	<-stopped
	return nil
}

func replayed(flags *flag.FlagSet, words []string) error {
	cases := flags.String("cases", "", "recorded exchanges, JSON lines")
	descriptor := flags.String("descriptor", "", "FileDescriptorSet of the recorded service")
	config := flags.String("config", "default", "which configuration's exchanges")
	successes := flags.Bool("successes", false, "only the exchanges answered with 200, without headers")
	deviations := flags.String("deviations", "", "cases that this gateway answers otherwise, and why")
	var render files
	flags.Var(&render, "render", "file to fill and copy into the gateway's directory")
	if err := flags.Parse(words); err != nil {
		return err
	}
	text, err := os.ReadFile(*descriptor)
	if err != nil {
		return err
	}
	return withGateway(flags.Args(), render, text, true, func(g *gateway.Gateway, server *echo.Server) error {
		suite, err := replay.Load(*cases, *config, *deviations, *successes, text)
		if err != nil {
			return err
		}
		if err := g.Wait(func() error { return suite.Try(g.Address) }); err != nil {
			return err
		}
		server.Calls()
		return suite.Run(g.Address, server, os.Stdout)
	})
}

// files is a flag that may be given several times.
type files []string

func (f *files) String() string { return fmt.Sprint(*f) }

func (f *files) Set(path string) error {
	*f = append(*f, path)
	return nil
}

// withGateway starts the echo server and the gateway, and stops both however work ends.
func withGateway(
	words, render []string, descriptor []byte, record bool, work func(*gateway.Gateway, *echo.Server) error,
) (err error) {
	if len(words) == 0 {
		return errors.New("expected the command of the gateway after --")
	}
	dir, err := os.MkdirTemp("", "httpbench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cpu, err := gateway.Divide()
	if err != nil {
		return err
	}
	server, err := echo.Start("", record)
	if err != nil {
		return err
	}
	defer server.Stop()
	services, err := schema.Services(descriptor)
	if err != nil {
		return err
	}
	set := filepath.Join(dir, "service.binpb")
	if err := os.WriteFile(set, descriptor, 0o644); err != nil {
		return err
	}
	g, err := gateway.Start(gateway.Plan{
		Words: words, Render: render, Dir: dir, Upstream: server.Address, Descriptor: set,
		Services: services, CPU: cpu,
	})
	if err != nil {
		return err
	}
	defer g.Stop()
	done := make(chan error, 1)
	go func() { done <- work(g, server) }()
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	select {
	case err := <-done:
		return err
	case got := <-stopped:
		return fmt.Errorf("stopped by the signal %v", got)
	}
}
