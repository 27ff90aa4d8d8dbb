package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"assay/transcode/httpbench/client"
	"assay/transcode/httpbench/echo"
	"assay/transcode/httpbench/gateway"
	"assay/transcode/httpbench/load"
	"assay/transcode/httpbench/payload"
	"assay/transcode/httpbench/schema"
)

// rough checks that clients on bad lines get their answers, that those who leave disturb nobody,
// and that the gateway's memory does not grow with them.
func rough(flags *flag.FlagSet, words []string) error {
	seconds := flags.Float64("seconds", 2, "for how long")
	memory := flags.Int64("memory", 0, "most bytes that the gateway may have resident (0: any)")
	var render files
	flags.Var(&render, "render", "file to fill and copy into the gateway's directory")
	if err := flags.Parse(words); err != nil {
		return err
	}
	small, err := payload.Make("field", 1)
	if err != nil {
		return err
	}
	large, err := payload.Make("bytes", 1)
	if err != nil {
		return err
	}
	set, err := schema.Set()
	if err != nil {
		return err
	}
	return withGateway(flags.Args(), render, set, false, func(g *gateway.Gateway, _ *echo.Server) error {
		if err := g.Wait(func() error { return once("json", g.Address, small) }); err != nil {
			return err
		}
		until := time.Now().Add(time.Duration(*seconds * 1e9))
		steady, err := load.Dial(8, func() (client.Client, error) { return client.Dial("json", g.Address, small) })
		if err != nil {
			return err
		}
		found, err := together(
			func() (int, error) { return steadily(steady, until) },
			func() (int, error) {
				return repeat(until, func(i int) error {
					time.Sleep(5 * time.Millisecond) // so that the others get a share of the gateway
					return leave(g.Address, large, i)
				})
			},
			func() (int, error) { return repeat(until, named("byte by byte", drip, g.Address, small)) },
			func() (int, error) { return repeat(until, named("read slowly", sip, g.Address, large)) },
			func() (int, error) { return repeat(until, named("eight in one piece", pipeline, g.Address, small)) },
		)
		if err != nil {
			return err
		}
		if err := once("grpc", g.Address, large); err != nil {
			return fmt.Errorf("afterwards: %w", err)
		}
		peak, err := g.PeakMemory()
		if err != nil {
			return err
		}
		if *memory > 0 && peak > *memory {
			return fmt.Errorf("%d bytes were resident, more than %d", peak, *memory)
		}
		_, err = fmt.Fprintf(os.Stdout, "right: %d steady requests, %d byte by byte, %d read slowly, "+
			"%d times eight in one piece; %d clients left early; %d MiB resident at most\n",
			found[0], found[2], found[3], found[4], found[1], peak>>20)
		return err
	})
}

func together(work ...func() (int, error)) ([]int, error) {
	var wait sync.WaitGroup
	counts, failures := make([]int, len(work)), make([]error, len(work))
	for i, one := range work {
		wait.Go(func() { counts[i], failures[i] = one() })
	}
	wait.Wait()
	return counts, errors.Join(failures...)
}

func steadily(clients []client.Client, until time.Time) (int, error) {
	found, err := load.Closed(clients, time.Until(until), 0)
	return found.Requests, err
}

// named makes a work to repeat, whose errors say which it is.
func named(
	name string, work func(string, *payload.Payload) error, address string, body *payload.Payload,
) func(int) error {
	return func(int) error {
		if err := work(address, body); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

func repeat(until time.Time, once func(int) error) (int, error) {
	for i := 0; ; i++ {
		if time.Now().After(until) {
			return i, nil
		}
		if err := once(i); err != nil {
			return i, err
		}
	}
}

// text is a whole HTTP/1.1 request.
func text(address string, body *payload.Payload) []byte {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		body.Path, address, len(body.JSON))
	return append([]byte(head), body.JSON...)
}

// leave sends some of a request, or all of it, and closes the connection without reading.
func leave(address string, body *payload.Payload, turn int) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	request := text(address, body)
	parts := []int{0, 10, 90, 200, len(request) / 2, len(request) - 1, len(request)}
	_, _ = conn.Write(request[:parts[turn%len(parts)]]) // the gateway may close first
	if turn%2 == 0 {
		_ = conn.(*net.TCPConn).SetLinger(0) // a reset
	}
	return conn.Close()
}

// drip sends a request byte by byte.
func drip(address string, body *payload.Payload) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for _, one := range text(address, body) {
		if _, err := conn.Write([]byte{one}); err != nil {
			return err
		}
	}
	return judge(bufio.NewReader(conn), body)
}

// sip reads a large answer in small pieces with pauses.
func sip(address string, body *payload.Payload) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		return err
	}
	if _, err := conn.Write(text(address, body)); err != nil {
		return err
	}
	return judge(bufio.NewReader(&slow{conn, 0}), body)
}

// slow pauses 1 ms every 32 KiB: 1.4 MB take about 50 ms.
type slow struct {
	reader io.Reader
	count  int
}

func (s *slow) Read(into []byte) (int, error) {
	const piece = 32 << 10
	if s.count >= piece {
		time.Sleep(time.Millisecond)
		s.count = 0
	}
	n, err := s.reader.Read(into[:min(len(into), piece)])
	s.count += n
	return n, err
}

// pipeline sends eight requests in one piece; the answers come in order.
func pipeline(address string, body *payload.Payload) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var all []byte
	const requests = 8
	for range requests {
		all = append(all, text(address, body)...)
	}
	if _, err := conn.Write(all); err != nil {
		return err
	}
	reader := bufio.NewReader(conn)
	for range requests {
		if err := judge(reader, body); err != nil {
			return err
		}
	}
	return nil
}

func judge(reader *bufio.Reader, body *payload.Payload) error {
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", response.StatusCode, payload.Start(text))
	}
	return errors.Join(body.Judge(text), response.Body.Close())
}
