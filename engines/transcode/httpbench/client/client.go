// Package client has the connections over which load comes: one request at a time on each.
package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"assay/transcode/httpbench/echo"
	"assay/transcode/httpbench/payload"
)

// patience is how long an answer may take.
const patience = 30 * time.Second

// Client sends the same request again and again over a connection of its own.
type Client interface {
	// Do sends the request and reads all of the answer.
	Do() error
	// Judge is nil if the last answer is right.
	Judge() error
	Close() error
}

// Dial connects to a gateway. Modes: "json" is HTTP/1.1 with JSON bodies, "json_h2" the same over
// HTTP/2 with prior knowledge, "grpc" is a gRPC call with the same value.
func Dial(mode, address string, body *payload.Payload) (Client, error) {
	switch mode {
	case "json":
		return dialHTTP1(address, body)
	case "json_h2":
		return dialHTTP2(address, body), nil
	case "grpc":
		return dialGRPC(address, body)
	}
	return nil, fmt.Errorf("expected the mode json, json_h2 or grpc, found %q", mode)
}

// answer is the last answer with a JSON body.
type answer struct {
	body   *payload.Payload
	status int
	text   []byte
	right  []byte // a text that was found right: the next equal one is right too
}

func (a *answer) Judge() error {
	if a.status != http.StatusOK {
		return fmt.Errorf("status %d: %s", a.status, payload.Start(a.text))
	}
	if a.right != nil && string(a.right) == string(a.text) {
		return nil
	}
	if err := a.body.Judge(a.text); err != nil {
		return err
	}
	a.right = append([]byte{}, a.text...)
	return nil
}

// read takes over an answer into the buffer that it reuses.
func (a *answer) read(response *http.Response) error {
	a.status, a.text = response.StatusCode, a.text[:0]
	if length := int(response.ContentLength); length > cap(a.text) {
		a.text = make([]byte, 0, length)
	}
	if length := int(response.ContentLength); length >= 0 {
		a.text = a.text[:length]
		_, err := io.ReadFull(response.Body, a.text)
		return err
	}
	var err error
	for err == nil {
		if len(a.text) == cap(a.text) {
			a.text = append(a.text, 0)[:len(a.text)]
		}
		var n int
		n, err = response.Body.Read(a.text[len(a.text):cap(a.text)])
		a.text = a.text[:len(a.text)+n]
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// http1 writes the request as one ready text.
type http1 struct {
	answer
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
}

func dialHTTP1(address string, body *payload.Payload) (Client, error) {
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		body.Path, address, len(body.JSON))
	return &http1{
		answer:  answer{body: body},
		conn:    conn,
		reader:  bufio.NewReaderSize(conn, 64<<10),
		request: append([]byte(head), body.JSON...),
	}, nil
}

func (c *http1) Do() error {
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return err
	}
	if err := c.read(response); err != nil {
		return err
	}
	return response.Body.Close()
}

func (c *http1) Close() error { return c.conn.Close() }

type http2 struct {
	answer
	client *http.Client
	url    string
}

func dialHTTP2(address string, body *payload.Payload) Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: protocols, DisableCompression: true}
	return &http2{
		answer: answer{body: body},
		client: &http.Client{Transport: transport, Timeout: patience},
		url:    "http://" + address + body.Path,
	}
}

func (c *http2) Do() error {
	response, err := c.client.Post(c.url, "application/json", strings.NewReader(string(c.body.JSON)))
	if err != nil {
		return err
	}
	if err := c.read(response); err != nil {
		return err
	}
	return response.Body.Close()
}

func (c *http2) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

type grpcClient struct {
	body *payload.Payload
	conn *grpc.ClientConn
	text []byte
}

func dialGRPC(address string, body *payload.Payload) (Client, error) {
	const window = 16 << 20 // so that this client never slows a gateway down
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStaticStreamWindowSize(window),
		grpc.WithStaticConnWindowSize(window),
		grpc.WithDefaultCallOptions(
			grpc.ForceCodecV2(echo.Codec{}),
			grpc.MaxCallRecvMsgSize(echo.MaxMessage),
			grpc.MaxCallSendMsgSize(echo.MaxMessage),
		),
	)
	if err != nil {
		return nil, err
	}
	return &grpcClient{body: body, conn: conn}, nil
}

func (c *grpcClient) Do() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.conn.Invoke(ctx, c.body.Method, &c.body.Wire, &c.text)
}

func (c *grpcClient) Judge() error { return c.body.JudgeWire(c.text) }

func (c *grpcClient) Close() error { return c.conn.Close() }
