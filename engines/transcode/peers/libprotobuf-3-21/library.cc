#include "library.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <cstdio>
#include <cstdlib>

namespace libprotobuf_peer {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::ArrayInputStream;
using google::protobuf::io::StringOutputStream;
using google::protobuf::io::ZeroCopyInputStream;

constexpr char kPrefix[] = "type.googleapis.com";

google::protobuf::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

ArrayInputStream Stream(std::string_view bytes) {
  return {bytes.data(), static_cast<int>(bytes.size())};
}

[[noreturn]] void Fail(const std::string& reason) {
  std::fprintf(stderr, "%s\n", reason.c_str());
  std::exit(1);
}

// With maps in order. Unlike the values of fields, bytes also compare where a number is NaN.
std::string Serialized(const Message& message) {
  std::string bytes;
  {
    StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&out);
  }
  return bytes;
}

google::protobuf::util::JsonParseOptions Options(bool ignore_unknown) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = ignore_unknown;
  return options;
}

}  // namespace

Type::Type(const std::string& file_descriptor_set, const std::string& name)
    : pool_(std::make_unique<google::protobuf::DescriptorPool>()),
      resolver_(google::protobuf::util::NewTypeResolverForDescriptorPool(kPrefix, pool_.get())),
      factory_(std::make_unique<google::protobuf::DynamicMessageFactory>()),
      url_(std::string(kPrefix) + "/" + name) {
  google::protobuf::FileDescriptorSet files;
  if (!files.ParseFromString(file_descriptor_set)) Fail("the FileDescriptorSet is not one");
  for (const auto& file : files.file()) {
    if (pool_->BuildFile(file) == nullptr) Fail("the file " + file.name() + " is refused");
  }
  descriptor_ = pool_->FindMessageTypeByName(name);
  if (descriptor_ == nullptr) Fail("no message " + name);
}

bool Type::FromJson(ZeroCopyInputStream* json, std::string* wire, bool ignore_unknown) const {
  wire->clear();
  StringOutputStream out(wire);
  return google::protobuf::util::JsonToBinaryStream(resolver_.get(), url_, json, &out,
                                                    Options(ignore_unknown))
      .ok();
}

bool Type::ToJson(ZeroCopyInputStream* wire, std::string* json) const {
  json->clear();
  StringOutputStream out(json);
  return google::protobuf::util::BinaryToJsonStream(resolver_.get(), url_, wire, &out).ok();
}

bool Type::FromJson(std::string_view json, std::string* wire, bool ignore_unknown) const {
  ArrayInputStream in = Stream(json);
  return FromJson(&in, wire, ignore_unknown);
}

bool Type::ToJson(std::string_view wire, std::string* json) const {
  ArrayInputStream in = Stream(wire);
  return ToJson(&in, json);
}

std::unique_ptr<Message> Type::New() const {
  return std::unique_ptr<Message>(factory_->GetPrototype(descriptor_)->New());
}

bool Type::FromJson(std::string_view json, Message* message) const {
  return google::protobuf::util::JsonStringToMessage(Piece(json), message, Options(true)).ok();
}

bool Type::SameWire(std::string_view one, std::string_view other) const {
  if (one == other) return true;
  const auto first = New();
  const auto second = New();
  return first->ParseFromArray(one.data(), static_cast<int>(one.size())) &&
         second->ParseFromArray(other.data(), static_cast<int>(other.size())) &&
         Serialized(*first) == Serialized(*second);
}

bool Type::SameJson(std::string_view one, std::string_view other) const {
  std::string first;
  std::string second;
  return one == other ||
         (FromJson(one, &first) && FromJson(other, &second) && SameWire(first, second));
}

void SetString(Message* message, std::string_view path, const std::string& value) {
  for (;;) {
    const size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(name);
    if (dot == path.npos) {
      message->GetReflection()->SetString(message, field, value);
      return;
    }
    message = message->GetReflection()->MutableMessage(message, field);
    path.remove_prefix(dot + 1);
  }
}

std::vector<std::string_view> Elements(std::string_view array) {
  std::vector<std::string_view> elements;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at < array.size(); ++at) {
    switch (array[at]) {
      case '"':
        while (array[++at] != '"') at += array[at] == '\\';
        break;
      case '{':
      case '[':
        if (++depth == 2) begin = at;
        break;
      case '}':
      case ']':
        if (--depth == 1) elements.push_back(array.substr(begin, at + 1 - begin));
        break;
      default:
        break;
    }
  }
  return elements;
}

std::vector<std::string_view> Frames(std::string_view frames) {
  std::vector<std::string_view> messages;
  while (!frames.empty()) {
    size_t length = 0;
    for (size_t i = 1; i < 5; ++i) length = length << 8 | static_cast<unsigned char>(frames[i]);
    messages.push_back(frames.substr(5, length));
    frames.remove_prefix(5 + length);
  }
  return messages;
}

}  // namespace libprotobuf_peer
