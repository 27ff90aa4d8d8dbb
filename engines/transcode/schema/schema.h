#pragma once

// A FileDescriptorSet compiled into flat read-only tables: all that the codecs and the router
// need to know about messages, fields, enums, services and google.api.http rules.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "schema/name_table.h"

namespace transcode {

struct Enum;
struct Message;
struct Service;

// The numbers are those of google.protobuf.FieldDescriptorProto.Type.
enum class Type : uint8_t {
  kDouble = 1,
  kFloat = 2,
  kInt64 = 3,
  kUint64 = 4,
  kInt32 = 5,
  kFixed64 = 6,
  kFixed32 = 7,
  kBool = 8,
  kString = 9,
  kGroup = 10,
  kMessage = 11,
  kBytes = 12,
  kUint32 = 13,
  kEnum = 14,
  kSfixed32 = 15,
  kSfixed64 = 16,
  kSint32 = 17,
  kSint64 = 18,
};

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// The wire type of one value of a type (not of a packed list).
WireType WireTypeOf(Type type);

// "int32", "message", ... as in a .proto file.
std::string_view TypeName(Type type);

// Messages whose JSON form is special.
enum class WellKnown : uint8_t {
  kNone,
  kAny,
  kTimestamp,
  kDuration,
  kFieldMask,
  kStruct,
  kValue,
  kListValue,
  kEmpty,       // plain `{}` in JSON, but under "value" inside an Any
  kMessageSet,  // any message of the option message_set_wire_format: refused
  // Wrappers: the JSON form is that of field 1.
  kDoubleValue,
  kFloatValue,
  kInt64Value,
  kUint64Value,
  kInt32Value,
  kUint32Value,
  kBoolValue,
  kStringValue,
  kBytesValue,
};

constexpr bool IsWrapper(WellKnown kind) { return kind >= WellKnown::kDoubleValue; }

// A tag as it stands on the wire.
struct Tag {
  std::array<char, 8> bytes{};  // `size` of them count
  uint8_t size = 0;             // 1..5
};

struct Field {
  static constexpr int kNoOneof = -1;

  Type type = Type::kInt32;
  bool repeated = false;      // a list or a map
  bool map = false;           // `message` is then the entry type: fields[0] key, fields[1] value
  bool packed = false;        // lists of it are written packed
  bool has_presence = false;  // explicit: optional, oneof member, message, proto2
  bool write_zero = false;    // a zero is written: has_presence, or part of a map entry
  bool required = false;      // proto2
  bool extension = false;     // name and json_name are then "[full.name]"
  bool validate_utf8 = true;  // strings: of proto3 files
  Tag tag;                    // of one value; of a message or group: its start
  Tag packed_tag;             // of a packed list (size 0 where the type cannot be packed)
  Tag end_tag;                // of a group
  int32_t number = 0;
  uint32_t index = 0;                // in message.fields
  int32_t oneof = kNoOneof;          // index of a real oneof (not of a proto3 optional)
  const Message* message = nullptr;  // of messages, groups and maps
  const Enum* enum_type = nullptr;
  const Message* parent = nullptr;  // the message that has the field

  std::string_view name;  // as in the .proto file
  std::string_view json_name;
  std::string_view json_key;   // "jsonName": with quotes (escaped) and colon
  std::string_view proto_key;  // the same with the name of the .proto file
  // At least 64 bytes behind each key are readable, so that it can be compared as a vector.

  bool is_message() const { return type == Type::kMessage || type == Type::kGroup; }
};

// All messages of a schema by full name: what an Any may hold.
class TypeIndex {
 public:
  const Message* Find(std::string_view full_name) const;  // null: none

 private:
  friend class SchemaBuilder;
  NameTable names_;
  std::span<const Message> messages_;
};

struct Message {
  const TypeIndex* types = nullptr;  // of the schema that the message is of
  std::string_view full_name;
  std::string_view name;
  WellKnown well_known = WellKnown::kNone;
  bool map_entry = false;
  uint32_t oneof_count = 0;             // real oneofs
  std::span<const Field> fields;        // in order of declaration, then extensions
  std::span<const uint32_t> by_number;  // indexes of `fields`, in order of their numbers
  std::vector<uint32_t> dense;          // number -> index + 1, for the numbers below dense.size()
  std::span<const std::string_view> oneof_names;
  NameTable names;  // json_name and proto name -> index

  // By json_name or name of the .proto file; of an extension: "[full.name]". Null: none.
  [[gnu::always_inline]] inline const Field* FindField(std::string_view field_name) const {
    const uint32_t at = names.Find(field_name);
    return at == NameTable::kNotFound ? nullptr : fields.data() + at;
  }
  [[gnu::always_inline]] inline const Field* FindNumber(uint32_t number) const {
    if (number < dense.size()) {
      const uint32_t at = dense.data()[number];
      return at == 0 ? nullptr : fields.data() + (at - 1);
    }
    return FindLargeNumber(number);
  }

 private:
  const Field* FindLargeNumber(uint32_t number) const;
};

inline const Message* TypeIndex::Find(std::string_view full_name) const {
  const uint32_t at = names_.Find(full_name);
  return at == NameTable::kNotFound ? nullptr : &messages_[at];
}

struct EnumValue {
  std::string_view name;
  std::string_view json_text;  // "NAME" with quotes
  int32_t number = 0;
};

struct Enum {
  std::string_view full_name;
  bool null_value = false;               // google.protobuf.NullValue
  bool closed = false;                   // proto2
  std::span<const EnumValue> values;     // in order of declaration
  std::span<const EnumValue> by_number;  // one for each number: the first declared
  NameTable names;

  [[gnu::always_inline]] inline const EnumValue* FindName(std::string_view value_name) const {
    const uint32_t at = names.Find(value_name);
    return at == NameTable::kNotFound ? nullptr : &values[at];
  }
  // Ignores the case of ASCII letters and takes '-' for '_'. O(values).
  const EnumValue* FindNameFolded(std::string_view value_name) const;
  const EnumValue* FindNumber(int32_t number) const {
    // Most enums count up from their first number.
    const size_t guess = static_cast<size_t>(static_cast<int64_t>(number) - first_number);
    if (guess < by_number.size() && by_number[guess].number == number) return &by_number[guess];
    return FindSparseNumber(number);
  }

  int32_t first_number = 0;  // of by_number

 private:
  const EnumValue* FindSparseNumber(int32_t number) const;
};

// One binding of google.api.http.
struct HttpRule {
  std::string_view verb;  // GET PUT POST DELETE PATCH, or the kind of a custom rule
  std::string_view path;  // the template
  std::string_view body;  // "", "*" or a field
  std::string_view response_body;
};

struct Method {
  std::string_view name;
  std::string_view full_name;  // pkg.Service.Method
  std::string_view path;       // /pkg.Service/Method
  const Service* service = nullptr;
  const Message* input = nullptr;
  const Message* output = nullptr;
  bool client_streaming = false;
  bool server_streaming = false;
  std::span<const HttpRule> http_rules;  // the rule, then its additional_bindings
};

struct Service {
  std::string_view full_name;
  std::span<const Method> methods;
};

// Immutable and safe to share between threads. Moving it keeps every pointer valid.
class Schema {
 public:
  // From a serialized google.protobuf.FileDescriptorSet that holds its imports, as
  // `protoc --include_imports --descriptor_set_out` writes it. Imports of google/protobuf/*.proto
  // that are missing are taken from the ones of the linked libprotobuf.
  // Errors: INVALID_ARGUMENT with what does not parse or resolve.
  static Result<Schema> Load(std::string_view file_descriptor_set);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  const Message* FindMessage(std::string_view full_name) const;
  const Enum* FindEnum(std::string_view full_name) const;
  const Method* FindMethod(std::string_view path) const;  // "/pkg.Service/Method"
  const Service* FindService(std::string_view full_name) const;
  std::span<const Message> messages() const;
  std::span<const Service> services() const;

 private:
  friend class SchemaBuilder;
  struct Data;
  explicit Schema(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace transcode
