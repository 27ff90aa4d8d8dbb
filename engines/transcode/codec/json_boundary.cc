#include "codec/json_to_proto.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace transcode {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Bytes that cannot be part of a number or word.
bool EndsWord(char c) {
  return IsBlank(c) || c == ',' || c == ']' || c == '}' || c == '"' || c == '[' || c == '{' ||
         c == ':';
}

// Strings are where long texts have their bytes.
const char* FindQuoteOrBackslash(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const int mask = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (p < end && *p != '"' && *p != '\\') ++p;
  return p;
}

}  // namespace

bool JsonBoundary::Push(std::string_view piece, size_t* used) {
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  const char* p = begin;
  const auto done = [&](bool complete) {
    *used = static_cast<size_t>(p - begin);
    return complete;
  };
  if (state_ == State::kBlank) {
    while (p < end && IsBlank(*p)) ++p;
    if (p == end) return done(false);
    if (*p == '{' || *p == '[') {
      state_ = State::kNested;
    } else if (*p == '"') {
      state_ = State::kString;
      in_string_ = true;
      ++p;
    } else {
      state_ = State::kWord;
      if (EndsWord(*p)) {  // no value at all: the parser will say so
        ++p;
        return done(true);
      }
    }
  }
  if (state_ == State::kWord) {
    while (p < end && !EndsWord(*p)) ++p;
    return done(p < end);
  }
  for (; p < end;) {
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
        ++p;
        continue;
      }
      p = FindQuoteOrBackslash(p, end);
      if (p == end) break;
      if (*p++ == '\\') {
        escaped_ = true;
        continue;
      }
      in_string_ = false;
      if (depth_ == 0) return done(true);
      continue;
    }
    switch (*p++) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case '}':
      case ']':
        if (--depth_ == 0) return done(true);
        break;
      default:
        break;
    }
  }
  return done(false);
}

}  // namespace transcode
