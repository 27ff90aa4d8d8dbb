// Schema::Load: the only place that uses libprotobuf, and only its descriptors.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>

#include "schema/schema_data.h"

namespace transcode {
namespace {

namespace pb = google::protobuf;

constexpr int kHttpExtension = 72295728;  // google.api.http of google.protobuf.MethodOptions
constexpr size_t kTextSlack = 64;         // readable bytes behind every text
constexpr uint32_t kDenseNumbers = 256;   // field numbers below it are looked up in an array

class FirstError : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const pb::Message*,
                ErrorLocation, const std::string& message) override {
    if (text_.empty()) text_ = file + ": " + element + ": " + message;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

WellKnown WellKnownOf(std::string_view full_name) {
  static const std::unordered_map<std::string_view, WellKnown> kKinds = {
      {"google.protobuf.Any", WellKnown::kAny},
      {"google.protobuf.Timestamp", WellKnown::kTimestamp},
      {"google.protobuf.Duration", WellKnown::kDuration},
      {"google.protobuf.FieldMask", WellKnown::kFieldMask},
      {"google.protobuf.Struct", WellKnown::kStruct},
      {"google.protobuf.Value", WellKnown::kValue},
      {"google.protobuf.ListValue", WellKnown::kListValue},
      {"google.protobuf.Empty", WellKnown::kEmpty},
      {"google.protobuf.DoubleValue", WellKnown::kDoubleValue},
      {"google.protobuf.FloatValue", WellKnown::kFloatValue},
      {"google.protobuf.Int64Value", WellKnown::kInt64Value},
      {"google.protobuf.UInt64Value", WellKnown::kUint64Value},
      {"google.protobuf.Int32Value", WellKnown::kInt32Value},
      {"google.protobuf.UInt32Value", WellKnown::kUint32Value},
      {"google.protobuf.BoolValue", WellKnown::kBoolValue},
      {"google.protobuf.StringValue", WellKnown::kStringValue},
      {"google.protobuf.BytesValue", WellKnown::kBytesValue},
  };
  const auto it = kKinds.find(full_name);
  return it == kKinds.end() ? WellKnown::kNone : it->second;
}

Tag MakeTag(int32_t number, WireType wire_type) {
  Tag tag;
  uint32_t value = static_cast<uint32_t>(number) << 3 | static_cast<uint32_t>(wire_type);
  while (value >= 0x80) {
    tag.bytes[tag.size++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  tag.bytes[tag.size++] = static_cast<char>(value);
  return tag;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted += '"';
}

// The rule of a google.api.HttpRule message and of its additional_bindings.
bool ReadHttpRule(const std::string& bytes, const auto& text, std::vector<HttpRule>& rules) {
  static constexpr std::string_view kVerbs[] = {"", "", "GET", "PUT", "POST", "DELETE", "PATCH"};
  constexpr int kBody = 7, kCustom = 8, kAdditional = 11, kResponseBody = 12;
  pb::UnknownFieldSet fields;
  if (!fields.ParseFromString(bytes)) return false;
  const size_t own = rules.size();
  rules.emplace_back();
  for (int i = 0; i < fields.field_count(); ++i) {
    const pb::UnknownField& field = fields.field(i);
    if (field.type() != pb::UnknownField::TYPE_LENGTH_DELIMITED) continue;
    const std::string& value = field.length_delimited();
    const int number = field.number();
    if (number >= 2 && number <= 6) {
      rules[own].verb = kVerbs[number];
      rules[own].path = text(value);
    } else if (number == kBody) {
      rules[own].body = text(value);
    } else if (number == kResponseBody) {
      rules[own].response_body = text(value);
    } else if (number == kCustom) {
      pb::UnknownFieldSet custom;
      if (!custom.ParseFromString(value)) return false;
      for (int j = 0; j < custom.field_count(); ++j) {
        const pb::UnknownField& part = custom.field(j);
        if (part.type() != pb::UnknownField::TYPE_LENGTH_DELIMITED) continue;
        (part.number() == 1 ? rules[own].verb : rules[own].path) = text(part.length_delimited());
      }
    } else if (number == kAdditional) {
      if (!ReadHttpRule(value, text, rules)) return false;
    }
  }
  return true;
}

}  // namespace

class SchemaBuilder {
 public:
  Result<Schema> Build(std::string_view bytes) {
    pb::FileDescriptorSet set;
    if (!set.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return MakeError(Code::kInvalidArgument, "not a google.protobuf.FileDescriptorSet");
    }
    pb::SimpleDescriptorDatabase given;
    for (const pb::FileDescriptorProto& file : set.file()) {
      if (file.syntax() == "editions") {  // libprotobuf 3.21 has none
        Error error = MakeError(Code::kInvalidArgument, file.name() + " is written in an edition");
        error.expected = "files of syntax proto2 and proto3 only";
        return error;
      }
      given.Add(file);
    }
    pb::DescriptorPoolDatabase bundled(*pb::DescriptorPool::generated_pool());
    pb::MergedDescriptorDatabase database(&given, &bundled);
    FirstError errors;
    pb::DescriptorPool pool(&database, &errors);
    for (const pb::FileDescriptorProto& file : set.file()) {
      const pb::FileDescriptor* built = pool.FindFileByName(file.name());
      if (built == nullptr) {
        return MakeError(Code::kInvalidArgument, "descriptors do not resolve: " + errors.text());
      }
      AddFile(built);
    }
    Fill();
    if (!bad_rule_.empty()) {
      return MakeError(Code::kInvalidArgument, "google.api.http does not parse: " + bad_rule_);
    }
    return Schema(std::move(data_));
  }

 private:
  std::string_view Text(std::string_view text) {
    auto copy = std::make_unique<char[]>(text.size() + kTextSlack);  // zeroed
    std::memcpy(copy.get(), text.data(), text.size());
    data_->texts.push_back(std::move(copy));
    return {data_->texts.back().get(), text.size()};
  }

  void AddFile(const pb::FileDescriptor* file) {
    if (!files_.emplace(file, true).second) return;
    for (int i = 0; i < file->dependency_count(); ++i) AddFile(file->dependency(i));
    for (int i = 0; i < file->message_type_count(); ++i) AddMessage(file->message_type(i));
    for (int i = 0; i < file->enum_type_count(); ++i) AddEnum(file->enum_type(i));
    for (int i = 0; i < file->extension_count(); ++i) AddExtension(file->extension(i));
    for (int i = 0; i < file->service_count(); ++i) services_.push_back(file->service(i));
  }

  void AddMessage(const pb::Descriptor* message) {
    message_index_.emplace(message, messages_.size());
    messages_.push_back(message);
    for (int i = 0; i < message->nested_type_count(); ++i) AddMessage(message->nested_type(i));
    for (int i = 0; i < message->enum_type_count(); ++i) AddEnum(message->enum_type(i));
    for (int i = 0; i < message->extension_count(); ++i) AddExtension(message->extension(i));
  }

  void AddEnum(const pb::EnumDescriptor* type) {
    enum_index_.emplace(type, enums_.size());
    enums_.push_back(type);
  }

  void AddExtension(const pb::FieldDescriptor* extension) {
    extensions_[extension->containing_type()].push_back(extension);
  }

  void Fill() {
    size_t fields = 0, oneofs = 0, methods = 0;
    for (const pb::Descriptor* message : messages_) {
      fields += static_cast<size_t>(message->field_count()) + extensions_[message].size();
      oneofs += static_cast<size_t>(message->real_oneof_decl_count());
    }
    for (const pb::ServiceDescriptor* service : services_) {
      methods += static_cast<size_t>(service->method_count());
    }
    data_->fields.resize(fields);
    data_->numbers.resize(fields);
    data_->oneof_names.resize(oneofs);
    data_->methods.resize(methods);
    data_->messages.resize(messages_.size());
    data_->enums.resize(enums_.size());
    data_->services.resize(services_.size());
    for (size_t i = 0; i < enums_.size(); ++i) FillEnum(enums_[i], data_->enums[i]);
    for (size_t i = 0; i < messages_.size(); ++i) FillMessage(messages_[i], data_->messages[i]);
    for (size_t i = 0; i < services_.size(); ++i) FillService(services_[i], data_->services[i]);
    data_->types.messages_ = data_->messages;
    Index(data_->types.names_, data_->messages, &Message::full_name);
    Index(data_->enum_names, data_->enums, &Enum::full_name);
    Index(data_->method_paths, data_->methods, &Method::path);
    Index(data_->service_names, data_->services, &Service::full_name);
  }

  template <class T>
  static void Index(NameTable& table, const std::vector<T>& items, std::string_view T::*name) {
    std::vector<std::string_view> names;
    std::vector<uint32_t> numbers;
    for (const T& item : items) {
      names.push_back(item.*name);
      numbers.push_back(static_cast<uint32_t>(numbers.size()));
    }
    table.Build(names, numbers);
  }

  void FillEnum(const pb::EnumDescriptor* from, Enum& to) {
    to.full_name = Text(from->full_name());
    to.null_value = to.full_name == "google.protobuf.NullValue";
    to.closed = from->file()->syntax() == pb::FileDescriptor::SYNTAX_PROTO2;
    std::vector<EnumValue> values;
    std::vector<std::string_view> names;
    std::vector<uint32_t> numbers;
    for (int i = 0; i < from->value_count(); ++i) {
      EnumValue value;
      value.name = Text(from->value(i)->name());
      value.json_text = Text(Quoted(value.name));
      value.number = from->value(i)->number();
      values.push_back(value);
      names.push_back(value.name);
      numbers.push_back(static_cast<uint32_t>(i));
    }
    std::vector<EnumValue> sorted = values;
    const auto less = [](const EnumValue& a, const EnumValue& b) { return a.number < b.number; };
    const auto same = [](const EnumValue& a, const EnumValue& b) { return a.number == b.number; };
    std::stable_sort(sorted.begin(), sorted.end(), less);
    sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
    to.first_number = sorted.empty() ? 0 : sorted.front().number;
    to.names.Build(names, numbers);
    to.values = data_->enum_values.emplace_back(std::move(values));
    to.by_number = data_->enum_values.emplace_back(std::move(sorted));
  }

  void FillMessage(const pb::Descriptor* from, Message& to) {
    to.types = &data_->types;
    to.full_name = Text(from->full_name());
    to.name = to.full_name.substr(to.full_name.size() - from->name().size());
    to.well_known = from->options().message_set_wire_format() ? WellKnown::kMessageSet
                                                              : WellKnownOf(to.full_name);
    to.map_entry = from->options().map_entry();
    to.oneof_count = static_cast<uint32_t>(from->real_oneof_decl_count());
    std::string_view* oneofs = data_->oneof_names.data() + next_oneof_;
    to.oneof_names = {oneofs, to.oneof_count};
    next_oneof_ += to.oneof_count;
    for (uint32_t i = 0; i < to.oneof_count; ++i) {
      oneofs[i] = Text(from->oneof_decl(static_cast<int>(i))->name());
    }

    std::vector<const pb::FieldDescriptor*> fields;
    for (int i = 0; i < from->field_count(); ++i) fields.push_back(from->field(i));
    for (const pb::FieldDescriptor* extension : extensions_[from]) fields.push_back(extension);
    Field* const first = data_->fields.data() + next_field_;
    uint32_t* const numbers = data_->numbers.data() + next_field_;
    next_field_ += fields.size();
    to.fields = {first, fields.size()};
    to.by_number = {numbers, fields.size()};
    std::map<std::string_view, uint32_t> names;
    uint32_t dense = 0;
    for (uint32_t i = 0; i < fields.size(); ++i) {
      Field& field = first[i];
      FillField(fields[i], field);
      field.index = i;
      field.parent = &to;
      numbers[i] = i;
      names.emplace(field.json_name, i);
      const auto number = static_cast<uint32_t>(field.number);
      if (number < kDenseNumbers) dense = std::max(dense, number + 1);
    }
    // A json_name wins over another field's name in the .proto file.
    for (uint32_t i = 0; i < fields.size(); ++i) names.emplace(first[i].name, i);
    std::sort(numbers, numbers + fields.size(),
              [first](uint32_t a, uint32_t b) { return first[a].number < first[b].number; });
    to.dense.resize(dense);
    for (uint32_t i = 0; i < fields.size(); ++i) {
      const auto number = static_cast<uint32_t>(first[i].number);
      if (number < dense) to.dense[number] = i + 1;
    }
    std::vector<std::string_view> keys;
    std::vector<uint32_t> indexes;
    for (const auto& [name, index] : names) {
      keys.push_back(name);
      indexes.push_back(index);
    }
    to.names.Build(keys, indexes);
  }

  void FillField(const pb::FieldDescriptor* from, Field& to) {
    to.type = static_cast<Type>(from->type());
    to.number = from->number();
    to.repeated = from->is_repeated();
    to.map = from->is_map();
    to.packed = from->is_packed();
    to.has_presence = from->has_presence();
    to.write_zero = to.has_presence || from->containing_type()->options().map_entry();
    to.required = from->is_required();
    to.extension = from->is_extension();
    to.validate_utf8 = from->file()->syntax() == pb::FileDescriptor::SYNTAX_PROTO3;
    to.tag = MakeTag(to.number, WireTypeOf(to.type));
    if (from->is_packable()) to.packed_tag = MakeTag(to.number, WireType::kLength);
    if (to.type == Type::kGroup) to.end_tag = MakeTag(to.number, WireType::kEndGroup);
    if (from->real_containing_oneof() != nullptr) {
      to.oneof = from->real_containing_oneof()->index();
    }
    if (from->message_type() != nullptr) {
      to.message = &data_->messages[message_index_.at(from->message_type())];
    }
    if (from->enum_type() != nullptr) {
      to.enum_type = &data_->enums[enum_index_.at(from->enum_type())];
    }
    if (to.extension) {
      to.name = to.json_name = Text("[" + from->full_name() + "]");
    } else {
      to.name = Text(from->name());
      to.json_name = Text(from->json_name());
    }
    to.json_key = Text(Quoted(to.json_name) + ":");
    to.proto_key = Text(Quoted(to.name) + ":");
  }

  void FillService(const pb::ServiceDescriptor* from, Service& to) {
    to.full_name = Text(from->full_name());
    Method* const first = data_->methods.data() + next_method_;
    next_method_ += static_cast<size_t>(from->method_count());
    to.methods = {first, static_cast<size_t>(from->method_count())};
    for (int i = 0; i < from->method_count(); ++i) {
      const pb::MethodDescriptor* method = from->method(i);
      Method& made = first[i];
      made.name = Text(method->name());
      made.full_name = Text(method->full_name());
      made.path = Text("/" + from->full_name() + "/" + method->name());
      made.service = &to;
      made.input = &data_->messages[message_index_.at(method->input_type())];
      made.output = &data_->messages[message_index_.at(method->output_type())];
      made.client_streaming = method->client_streaming();
      made.server_streaming = method->server_streaming();
      made.http_rules = HttpRules(method);
    }
  }

  std::span<const HttpRule> HttpRules(const pb::MethodDescriptor* method) {
    // The options know no extension of ours: the bytes of the rule are an unknown field. Several
    // occurrences of it merge, which concatenation does.
    pb::UnknownFieldSet options;
    std::string bytes;
    if (!options.ParseFromString(method->options().SerializeAsString())) return {};
    for (int i = 0; i < options.field_count(); ++i) {
      const pb::UnknownField& field = options.field(i);
      if (field.number() == kHttpExtension &&
          field.type() == pb::UnknownField::TYPE_LENGTH_DELIMITED) {
        bytes += field.length_delimited();
      }
    }
    if (bytes.empty()) return {};
    std::vector<HttpRule> rules;
    const auto text = [this](const std::string& value) { return Text(value); };
    if (!ReadHttpRule(bytes, text, rules)) bad_rule_ = method->full_name();
    return data_->rules.emplace_back(std::move(rules));
  }

  std::unique_ptr<Schema::Data> data_ = std::make_unique<Schema::Data>();
  std::unordered_map<const pb::FileDescriptor*, bool> files_;
  std::unordered_map<const pb::Descriptor*, size_t> message_index_;
  std::unordered_map<const pb::EnumDescriptor*, size_t> enum_index_;
  std::unordered_map<const pb::Descriptor*, std::vector<const pb::FieldDescriptor*>> extensions_;
  std::vector<const pb::Descriptor*> messages_;
  std::vector<const pb::EnumDescriptor*> enums_;
  std::vector<const pb::ServiceDescriptor*> services_;
  size_t next_field_ = 0;
  size_t next_oneof_ = 0;
  size_t next_method_ = 0;
  std::string bad_rule_;
};

Result<Schema> Schema::Load(std::string_view file_descriptor_set) {
  return SchemaBuilder().Build(file_descriptor_set);
}

}  // namespace transcode
