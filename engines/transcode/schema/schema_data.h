#pragma once

// What a Schema owns. Every table is sized once, so that pointers into it stay valid.

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace transcode {

struct Schema::Data {
  TypeIndex types;
  NameTable enum_names;
  NameTable method_paths;
  NameTable service_names;
  std::vector<Message> messages;
  std::vector<Field> fields;
  std::vector<uint32_t> numbers;
  std::vector<Enum> enums;
  std::deque<std::vector<EnumValue>> enum_values;
  std::vector<std::string_view> oneof_names;
  std::vector<Service> services;
  std::vector<Method> methods;
  std::deque<std::vector<HttpRule>> rules;
  std::vector<std::unique_ptr<char[]>> texts;
};

}  // namespace transcode
