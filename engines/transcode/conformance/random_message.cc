#include "conformance/random_message.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/empty.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/wrappers.pb.h>

#include <bit>
#include <cmath>

namespace transcode::conformance {

namespace pb = google::protobuf;

namespace {

constexpr int kMessages = 4;
constexpr int kEnums = 2;

const char* const kWellKnown[] = {
    ".google.protobuf.Timestamp",   ".google.protobuf.Duration",    ".google.protobuf.FieldMask",
    ".google.protobuf.Struct",      ".google.protobuf.Value",       ".google.protobuf.ListValue",
    ".google.protobuf.Any",         ".google.protobuf.Empty",       ".google.protobuf.DoubleValue",
    ".google.protobuf.FloatValue",  ".google.protobuf.Int64Value",  ".google.protobuf.UInt64Value",
    ".google.protobuf.Int32Value",  ".google.protobuf.UInt32Value", ".google.protobuf.BoolValue",
    ".google.protobuf.StringValue", ".google.protobuf.BytesValue"};

using FieldProto = pb::FieldDescriptorProto;

std::string NameOf(Random& random, int number) {
  static const char* const kShapes[] = {
      "f",
      "name_",
      "snake_case_name_",
      "camelName",
      "UPPER_case",
      "a_1_b_",
      "a_rather_long_name_of_a_field_that_does_not_fit_a_vector_"};
  return kShapes[random.Below(std::size(kShapes))] + std::to_string(number);
}

void SetRandomType(Random& random, FieldProto* field) {
  const uint64_t kind = random.Below(24);
  if (kind < 18 && kind != 0 && kind != FieldProto::TYPE_GROUP &&
      kind != FieldProto::TYPE_MESSAGE && kind != FieldProto::TYPE_ENUM) {
    field->set_type(static_cast<FieldProto::Type>(kind));
  } else if (kind == 0 || kind == FieldProto::TYPE_ENUM) {
    field->set_type(FieldProto::TYPE_ENUM);
    field->set_type_name(std::string(".random.E").append(std::to_string(random.Below(kEnums))));
  } else {
    field->set_type(FieldProto::TYPE_MESSAGE);
    if (random.OneIn(2)) {
      field->set_type_name(
          std::string(".random.M").append(std::to_string(random.Below(kMessages))));
    } else {
      field->set_type_name(kWellKnown[random.Below(std::size(kWellKnown))]);
    }
  }
}

bool CanBePacked(FieldProto::Type type) {
  return type != FieldProto::TYPE_STRING && type != FieldProto::TYPE_BYTES &&
         type != FieldProto::TYPE_MESSAGE;
}

std::string EntryName(const std::string& field) {
  std::string name;
  bool upper = true;
  for (const char c : field) {
    if (c == '_') {
      upper = true;
    } else {
      name.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c);
      upper = false;
    }
  }
  return name + "Entry";
}

void MakeMap(Random& random, const std::string& message, pb::DescriptorProto* owner,
             FieldProto* field) {
  static const FieldProto::Type kKeys[] = {
      FieldProto::TYPE_STRING,   FieldProto::TYPE_INT32,    FieldProto::TYPE_INT64,
      FieldProto::TYPE_UINT32,   FieldProto::TYPE_UINT64,   FieldProto::TYPE_SINT32,
      FieldProto::TYPE_SINT64,   FieldProto::TYPE_FIXED32,  FieldProto::TYPE_FIXED64,
      FieldProto::TYPE_SFIXED32, FieldProto::TYPE_SFIXED64, FieldProto::TYPE_BOOL};
  pb::DescriptorProto* entry = owner->add_nested_type();
  entry->set_name(EntryName(field->name()));
  entry->mutable_options()->set_map_entry(true);
  FieldProto* key = entry->add_field();
  key->set_name("key");
  key->set_number(1);
  key->set_label(FieldProto::LABEL_OPTIONAL);
  key->set_type(kKeys[random.Below(std::size(kKeys))]);
  FieldProto* value = entry->add_field();
  value->set_name("value");
  value->set_number(2);
  value->set_label(FieldProto::LABEL_OPTIONAL);
  SetRandomType(random, value);
  field->set_label(FieldProto::LABEL_REPEATED);
  field->set_type(FieldProto::TYPE_MESSAGE);
  field->set_type_name(std::string(".random.").append(message).append(".").append(entry->name()));
}

int Unreserved(int number) { return number >= 19000 && number < 20000 ? 20000 : number; }

void MakeMessage(Random& random, const std::string& name, pb::DescriptorProto* message) {
  message->set_name(name);
  const bool with_oneof = random.OneIn(2);
  if (with_oneof) message->add_oneof_decl()->set_name("choice");
  int number = 0;
  std::vector<FieldProto*> optionals;
  for (uint64_t left = 2 + random.Below(20); left > 0; --left) {
    number += random.OneIn(8) ? static_cast<int>(1 + random.Below(100000)) : 1;
    number = Unreserved(number);
    FieldProto* field = message->add_field();
    field->set_name(NameOf(random, number));
    field->set_number(number);
    field->set_label(FieldProto::LABEL_OPTIONAL);
    switch (random.Below(5)) {
      case 0:
        MakeMap(random, name, message, field);
        break;
      case 1:
        SetRandomType(random, field);
        field->set_label(FieldProto::LABEL_REPEATED);
        if (CanBePacked(field->type()) && random.OneIn(3)) {
          field->mutable_options()->set_packed(random.OneIn(2));
        }
        break;
      case 2:
        SetRandomType(random, field);
        field->set_proto3_optional(true);
        optionals.push_back(field);
        break;
      default:
        SetRandomType(random, field);
    }
  }
  if (with_oneof) {  // its members must stand together
    for (uint64_t left = 1 + random.Below(5); left > 0; --left) {
      number = Unreserved(number + 1);
      FieldProto* member = message->add_field();
      member->set_name(NameOf(random, number));
      member->set_number(number);
      member->set_label(FieldProto::LABEL_OPTIONAL);
      SetRandomType(random, member);
      member->set_oneof_index(0);
    }
  }
  for (FieldProto* field : optionals) {
    field->set_oneof_index(message->oneof_decl_size());
    message->add_oneof_decl()->set_name("_" + field->name());
  }
}

void AddImport(pb::FileDescriptorSet* set, pb::FileDescriptorProto* file,
               const pb::FileDescriptor* import) {
  import->CopyTo(set->add_file());
  file->add_dependency(import->name());
}

}  // namespace

RandomSchema::RandomSchema(uint64_t seed) {
  Random random(seed);
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto file;
  file.set_name("random.proto");
  file.set_package("random");
  file.set_syntax("proto3");
  AddImport(&set, &file, pb::Any::descriptor()->file());
  AddImport(&set, &file, pb::Duration::descriptor()->file());
  AddImport(&set, &file, pb::Empty::descriptor()->file());
  AddImport(&set, &file, pb::FieldMask::descriptor()->file());
  AddImport(&set, &file, pb::Struct::descriptor()->file());
  AddImport(&set, &file, pb::Timestamp::descriptor()->file());
  AddImport(&set, &file, pb::Int32Value::descriptor()->file());
  for (int i = 0; i < kEnums; ++i) {
    pb::EnumDescriptorProto* type = file.add_enum_type();
    type->set_name(std::string("E").append(std::to_string(i)));
    int number = 0;
    for (uint64_t left = 1 + random.Below(6); left > 0; --left) {
      pb::EnumValueDescriptorProto* value = type->add_value();
      value->set_name(type->name() + "_VALUE_" + std::to_string(left));
      value->set_number(number);
      number += static_cast<int>(1 + random.Below(random.OneIn(2) ? 1 : 1000));
    }
  }
  for (int i = 0; i < kMessages; ++i) {
    const std::string name = std::string("M").append(std::to_string(i));
    MakeMessage(random, name, file.add_message_type());
    types_.push_back("random." + name);
  }
  *set.add_file() = file;
  oracle_ = std::make_unique<Oracle>(set.SerializeAsString());
}

std::string RandomText(Random& random, size_t longest) {
  std::string text;
  for (uint64_t left = random.Below(longest + 1); left > 0; --left) {
    uint32_t c = 0;
    switch (random.Below(12)) {
      case 0:
        c = static_cast<uint32_t>(random.Below(0x20));
        break;
      case 1:
        c = random.OneIn(2) ? '"' : '\\';
        break;
      case 2:
        c = static_cast<uint32_t>(0x80 + random.Below(0x780));
        break;
      case 3:
        c = static_cast<uint32_t>(0x800 + random.Below(0xd800 - 0x800));
        break;
      case 4:
        c = static_cast<uint32_t>(0xe000 + random.Below(0x110000 - 0xe000));
        break;
      default:
        c = static_cast<uint32_t>(0x20 + random.Below(0x60));
    }
    if (c < 0x80) {
      text.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      text.push_back(static_cast<char>(0xc0 | (c >> 6)));
      text.push_back(static_cast<char>(0x80 | (c & 63)));
    } else if (c < 0x10000) {
      text.push_back(static_cast<char>(0xe0 | (c >> 12)));
      text.push_back(static_cast<char>(0x80 | ((c >> 6) & 63)));
      text.push_back(static_cast<char>(0x80 | (c & 63)));
    } else {
      text.push_back(static_cast<char>(0xf0 | (c >> 18)));
      text.push_back(static_cast<char>(0x80 | ((c >> 12) & 63)));
      text.push_back(static_cast<char>(0x80 | ((c >> 6) & 63)));
      text.push_back(static_cast<char>(0x80 | (c & 63)));
    }
  }
  return text;
}

namespace {

// Of every magnitude, with the ends of the range.
uint64_t RandomBits(Random& random) {
  if (random.OneIn(8)) return random.OneIn(2) ? ~uint64_t{0} : uint64_t{1} << 63;
  return random.Next() >> random.Below(64);
}

double RandomDouble(Random& random, bool finite) {
  switch (random.Below(4)) {
    case 0:
      return static_cast<double>(static_cast<int64_t>(random.Below(2001)) - 1000) / 8 + 0.0625;
    case 1:
      return static_cast<double>(random.Below(1000000));
    default: {
      const double value = std::bit_cast<double>(random.Next());
      if (std::isnan(value)) return finite ? 1.5 : std::nan("");
      if (std::isinf(value) && finite) return 2.5;
      return value == 0 ? 0 : value;
    }
  }
}

float RandomFloat(Random& random) {
  const float value = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
  if (std::isnan(value)) return std::nanf("");
  return value == 0 ? 0 : value;
}

std::string RandomBytes(Random& random, size_t longest) {
  std::string bytes(random.Below(longest + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

int32_t RandomNanos(Random& random) {
  static const int32_t kUnits[] = {1000000, 1000, 1};
  if (random.OneIn(3)) return 0;
  const int32_t unit = kUnits[random.Below(3)];
  return static_cast<int32_t>(random.Below(static_cast<uint64_t>(1000000000 / unit))) * unit;
}

class Filler {
 public:
  Filler(Oracle& oracle, const std::vector<std::string>& types, Random& random)
      : oracle_(oracle), types_(types), random_(random) {}

  void Fill(pb::Message* message, int depth) {
    const pb::Descriptor* type = message->GetDescriptor();
    if (type->file()->package() == "google.protobuf" && FillWellKnown(message, depth)) return;
    const pb::Reflection* reflection = message->GetReflection();
    for (int i = 0; i < type->field_count(); ++i) {
      const pb::FieldDescriptor* field = type->field(i);
      if (random_.OneIn(3) || (depth == 0 && field->message_type() != nullptr)) continue;
      if (!field->is_repeated()) {
        Set(message, field, depth, /*add=*/false);
        continue;
      }
      for (uint64_t left = random_.Below(random_.OneIn(4) ? 12 : 4); left > 0; --left) {
        if (!field->is_map()) {
          Set(message, field, depth, /*add=*/true);
          continue;
        }
        pb::Message* entry = reflection->AddMessage(message, field);
        Set(entry, field->message_type()->map_key(), depth, /*add=*/false);
        Set(entry, field->message_type()->map_value(), depth, /*add=*/false);
      }
    }
  }

 private:
  void Set(pb::Message* message, const pb::FieldDescriptor* field, int depth, bool add) {
    const pb::Reflection* r = message->GetReflection();
    const auto put = [&](auto set_one, auto add_one, auto value) {
      if (add) {
        (r->*add_one)(message, field, value);
      } else {
        (r->*set_one)(message, field, value);
      }
    };
    using R = pb::Reflection;
    using Field = pb::FieldDescriptor;
    switch (field->cpp_type()) {
      case Field::CPPTYPE_INT32:
        return put(&R::SetInt32, &R::AddInt32, static_cast<int32_t>(RandomBits(random_)));
      case Field::CPPTYPE_INT64:
        return put(&R::SetInt64, &R::AddInt64, static_cast<int64_t>(RandomBits(random_)));
      case Field::CPPTYPE_UINT32:
        return put(&R::SetUInt32, &R::AddUInt32, static_cast<uint32_t>(RandomBits(random_)));
      case Field::CPPTYPE_UINT64:
        return put(&R::SetUInt64, &R::AddUInt64, RandomBits(random_));
      case Field::CPPTYPE_DOUBLE:
        return put(&R::SetDouble, &R::AddDouble, RandomDouble(random_, finite_));
      case Field::CPPTYPE_FLOAT:
        return put(&R::SetFloat, &R::AddFloat, RandomFloat(random_));
      case Field::CPPTYPE_BOOL:
        return put(&R::SetBool, &R::AddBool, random_.OneIn(2));
      case Field::CPPTYPE_ENUM: {
        const pb::EnumDescriptor* type = field->enum_type();
        const int value = random_.OneIn(5)
                              ? static_cast<int>(static_cast<int32_t>(RandomBits(random_)))
                              : type->value(static_cast<int>(random_.Below(
                                                static_cast<uint64_t>(type->value_count()))))
                                    ->number();
        return put(&R::SetEnumValue, &R::AddEnumValue, value);
      }
      case Field::CPPTYPE_STRING: {
        const std::string value = field->type() == Field::TYPE_BYTES
                                      ? RandomBytes(random_, random_.OneIn(8) ? 300 : 20)
                                      : RandomText(random_, random_.OneIn(8) ? 300 : 20);
        if (add) {
          r->AddString(message, field, value);
        } else {
          r->SetString(message, field, value);
        }
        return;
      }
      case Field::CPPTYPE_MESSAGE:
        Fill(add ? r->AddMessage(message, field) : r->MutableMessage(message, field),
             depth > 0 ? depth - 1 : 0);
    }
  }

  // Sets a well-known type whose values are not all valid; false: it is none of them.
  bool FillWellKnown(pb::Message* message, int depth) {
    const std::string& name = message->GetDescriptor()->name();
    const auto field = [&](int number) {
      return message->GetDescriptor()->FindFieldByNumber(number);
    };
    const pb::Reflection* r = message->GetReflection();
    if (name == "Timestamp") {
      r->SetInt64(message, field(1),
                  static_cast<int64_t>(random_.Below(315537897600)) - 62135596800);
      r->SetInt32(message, field(2), RandomNanos(random_));
    } else if (name == "Duration") {
      const int sign = random_.OneIn(2) ? -1 : 1;
      r->SetInt64(message, field(1),
                  sign * static_cast<int64_t>(random_.Below(random_.OneIn(2) ? 3 : 315576000000)));
      r->SetInt32(message, field(2), sign * RandomNanos(random_));
    } else if (name == "FieldMask") {
      static const char* const kPaths[] = {"a", "foo_bar", "foo_bar.baz", "a.b.cd_ef", "x1"};
      for (uint64_t left = random_.Below(4); left > 0; --left) {
        r->AddString(message, field(1), kPaths[random_.Below(std::size(kPaths))]);
      }
    } else if (name == "Value") {
      FillValue(message, depth);
    } else if (name == "Any") {
      FillAny(message, depth);
    } else {
      return false;
    }
    return true;
  }

  void FillValue(pb::Message* message, int depth) {
    const uint64_t kind = 1 + random_.Below(depth > 0 ? 6 : 4);
    const pb::FieldDescriptor* field =
        message->GetDescriptor()->FindFieldByNumber(static_cast<int>(kind));
    finite_ = true;
    if (kind == 1) {
      message->GetReflection()->SetEnumValue(message, field, 0);
    } else {
      Set(message, field, depth, /*add=*/false);
    }
    finite_ = false;
  }

  void FillAny(pb::Message* message, int depth) {
    const std::string type = random_.OneIn(4) || depth == 0 ? "google.protobuf.Duration"
                                                            : types_[random_.Below(types_.size())];
    const std::unique_ptr<pb::Message> content = oracle_.New(type);
    Fill(content.get(), depth > 0 ? depth - 1 : 0);
    const pb::Reflection* r = message->GetReflection();
    const pb::Descriptor* descriptor = message->GetDescriptor();
    r->SetString(message, descriptor->FindFieldByNumber(1), "type.googleapis.com/" + type);
    r->SetString(message, descriptor->FindFieldByNumber(2),
                 *oracle_.Canonical(type, Oracle::Serialize(*content)));
  }

  Oracle& oracle_;
  const std::vector<std::string>& types_;
  Random& random_;
  bool finite_ = false;  // numbers of a Value
};

}  // namespace

std::unique_ptr<pb::Message> RandomSchema::Message(const std::string& type, Random& random) {
  std::unique_ptr<pb::Message> message = oracle_->New(type);
  Filler(*oracle_, types_, random).Fill(message.get(), 1 + static_cast<int>(random.Below(5)));
  // Read back, so that every key of a map is there once.
  const std::string wire = *oracle_->Canonical(type, Oracle::Serialize(*message));
  message = oracle_->New(type);
  message->ParseFromString(wire);
  return message;
}

}  // namespace transcode::conformance
