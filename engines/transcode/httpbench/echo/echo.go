// Package echo is the gRPC server behind the gateways: it answers every method with the messages
// that it got.
package echo

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// MaxMessage is the largest message in bytes that the server and the clients take.
const MaxMessage = 64 << 20

// window in bytes: large enough that the echo server never slows a gateway down.
const window = 16 << 20

// Codec passes messages through as bytes. It says "proto" on the wire, as any gRPC server would.
type Codec struct{}

// Marshal hands the buffers over as they are.
func (Codec) Marshal(v any) (mem.BufferSlice, error) {
	switch m := v.(type) {
	case *mem.BufferSlice:
		m.Ref()
		return *m, nil
	case *[]byte:
		return mem.BufferSlice{mem.SliceBuffer(*m)}, nil
	}
	return nil, fmt.Errorf("cannot send a %T", v)
}

// Unmarshal keeps the buffers for the receiver, which has to free them, or copies them.
func (Codec) Unmarshal(data mem.BufferSlice, v any) error {
	switch m := v.(type) {
	case *mem.BufferSlice:
		data.Ref()
		*m = data
		return nil
	case *[]byte:
		if cap(*m) < data.Len() {
			*m = make([]byte, data.Len())
		}
		*m = (*m)[:data.Len()]
		data.CopyTo(*m)
		return nil
	}
	return fmt.Errorf("cannot receive a %T", v)
}

// Name is the content subtype on the wire.
func (Codec) Name() string { return "proto" }

// Call is what the server received in one call.
type Call struct {
	Method   string
	Metadata metadata.MD
	Messages [][]byte
}

// Server is a running echo server.
type Server struct {
	Address string
	server  *grpc.Server
	record  bool
	mutex   sync.Mutex
	calls   []Call
}

// Start listens on a free port of the loopback address, or on address if it is not empty. With
// record it keeps all calls for Calls, and a client may tell the answer by metadata: x-reply
// (messages in hexadecimal, separated by commas; "none": no message), x-status, x-message,
// x-details (a google.rpc.Status in hexadecimal), x-reply-header.
func Start(address string, record bool) (*Server, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{Address: listener.Addr().String(), record: record}
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(Codec{}),
		grpc.UnknownServiceHandler(s.handle),
		grpc.StaticStreamWindowSize(window),
		grpc.StaticConnWindowSize(window),
	}
	if !record { // recorded exchanges are those of a server with the default limit
		options = append(options, grpc.MaxRecvMsgSize(MaxMessage))
	}
	s.server = grpc.NewServer(options...)
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// Stop ends the server and all its connections.
func (s *Server) Stop() { s.server.Stop() }

// Calls returns the calls recorded since the last time, in the order in which they ended.
func (s *Server) Calls() []Call {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *Server) handle(_ any, stream grpc.ServerStream) error {
	if s.record {
		return s.handleRecorded(stream)
	}
	for {
		var message mem.BufferSlice
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = stream.SendMsg(&message)
		message.Free()
		if err != nil {
			return err
		}
	}
}

func (s *Server) handleRecorded(stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	md, _ := metadata.FromIncomingContext(stream.Context())
	call := Call{Method: method, Metadata: md}
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		call.Messages = append(call.Messages, message)
	}
	s.mutex.Lock()
	s.calls = append(s.calls, call)
	s.mutex.Unlock()
	return answer(stream.Context(), stream, call)
}

func answer(ctx context.Context, stream grpc.ServerStream, call Call) error {
	value := func(key string) string { return strings.Join(call.Metadata.Get(key), ",") }
	if header := value("x-reply-header"); header != "" {
		if err := grpc.SetHeader(ctx, metadata.Pairs("x-from-server", header)); err != nil {
			return err
		}
	}
	replies := call.Messages
	if text := value("x-reply"); text != "" {
		var err error
		if replies, err = messages(text); err != nil {
			return grpcstatus.Error(codes.Internal, err.Error())
		}
	}
	for i := range replies {
		if err := stream.SendMsg(&replies[i]); err != nil {
			return err
		}
	}
	if text := value("x-details"); text != "" {
		raw, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		var details status.Status
		if err := proto.Unmarshal(raw, &details); err != nil {
			return err
		}
		return grpcstatus.ErrorProto(&details)
	}
	if text := value("x-status"); text != "" {
		code, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		return grpcstatus.Error(codes.Code(code), value("x-message"))
	}
	return nil
}

func messages(text string) ([][]byte, error) {
	if text == "none" {
		return nil, nil
	}
	var all [][]byte
	for part := range strings.SplitSeq(text, ",") {
		message, err := hex.DecodeString(strings.TrimPrefix(part, "="))
		if err != nil {
			return nil, err
		}
		all = append(all, message)
	}
	return all, nil
}
