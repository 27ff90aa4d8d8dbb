#pragma once

// Fields of heads, as text.

#include <string>

#include "server/headers.h"

namespace transcode::conformance {

// "name: value\n" for each field.
inline std::string Text(const server::Headers& fields) {
  std::string text;
  for (size_t i = 0; i < fields.size(); ++i) {
    text.append(fields[i].name).append(": ").append(fields[i].value).append("\n");
  }
  return text;
}

}  // namespace transcode::conformance
