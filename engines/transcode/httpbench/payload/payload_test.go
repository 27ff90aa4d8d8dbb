package payload_test

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"assay/transcode/httpbench/payload"
	"assay/transcode/httpbench/schema"
)

var names = []string{"field", "nested", "int32", "bytes"}

func TestJSONAndWireHaveTheSameValue(t *testing.T) {
	set, err := schema.Set()
	if err != nil {
		t.Fatal(err)
	}
	var files descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(set, &files); err != nil {
		t.Fatal(err)
	}
	types, err := protodesc.NewFiles(&files)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p := make1(t, name, 7)
		method, err := types.FindDescriptorByName(protoreflect.FullName(
			bytes.ReplaceAll([]byte(p.Method[1:]), []byte("/"), []byte("."))))
		if err != nil {
			t.Fatal(err)
		}
		message := dynamicpb.NewMessage(method.(protoreflect.MethodDescriptor).Input())
		if err := protojson.Unmarshal(p.JSON, message); err != nil {
			t.Fatal(err)
		}
		wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.JudgeWire(wire); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASeedMakesTheSameBytes(t *testing.T) {
	for _, name := range names {
		if !bytes.Equal(make1(t, name, 7).JSON, make1(t, name, 7).JSON) {
			t.Errorf("%s differs between two calls", name)
		}
	}
	if bytes.Equal(make1(t, "int32", 7).JSON, make1(t, "int32", 8).JSON) {
		t.Error("another seed makes the same numbers")
	}
}

func TestJudgeComparesValues(t *testing.T) {
	p := make1(t, "nested", 1)
	if err := p.Judge(bytes.ReplaceAll(p.JSON, []byte(":"), []byte(" : "))); err != nil {
		t.Errorf("blanks: %v", err)
	}
	for name, text := range map[string][]byte{
		"another value": bytes.Replace(p.JSON, []byte("World"), []byte("world"), 1),
		"a part":        p.JSON[:len(p.JSON)-1],
		"more":          append(bytes.Clone(p.JSON), "{}"...),
		"nothing":       nil,
	} {
		if p.Judge(text) == nil {
			t.Errorf("%s was found right", name)
		}
	}
}

func make1(t *testing.T, name string, seed uint64) *payload.Payload {
	t.Helper()
	p, err := payload.Make(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
