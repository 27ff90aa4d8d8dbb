// Package schema is the service whose calls are measured, as data: gateways get it as a
// FileDescriptorSet.
package schema

import (
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// method is a unary method M(type) returns (type) with the rule `post: path body: "*"`.
type method struct{ name, path, message string }

var methods = []method{
	{"Field", "/v1/field", "Field"},
	{"Nested", "/v1/nested", "Nested"},
	{"Int32", "/v1/int32", "Int32"},
	{"Bytes", "/v1/bytes", "Bytes"},
}

// Services are the full names of all services in a FileDescriptorSet, with commas between them.
func Services(set []byte) (string, error) {
	var files descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(set, &files); err != nil {
		return "", err
	}
	var names []string
	for _, file := range files.File {
		for _, service := range file.Service {
			names = append(names, file.GetPackage()+"."+service.GetName())
		}
	}
	return strings.Join(names, ", "), nil
}

// Set is the FileDescriptorSet of the service with all that it imports.
func Set() ([]byte, error) {
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range []protoreflect.FileDescriptor{
		descriptorpb.File_google_protobuf_descriptor_proto,
		annotations.File_google_api_http_proto,
		annotations.File_google_api_annotations_proto,
	} {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	set.File = append(set.File, file())
	return proto.MarshalOptions{Deterministic: true}.Marshal(set)
}

func file() *descriptorpb.FileDescriptorProto {
	const (
		text    = descriptorpb.FieldDescriptorProto_TYPE_STRING
		number  = descriptorpb.FieldDescriptorProto_TYPE_INT32
		data    = descriptorpb.FieldDescriptorProto_TYPE_BYTES
		message = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
		one     = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
		many    = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	)
	nested := field("nested", 1, message, one)
	nested.TypeName = proto.String(".transcode.httpbench.Nested")
	return &descriptorpb.FileDescriptorProto{
		Name:       proto.String("transcode/httpbench.proto"),
		Package:    proto.String("transcode.httpbench"),
		Syntax:     proto.String("proto3"),
		Dependency: []string{"google/api/annotations.proto"},
		MessageType: []*descriptorpb.DescriptorProto{
			record("Field", field("payload", 1, text, one)),
			record("Nested", nested, field("payload", 2, text, one)),
			record("Int32", field("payload", 1, number, many)),
			record("Bytes", field("payload", 1, data, one)),
		},
		Service: []*descriptorpb.ServiceDescriptorProto{service()},
	}
}

func service() *descriptorpb.ServiceDescriptorProto {
	service := &descriptorpb.ServiceDescriptorProto{Name: proto.String("Echo")}
	for _, m := range methods {
		options := &descriptorpb.MethodOptions{}
		proto.SetExtension(options, annotations.E_Http, &annotations.HttpRule{
			Pattern: &annotations.HttpRule_Post{Post: m.path},
			Body:    "*",
		})
		service.Method = append(service.Method, &descriptorpb.MethodDescriptorProto{
			Name:       proto.String(m.name),
			InputType:  proto.String(".transcode.httpbench." + m.message),
			OutputType: proto.String(".transcode.httpbench." + m.message),
			Options:    options,
		})
	}
	return service
}

func record(name string, fields ...*descriptorpb.FieldDescriptorProto) *descriptorpb.DescriptorProto {
	return &descriptorpb.DescriptorProto{Name: proto.String(name), Field: fields}
}

func field(
	name string,
	number int32,
	kind descriptorpb.FieldDescriptorProto_Type,
	label descriptorpb.FieldDescriptorProto_Label,
) *descriptorpb.FieldDescriptorProto {
	return &descriptorpb.FieldDescriptorProto{
		Name:     proto.String(name),
		JsonName: proto.String(name),
		Number:   proto.Int32(number),
		Type:     kind.Enum(),
		Label:    label.Enum(),
	}
}
