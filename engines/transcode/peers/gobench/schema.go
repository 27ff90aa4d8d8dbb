package gobench

import (
	"bytes"
	"fmt"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Schema is the files of a descriptor set, and their types.
type Schema struct {
	Files *protoregistry.Files
	Types *dynamicpb.Types
}

func readSchema(path string) (Schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Schema{}, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(text, &set); err != nil {
		return Schema{}, fmt.Errorf("%s: %w", path, err)
	}
	for _, file := range set.File {
		withoutMessageSets(file.MessageType)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return Schema{}, fmt.Errorf("%s: %w", path, err)
	}
	return Schema{files, dynamicpb.NewTypes(files)}, nil
}

// withoutMessageSets makes ordinary messages of the message sets of proto1. JSON has no form for
// them, and protodesc refuses a file that has one.
func withoutMessageSets(messages []*descriptorpb.DescriptorProto) {
	for _, message := range messages {
		withoutMessageSets(message.NestedType)
		if !message.GetOptions().GetMessageSetWireFormat() {
			continue
		}
		message.Options.MessageSetWireFormat = nil
		for _, numbers := range message.ExtensionRange {
			numbers.End = proto.Int32(min(numbers.GetEnd(), int32(protowire.MaxValidNumber)+1))
		}
	}
}

func (s Schema) message(name string) (protoreflect.MessageDescriptor, error) {
	found, err := s.Files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, fmt.Errorf("the schema has no message %s: %w", name, err)
	}
	message, ok := found.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is not a message", name)
	}
	return message, nil
}

// sameWire tells whether two wire messages mean the same.
func (s Schema) sameWire(message protoreflect.MessageDescriptor, one, other []byte) (bool, error) {
	if bytes.Equal(one, other) {
		return true, nil // also where it is too deep to be read
	}
	options := proto.UnmarshalOptions{Resolver: s.Types}
	return same(message, one, other, options.Unmarshal)
}

// sameJSON tells whether two texts mean the same message.
func (s Schema) sameJSON(message protoreflect.MessageDescriptor, one, other []byte) (bool, error) {
	options := protojson.UnmarshalOptions{DiscardUnknown: true, Resolver: s.Types}
	return same(message, one, other, options.Unmarshal)
}

func same(
	message protoreflect.MessageDescriptor, one, other []byte, read func([]byte, proto.Message) error,
) (bool, error) {
	var messages [2]*dynamicpb.Message
	for i, text := range [2][]byte{one, other} {
		messages[i] = dynamicpb.NewMessage(message)
		if err := read(text, messages[i]); err != nil {
			return false, err
		}
	}
	return proto.Equal(messages[0], messages[1]), nil
}
