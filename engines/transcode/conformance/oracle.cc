#include "conformance/oracle.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "conformance/files.h"

namespace transcode::conformance {

namespace pb = google::protobuf;

Oracle::Oracle(std::string_view file_descriptor_set) {
  pb::FileDescriptorSet set;
  bool fine =
      set.ParseFromArray(file_descriptor_set.data(), static_cast<int>(file_descriptor_set.size()));
  for (const pb::FileDescriptorProto& file : set.file()) {
    fine = fine && pool_.BuildFile(file) != nullptr;
  }
  Result<Schema> schema = Schema::Load(file_descriptor_set);
  if (!fine || !schema.ok()) {
    std::fprintf(stderr, "the schema does not load: %s\n",
                 schema.ok() ? "libprotobuf" : schema.error().ToString().c_str());
    std::exit(2);
  }
  schema_.emplace(std::move(schema).value());
}

std::unique_ptr<pb::Message> Oracle::New(const std::string& type) {
  const pb::Descriptor* descriptor = pool_.FindMessageTypeByName(type);
  if (descriptor == nullptr) {
    std::fprintf(stderr, "no message %s\n", type.c_str());
    std::exit(2);
  }
  return std::unique_ptr<pb::Message>(factory_.GetPrototype(descriptor)->New());
}

std::string Oracle::Serialize(const pb::Message& message) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializePartialToCodedStream(&coded);
  }
  return bytes;
}

namespace {

// The fields of a message that are set and hold messages; `take` is called for each of these.
template <class Take>
std::vector<const pb::FieldDescriptor*> ForEachMessage(pb::Message* message, Take take) {
  const pb::Reflection* reflection = message->GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  std::erase_if(fields, [](const pb::FieldDescriptor* field) {
    return field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE;
  });
  for (const pb::FieldDescriptor* field : fields) {
    if (!field->is_repeated()) take(reflection->MutableMessage(message, field));
    for (int i = 0; field->is_repeated() && i < reflection->FieldSize(*message, field); ++i) {
      take(reflection->MutableRepeatedMessage(message, field, i));
    }
  }
  return fields;
}

}  // namespace

void Oracle::DiscardUnknown(pb::Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->Clear();
  ForEachMessage(message, DiscardUnknown);
}

std::optional<std::string> Oracle::Canonical(const std::string& type, std::string_view wire) {
  const std::unique_ptr<pb::Message> message = New(type);
  pb::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(wire.data()),
                                  static_cast<int>(wire.size()));
  stream.SetRecursionLimit(1000);
  if (!message->ParsePartialFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return std::nullopt;
  }
  Normalize(message.get());
  return Serialize(*message);
}

namespace {

// A reader of the wire may keep all entries of a map, in their order, with unknown fields.
void SortMap(pb::Message* message, const pb::FieldDescriptor* field) {
  const pb::Reflection* reflection = message->GetReflection();
  std::map<std::string, std::unique_ptr<pb::Message>> entries;
  while (reflection->FieldSize(*message, field) > 0) {  // the last one first: it counts
    std::unique_ptr<pb::Message> entry(reflection->ReleaseLast(message, field));
    entry->GetReflection()->MutableUnknownFields(entry.get())->Clear();
    const pb::FieldDescriptor* value = field->message_type()->map_value();
    if (value->message_type() != nullptr) {  // left out on the wire it is an empty message
      entry->GetReflection()->MutableMessage(entry.get(), value);
    }
    const std::unique_ptr<pb::Message> key(entry->New());
    key->CopyFrom(*entry);
    key->GetReflection()->ClearField(key.get(), value);
    entries.emplace(Oracle::Serialize(*key), std::move(entry));
  }
  for (auto& [key, entry] : entries) {
    reflection->AddAllocatedMessage(message, field, entry.release());
  }
}

}  // namespace

void Oracle::Normalize(pb::Message* message) {
  const pb::Reflection* reflection = message->GetReflection();
  const pb::Descriptor* descriptor = message->GetDescriptor();
  if (descriptor->full_name() == "google.protobuf.Any") {
    const pb::FieldDescriptor* url_field = descriptor->FindFieldByNumber(1);
    const pb::FieldDescriptor* value_field = descriptor->FindFieldByNumber(2);
    const std::string url = reflection->GetString(*message, url_field);
    const std::string type = url.substr(url.find_last_of('/') + 1);
    if (pool_.FindMessageTypeByName(type) == nullptr) return;
    const auto value = Canonical(type, reflection->GetString(*message, value_field));
    if (value) reflection->SetString(message, value_field, *value);
    return;
  }
  for (const pb::FieldDescriptor* field :
       ForEachMessage(message, [this](pb::Message* inner) { Normalize(inner); })) {
    if (field->is_map()) SortMap(message, field);
  }
}

Oracle& CorpusOracle() {
  static Oracle oracle(ReadTestData("corpus/transcode_corpus.desc"));
  return oracle;
}

Oracle& SuiteOracle() {
  static Oracle oracle(ReadTestData("corpus/test_messages.desc"));
  return oracle;
}

}  // namespace transcode::conformance
