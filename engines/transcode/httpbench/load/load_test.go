package load_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"assay/transcode/httpbench/client"
	"assay/transcode/httpbench/echo"
	"assay/transcode/httpbench/load"
	"assay/transcode/httpbench/payload"
)

func TestOpenLoopOverGRPC(t *testing.T) {
	server, err := echo.Start("", false)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	for _, name := range []string{"field", "bytes"} {
		clients := dial(t, 2, "grpc", server.Address, name)
		found, err := load.Open(clients, 500, 20)
		if err != nil {
			t.Fatal(err)
		}
		if found.Requests != 20 || len(found.Latencies) != 20 || found.Latencies[0] <= 0 {
			t.Errorf("%s: %+v", name, found)
		}
		if least := 19 * time.Second / 500; found.Elapsed < least {
			t.Errorf("%s: the last request was due after %v, all ended after %v", name, least, found.Elapsed)
		}
	}
}

// A gateway that stops for 50 ms shows it in all requests that were due meanwhile.
func TestLatencyCountsFromWhenARequestIsDue(t *testing.T) {
	served := 0
	server := gatewayOf(func(w http.ResponseWriter, r *http.Request) {
		if served++; served == 1 {
			time.Sleep(50 * time.Millisecond)
		}
		_, _ = io.Copy(w, r.Body)
	})
	defer server.Close()
	found, err := load.Open(dial(t, 1, "json", address(server), "field"), 1000, 40)
	if err != nil {
		t.Fatal(err)
	}
	if middle := found.Latencies[20]; middle < 20*time.Millisecond {
		t.Errorf("half of the requests waited for more than 20 ms, but the median is %v", middle)
	}
}

func TestAWrongAnswerIsAnError(t *testing.T) {
	served := 0
	server := gatewayOf(func(w http.ResponseWriter, r *http.Request) {
		if served++; served < 5 {
			_, _ = io.Copy(w, r.Body)
			return
		}
		_, _ = io.WriteString(w, `{"payload":""}`)
	})
	defer server.Close()
	for name, loop := range map[string]func([]client.Client) (load.Result, error){
		"open":   func(c []client.Client) (load.Result, error) { return load.Open(c, 1000, 10) },
		"closed": func(c []client.Client) (load.Result, error) { return load.Closed(c, time.Second, 10) },
	} {
		served = 0
		if _, err := loop(dial(t, 1, "json", address(server), "field")); err == nil {
			t.Errorf("%s: the fifth answer was wrong, and no error came", name)
		}
	}
}

func TestJSONOverHTTP2(t *testing.T) {
	server := gatewayOf(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("expected HTTP/2, found %s", r.Proto)
		}
		_, _ = io.Copy(w, r.Body)
	})
	defer server.Close()
	found, err := load.Closed(dial(t, 3, "json_h2", address(server), "int32"), time.Second, 9)
	if err != nil || found.Requests != 9 {
		t.Error(found, err)
	}
}

// gatewayOf is a server for HTTP/1.1 and HTTP/2 without TLS.
func gatewayOf(handle http.HandlerFunc) *httptest.Server {
	server := httptest.NewUnstartedServer(handle)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	return server
}

func address(server *httptest.Server) string { return strings.TrimPrefix(server.URL, "http://") }

func dial(t *testing.T, connections int, mode, address, name string) []client.Client {
	t.Helper()
	body, err := payload.Make(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	clients, err := load.Dial(connections, func() (client.Client, error) {
		return client.Dial(mode, address, body)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range clients {
			_ = c.Close()
		}
	})
	return clients
}
