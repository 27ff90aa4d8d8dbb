#include "http/head.h"

#include <algorithm>
#include <cstdint>

namespace transcode {
namespace {

bool IsTokenCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool IsFieldCharacter(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte >= 0x20 && byte != 0x7f) || c == '\t';
}

}  // namespace

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenCharacter);
}

bool IsFieldValue(std::string_view text) {
  constexpr size_t kMost = size_t{8} << 10;
  if (text.empty()) return true;
  return text.size() <= kMost && !IsBlank(text.front()) && !IsBlank(text.back()) &&
         std::all_of(text.begin(), text.end(), IsFieldCharacter);
}

}  // namespace transcode
