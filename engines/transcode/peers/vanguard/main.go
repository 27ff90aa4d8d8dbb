// Command vanguard is a reverse proxy in front of a gRPC server that takes JSON over HTTP as the
// google.api.http rules of its descriptors say. All of the transcoding is Vanguard's.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"

	"connectrpc.com/vanguard"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address")
	upstream := flag.String("upstream", "127.0.0.1:50051", "address of the gRPC server")
	descriptor := flag.String("descriptor", "", "file with a FileDescriptorSet")
	flag.Parse()
	if err := serve(*listen, *upstream, *descriptor); err != nil {
		fmt.Fprintln(os.Stderr, "vanguard:", err)
		os.Exit(1)
	}
}

func serve(listen, upstream, descriptor string) error {
	services, err := load(descriptor, forward(upstream))
	if err != nil {
		return err
	}
	transcoder, err := vanguard.NewTranscoder(services, vanguard.WithCodec(sparseJSON))
	if err != nil {
		return err
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Addr: listen, Handler: transcoder, Protocols: protocols}
	return server.ListenAndServe()
}

// forward sends what it gets to the gRPC server, over HTTP/2 without TLS.
func forward(upstream string) http.Handler {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	target := &url.URL{Scheme: "http", Host: upstream}
	return &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     &http.Transport{Protocols: protocols, DisableCompression: true},
		FlushInterval: -1, // trailers and streams need it
	}
}

// sparseJSON leaves unset fields out, as the other gateways do.
func sparseJSON(types vanguard.TypeResolver) vanguard.Codec {
	codec := vanguard.NewJSONCodec(types)
	codec.MarshalOptions.EmitUnpopulated = false
	return codec
}

// load makes a service of each one in the descriptor set; its messages are dynamic ones.
func load(path string, handler http.Handler) ([]*vanguard.Service, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	const limit = 64 << 20 // bytes of a message
	var services []*vanguard.Service
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			services = append(services, vanguard.NewServiceWithSchema(file.Services().Get(i), handler,
				vanguard.WithTargetProtocols(vanguard.ProtocolGRPC),
				vanguard.WithTargetCodecs(vanguard.CodecProto),
				vanguard.WithTypeResolver(dynamicpb.NewTypes(files)),
				vanguard.WithMaxMessageBufferBytes(limit),
			))
		}
		return true
	})
	return services, nil
}
