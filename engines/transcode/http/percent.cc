#include "http/percent.h"

#include <cstring>

namespace transcode {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool StaysEncoded(char c, Unescape unescape) {
  switch (unescape) {
    case Unescape::kAll:
      return false;
    case Unescape::kAllExceptSlash:
      return c == '/';
    case Unescape::kAllExceptReserved:
      return c != '\0' && std::strchr(":/?#[]@!$&'()*+,;=", c) != nullptr;
  }
  return false;
}

}  // namespace

std::string_view PercentDecode(std::string_view text, Unescape unescape, bool plus_is_space,
                               Buffer& storage) {
  const bool has_plus = plus_is_space && text.find('+') != text.npos;
  if (!has_plus && (text.empty() || std::memchr(text.data(), '%', text.size()) == nullptr)) {
    return text;
  }
  char* const start = storage.Reserve(text.size());
  char* out = start;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%' && i + 2 < text.size()) {
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      const char decoded = static_cast<char>(high << 4 | low);
      if (high >= 0 && low >= 0 && !StaysEncoded(decoded, unescape)) {
        c = decoded;
        i += 2;
      }
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    *out++ = c;
  }
  const size_t size = static_cast<size_t>(out - start);
  storage.SetSize(storage.size() + size);
  return {start, size};
}

}  // namespace transcode
