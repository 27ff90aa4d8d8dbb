#include "schema/schema.h"

#include <algorithm>

#include "schema/schema_data.h"

namespace transcode {

WireType WireTypeOf(Type type) {
  switch (type) {
    case Type::kDouble:
    case Type::kFixed64:
    case Type::kSfixed64:
      return WireType::kFixed64;
    case Type::kFloat:
    case Type::kFixed32:
    case Type::kSfixed32:
      return WireType::kFixed32;
    case Type::kString:
    case Type::kBytes:
    case Type::kMessage:
      return WireType::kLength;
    case Type::kGroup:
      return WireType::kStartGroup;
    default:
      return WireType::kVarint;
  }
}

std::string_view TypeName(Type type) {
  static constexpr std::string_view kNames[] = {
      "",        "double",   "float",    "int64",  "uint64",  "int32", "fixed64",
      "fixed32", "bool",     "string",   "group",  "message", "bytes", "uint32",
      "enum",    "sfixed32", "sfixed64", "sint32", "sint64"};
  return kNames[static_cast<size_t>(type)];
}

const Field* Message::FindLargeNumber(uint32_t number) const {
  const auto it = std::lower_bound(
      by_number.begin(), by_number.end(), number,
      [this](uint32_t at, uint32_t n) { return static_cast<uint32_t>(fields[at].number) < n; });
  if (it == by_number.end() || static_cast<uint32_t>(fields[*it].number) != number) return nullptr;
  return &fields[*it];
}

const EnumValue* Enum::FindSparseNumber(int32_t number) const {
  const auto it = std::lower_bound(by_number.begin(), by_number.end(), number,
                                   [](const EnumValue& v, int32_t n) { return v.number < n; });
  return it == by_number.end() || it->number != number ? nullptr : &*it;
}

const EnumValue* Enum::FindNameFolded(std::string_view value_name) const {
  const auto fold = [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c == '-' ? '_' : c;
  };
  for (const EnumValue& value : values) {
    if (std::equal(value.name.begin(), value.name.end(), value_name.begin(), value_name.end(),
                   [&](char a, char b) { return fold(a) == fold(b); })) {
      return &value;
    }
  }
  return nullptr;
}

Schema::Schema(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

const Message* Schema::FindMessage(std::string_view full_name) const {
  return data_->types.Find(full_name);
}

const Enum* Schema::FindEnum(std::string_view full_name) const {
  const uint32_t at = data_->enum_names.Find(full_name);
  return at == NameTable::kNotFound ? nullptr : &data_->enums[at];
}

const Method* Schema::FindMethod(std::string_view path) const {
  const uint32_t at = data_->method_paths.Find(path);
  return at == NameTable::kNotFound ? nullptr : &data_->methods[at];
}

const Service* Schema::FindService(std::string_view full_name) const {
  const uint32_t at = data_->service_names.Find(full_name);
  return at == NameTable::kNotFound ? nullptr : &data_->services[at];
}

std::span<const Message> Schema::messages() const { return data_->messages; }
std::span<const Service> Schema::services() const { return data_->services; }

}  // namespace transcode
