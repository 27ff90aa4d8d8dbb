// The benches of protojson with dynamicpb, from the module google.golang.org/protobuf.
package main

import (
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"assay/transcode/peers/gobench"
)

type codec struct {
	message protoreflect.MessageDescriptor
	parse   protojson.UnmarshalOptions
	read    proto.UnmarshalOptions
	print   protojson.MarshalOptions
}

func newCodec(message protoreflect.MessageDescriptor, schema gobench.Schema, strict bool) gobench.Codec {
	return codec{
		message: message,
		parse:   protojson.UnmarshalOptions{DiscardUnknown: !strict, Resolver: schema.Types},
		read:    proto.UnmarshalOptions{Resolver: schema.Types},
		print:   protojson.MarshalOptions{Resolver: schema.Types},
	}
}

func (c codec) ToWire(json, out []byte) ([]byte, error) {
	message := dynamicpb.NewMessage(c.message)
	if err := c.parse.Unmarshal(json, message); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{}.MarshalAppend(out, message)
}

func (c codec) ToJSON(wire, out []byte) ([]byte, error) {
	message := dynamicpb.NewMessage(c.message)
	if err := c.read.Unmarshal(wire, message); err != nil {
		return nil, err
	}
	return c.print.MarshalAppend(out, message)
}

func main() {
	gobench.Main(newCodec)
}
