// Package payload makes the bodies of the requests, and judges the answers.
package payload

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	layers   = 31      // of the nested body, as the largest of the published benchmark
	numbers  = 16384   // of the int32 body, likewise
	bodySize = 1 << 20 // bytes of the bytes body before base64, likewise
)

// Payload is one request: the same value as JSON and as a protobuf message.
type Payload struct {
	Path   string // of the HTTP request with the JSON body
	Method string // of the gRPC call with the message
	JSON   []byte
	Wire   []byte
	value  any // JSON, decoded
}

// Make returns the body of that name: field, nested, int32, bytes. The same seed makes the same
// bytes.
func Make(name string, seed uint64) (*Payload, error) {
	random := rand.New(rand.NewPCG(seed, 0x70726f7879))
	var p *Payload
	switch name {
	case "field":
		p = &Payload{Path: "/v1/field", Method: "Field"}
		p.JSON, p.Wire = field(random)
	case "nested":
		p = &Payload{Path: "/v1/nested", Method: "Nested"}
		p.JSON, p.Wire = nested()
	case "int32":
		p = &Payload{Path: "/v1/int32", Method: "Int32"}
		p.JSON, p.Wire = int32s(random)
	case "bytes":
		p = &Payload{Path: "/v1/bytes", Method: "Bytes"}
		p.JSON, p.Wire = blob(random)
	default:
		return nil, fmt.Errorf("expected the body field, nested, int32 or bytes, found %q", name)
	}
	p.Method = "/transcode.httpbench.Echo/" + p.Method
	var err error
	p.value, err = decode(p.JSON)
	return p, err
}

// Judge is nil if the JSON text has the value that was sent, whatever its blanks and escapes.
func (p *Payload) Judge(text []byte) error {
	if bytes.Equal(text, p.JSON) {
		return nil
	}
	value, err := decode(text)
	if err != nil {
		return fmt.Errorf("the answer is no JSON: %w: %s", err, Start(text))
	}
	if !reflect.DeepEqual(value, p.value) {
		return fmt.Errorf("expected %s, found %s", Start(p.JSON), Start(text))
	}
	return nil
}

// JudgeWire is nil if the message is the one that was sent. The messages here have one way only to
// be written, so equal means equal bytes.
func (p *Payload) JudgeWire(message []byte) error {
	if !bytes.Equal(message, p.Wire) {
		return fmt.Errorf("expected %d bytes %x, found %d bytes %x",
			len(p.Wire), p.Wire[:min(32, len(p.Wire))], len(message), message[:min(32, len(message))])
	}
	return nil
}

// Start is the beginning of a text, for messages.
func Start(text []byte) string {
	const most = 200
	if len(text) <= most {
		return string(text)
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:most], len(text))
}

func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // the digits themselves
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("more than one value")
	}
	return value, nil
}

func field(random *rand.Rand) (text, wire []byte) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	word := make([]byte, 16)
	for i := range word {
		word[i] = letters[random.IntN(len(letters))]
	}
	wire = protowire.AppendTag(nil, 1, protowire.BytesType)
	return fmt.Appendf(nil, `{"payload":"%s"}`, word), protowire.AppendBytes(wire, word)
}

func nested() (text, wire []byte) {
	const word = "Deep Hello World!" // of the published benchmark
	wire = protowire.AppendTag(nil, 2, protowire.BytesType)
	wire = protowire.AppendString(wire, word)
	for range layers {
		outer := protowire.AppendTag(nil, 1, protowire.BytesType)
		wire = protowire.AppendBytes(outer, wire)
	}
	open, end := strings.Repeat(`{"nested":`, layers), strings.Repeat("}", layers)
	return fmt.Appendf(nil, `%s{"payload":"%s"}%s`, open, word, end), wire
}

func int32s(random *rand.Rand) (text, wire []byte) {
	var packed []byte
	text = append(text, `{"payload":[`...)
	for i := range numbers {
		value := int32(random.Uint32())
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%d", value)
		packed = protowire.AppendVarint(packed, uint64(int64(value)))
	}
	wire = protowire.AppendTag(nil, 1, protowire.BytesType)
	return append(text, "]}"...), protowire.AppendBytes(wire, packed)
}

func blob(random *rand.Rand) (text, wire []byte) {
	data := make([]byte, bodySize)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	text = append(text, `{"payload":"`...)
	text = base64.StdEncoding.AppendEncode(text, data)
	wire = protowire.AppendTag(nil, 1, protowire.BytesType)
	return append(text, `"}`...), protowire.AppendBytes(wire, data)
}
