// Package gobench is what the benches of the Go peers share: the messages, the timing and the
// conformance cases. A peer is Main over one library.
package gobench

import (
	"fmt"
	"os"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Codec translates messages of one type. Both methods append to out, with the options that the
// library has by default.
type Codec interface {
	// ToWire reads a message from all of json and serializes it.
	ToWire(json, out []byte) ([]byte, error)
	// ToJSON reads a message from wire and prints it.
	ToJSON(wire, out []byte) ([]byte, error)
}

// New makes the codec of a message type. The schema is for messages inside of google.protobuf.Any
// and for extensions. A strict codec refuses unknown fields.
type New func(message protoreflect.MessageDescriptor, schema Schema, strict bool) Codec

const usage = `usage: bench check|codec from_json|to_json
       bench correctness from_json|to_json agreed|required|recommended CORPUS`

// Main checks the message in the current directory, or times it too, or counts the cases that pass.
func Main(codec New) {
	metrics, err := run(codec, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, m := range metrics {
		value := strconv.FormatFloat(m.value, 'g', -1, 64)
		fmt.Printf("{\"metric\": %q, \"value\": %s}\n", m.name, value)
	}
}

type metric struct {
	name  string
	value float64
}

func run(codec New, arguments []string) ([]metric, error) {
	if len(arguments) < 2 {
		return nil, fmt.Errorf("%s", usage)
	}
	direction := arguments[1]
	if direction != fromJSON && direction != toJSON {
		return nil, fmt.Errorf("expected from_json or to_json, found %s", direction)
	}
	switch {
	case arguments[0] == "check" && len(arguments) == 2:
		_, err := checked(codec, ".", direction)
		return nil, err
	case arguments[0] == "codec" && len(arguments) == 2:
		w, err := checked(codec, ".", direction)
		if err != nil {
			return nil, err
		}
		return w.measure()
	case arguments[0] == "correctness" && len(arguments) == 4:
		return correctness(codec, arguments[3], direction, arguments[2])
	}
	return nil, fmt.Errorf("%s", usage)
}

const (
	fromJSON = "from_json"
	toJSON   = "to_json"
)
