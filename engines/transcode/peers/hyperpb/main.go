// The benches of hyperpb, which reads messages; protojson prints them.
package main

import (
	"errors"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"assay/transcode/peers/gobench"
)

type codec struct {
	message *hyperpb.MessageType
	memory  *hyperpb.Shared
	print   protojson.MarshalOptions
}

func newCodec(message protoreflect.MessageDescriptor, schema gobench.Schema, _ bool) gobench.Codec {
	return codec{
		message: hyperpb.CompileMessageDescriptor(message, hyperpb.WithExtensionsFromFiles(schema.Files)),
		memory:  new(hyperpb.Shared),
		print:   protojson.MarshalOptions{Resolver: schema.Types},
	}
}

func (c codec) ToWire(_, _ []byte) ([]byte, error) {
	return nil, errors.New("hyperpb only reads messages")
}

// ToJSON reads with aliases into wire, which outlives the message, and gives its memory to the next.
func (c codec) ToJSON(wire, out []byte) ([]byte, error) {
	message := c.memory.NewMessage(c.message)
	defer c.memory.Free()
	if err := message.Unmarshal(wire, hyperpb.WithAllowAlias(true)); err != nil {
		return nil, err
	}
	return c.print.MarshalAppend(out, message)
}

func main() {
	gobench.Main(newCodec)
}
