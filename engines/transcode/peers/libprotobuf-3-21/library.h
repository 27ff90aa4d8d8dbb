#pragma once

// JSON and the wire format by libprotobuf 3.21, as its users do it: the types are known at run time
// only, and JsonToBinaryStream and BinaryToJsonStream convert without making a message.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace libprotobuf_peer {

static_assert(GOOGLE_PROTOBUF_VERSION / 1000 == 3021, "this peer measures libprotobuf 3.21");

using google::protobuf::Message;

// A message type of a FileDescriptorSet.
class Type {
 public:
  // Ends the process when the set does not hold the type.
  Type(const std::string& file_descriptor_set, const std::string& name);

  // From and to JSON. False on bad input.
  bool FromJson(google::protobuf::io::ZeroCopyInputStream* json, std::string* wire,
                bool ignore_unknown = true) const;
  bool ToJson(google::protobuf::io::ZeroCopyInputStream* wire, std::string* json) const;
  bool FromJson(std::string_view json, std::string* wire, bool ignore_unknown = true) const;
  bool ToJson(std::string_view wire, std::string* json) const;

  // An empty message, for what is set by reflection.
  std::unique_ptr<Message> New() const;
  // From JSON into a message; unknown fields are ignored.
  bool FromJson(std::string_view json, Message* message) const;

  // Whether two wires hold the same message.
  bool SameWire(std::string_view one, std::string_view other) const;
  // Whether two JSON texts hold the same message.
  bool SameJson(std::string_view one, std::string_view other) const;

 private:
  std::unique_ptr<google::protobuf::DescriptorPool> pool_;
  std::unique_ptr<google::protobuf::util::TypeResolver> resolver_;
  std::unique_ptr<google::protobuf::DynamicMessageFactory> factory_;
  const google::protobuf::Descriptor* descriptor_;
  std::string url_;
};

// Sets a string by its path from the root of a message, such as nested.nested.payload.
void SetString(Message* message, std::string_view path, const std::string& value);

// The elements of a JSON array that is a stream of messages: libprotobuf reads one message a call.
std::vector<std::string_view> Elements(std::string_view array);
// The messages in gRPC frames.
std::vector<std::string_view> Frames(std::string_view frames);

}  // namespace libprotobuf_peer
