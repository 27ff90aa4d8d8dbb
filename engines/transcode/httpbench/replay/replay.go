// Package replay sends recorded HTTP exchanges through a gateway and compares what the gRPC server
// received and what the client got.
package replay

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"assay/transcode/httpbench/echo"
)

// exchange is one line of the recorded ones.
type exchange struct {
	ID      string `json:"id"`
	Config  string `json:"config"`
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Headers map[string]string `json:"headers"`
		Body    *string           `json:"body"`
		BodyHex string            `json:"body_hex"`
	} `json:"request"`
	Upstream []struct {
		Method   string   `json:"method"`
		Messages []string `json:"messages"`
	} `json:"upstream"`
	Response struct {
		Status  int               `json:"status"` // 0: the connection broke off
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Error   string            `json:"error"`
	} `json:"response"`
}

// mark is a header with the exchange's id. A call that a gateway gave up may end late, during
// another exchange.
const mark = "x-exchange"

// Suite is a set of recorded exchanges.
type Suite struct {
	exchanges  []exchange
	successes  bool              // compare only these, and not their headers
	deviations map[string]string // id -> why this gateway answers otherwise
	types      *protoregistry.Files
}

// Load reads the exchanges that were recorded with one configuration, and the list of those that
// this gateway is known to answer otherwise: lines `id reason` (an empty path: none). With
// successes it takes only what was answered with 200, and compares no headers: those of errors and
// of gRPC are each gateway's own choice.
func Load(path, config, deviations string, successes bool, descriptor []byte) (*Suite, error) {
	suite := &Suite{successes: successes, deviations: map[string]string{}}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var e exchange
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if e.Config == config && (!successes || e.Response.Status == http.StatusOK) {
			suite.exchanges = append(suite.exchanges, e)
		}
	}
	if deviations != "" {
		text, err := os.ReadFile(deviations)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			id, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
			if id != "" && id != "#" {
				suite.deviations[id] = reason
			}
		}
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(descriptor, &set); err != nil {
		return nil, err
	}
	suite.types, err = protodesc.NewFiles(&set)
	return suite, err
}

// Try is nil when the gateway answers at all.
func (s *Suite) Try(address string) error {
	got := send(address, s.exchanges[0])
	return got.err
}

// Run replays all and prints one line for each that differs. It is an error if one differs that is
// not listed as a deviation, or if one that is listed does not differ.
func (s *Suite) Run(address string, server *echo.Server, out io.Writer) error {
	same, known := 0, 0
	var wrong []string
	for _, e := range s.exchanges {
		got := send(address, e)
		got.calls = slices.DeleteFunc(server.Calls(), func(call echo.Call) bool {
			return !slices.Equal(call.Metadata.Get(mark), []string{e.ID})
		})
		difference := s.difference(e, got)
		reason, listed := s.deviations[e.ID]
		switch {
		case difference == "" && !listed:
			same++
		case difference != "" && listed:
			known++
			_, _ = fmt.Fprintf(out, "%s differs, as listed (%s): %s\n", e.ID, reason, difference)
		case difference != "":
			wrong = append(wrong, e.ID)
			_, _ = fmt.Fprintf(out, "%s %s %s: %s\n", e.ID, e.Request.Method, e.Request.Path, difference)
		default:
			wrong = append(wrong, e.ID)
			_, _ = fmt.Fprintf(out, "%s is listed as a deviation, but does not differ\n", e.ID)
		}
	}
	_, _ = fmt.Fprintf(out, "%d exchanges as recorded, %d differ as listed\n", same, known)
	if len(wrong) > 0 {
		return fmt.Errorf("%d of %d exchanges are not as expected: %s",
			len(wrong), len(s.exchanges), strings.Join(wrong, " "))
	}
	return nil
}

// received is what came of one exchange.
type received struct {
	status int
	header http.Header
	body   []byte
	err    error
	calls  []echo.Call
}

func (s *Suite) difference(e exchange, got received) string {
	want := e.Response
	if (got.err != nil) != (want.Error != "") {
		return fmt.Sprintf("connection: expected %q, found %v", want.Error, got.err)
	}
	if got.err != nil {
		return ""
	}
	if got.status != want.Status {
		return fmt.Sprintf("status: expected %d, found %d %s", want.Status, got.status, got.body)
	}
	for _, name := range []string{"content-type", "grpc-status", "grpc-message"} {
		if value, recorded := want.Headers[name]; recorded && !s.successes && got.header.Get(name) != value {
			return fmt.Sprintf("%s: expected %q, found %q", name, value, got.header.Get(name))
		}
	}
	if !sameText(want.Body, string(got.body)) {
		return fmt.Sprintf("body: expected %q, found %q", want.Body, got.body)
	}
	if len(e.Upstream) != len(got.calls) {
		return fmt.Sprintf("calls: expected %d, found %d", len(e.Upstream), len(got.calls))
	}
	for i, call := range got.calls {
		if text := s.callDiffers(e.Upstream[i].Method, e.Upstream[i].Messages, call); text != "" {
			return text
		}
	}
	return ""
}

func (s *Suite) callDiffers(method string, messages []string, got echo.Call) string {
	if method != got.Method {
		return fmt.Sprintf("method: expected %s, found %s", method, got.Method)
	}
	if len(messages) != len(got.Messages) {
		return fmt.Sprintf("messages: expected %d, found %d", len(messages), len(got.Messages))
	}
	for i, text := range messages {
		same, err := s.sameMessage(method, text, got.Messages[i])
		if err != nil {
			return err.Error()
		}
		if !same {
			return fmt.Sprintf("message %d: expected %s, found %x", i, text, got.Messages[i])
		}
	}
	return ""
}

// sameMessage compares by meaning: the order of fields and how numbers are packed are free.
func (s *Suite) sameMessage(method, text string, got []byte) (bool, error) {
	want, err := hex.DecodeString(text)
	if err != nil {
		return false, err
	}
	if bytes.Equal(want, got) {
		return true, nil
	}
	name := strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", ".")
	found, err := s.types.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return false, err
	}
	input := found.(protoreflect.MethodDescriptor).Input()
	a, b := dynamicpb.NewMessage(input), dynamicpb.NewMessage(input)
	if err := proto.Unmarshal(want, a); err != nil {
		return false, err
	}
	if err := proto.Unmarshal(got, b); err != nil {
		return false, err
	}
	return proto.Equal(a, b), nil
}

func sameText(want, got string) bool {
	if want == got {
		return true
	}
	var a, b any
	if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(got), &b) != nil {
		return false
	}
	return reflect.DeepEqual(a, b)
}

// send writes the request as recorded: a client library would correct some of them.
func send(address string, e exchange) received {
	const patience = 5 * time.Second
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return received{err: err}
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return received{err: err}
	}
	body, hasBody := []byte(nil), e.Request.Body != nil
	if hasBody {
		body = []byte(*e.Request.Body)
	}
	if e.Request.BodyHex != "" {
		hasBody = true
		if body, err = hex.DecodeString(e.Request.BodyHex); err != nil {
			return received{err: err}
		}
	}
	request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\n%s: %s\r\n",
		e.Request.Method, e.Request.Path, address, mark, e.ID)
	var names []string
	for name := range e.Request.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		request = fmt.Appendf(request, "%s: %s\r\n", name, latin1(e.Request.Headers[name]))
	}
	if hasBody {
		request = fmt.Appendf(request, "Content-Length: %d\r\n", len(body))
	}
	request = append(append(request, "\r\n"...), body...)
	if _, err := conn.Write(request); err != nil {
		return received{err: err}
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: e.Request.Method})
	if err != nil {
		return received{err: err}
	}
	got := received{status: response.StatusCode, header: response.Header}
	got.body, got.err = io.ReadAll(response.Body)
	_ = response.Body.Close()
	return got
}

// latin1 turns a text whose code points are bytes into these bytes.
func latin1(text string) []byte {
	var raw []byte
	for _, point := range text {
		raw = append(raw, byte(point))
	}
	return raw
}
