#pragma once

// One JSON value to the bytes of one scalar, without a tag.

#include "codec/numbers_in.h"
#include "codec/strings_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

TRANSCODE_INLINE uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

// Whether an integer is in the range of the type.
TRANSCODE_INLINE bool InRange(Type type, const Integer& i) {
  switch (type) {
    case Type::kInt32:
    case Type::kSint32:
    case Type::kSfixed32:
    case Type::kEnum:
      return i.magnitude <= uint64_t{0x7fffffff} + i.negative;
    case Type::kInt64:
    case Type::kSint64:
    case Type::kSfixed64:
      return i.magnitude <= uint64_t{0x7fffffffffffffff} + i.negative;
    case Type::kUint32:
    case Type::kFixed32:
      return i.magnitude <= 0xffffffff && (!i.negative || i.magnitude == 0);
    default:
      return !i.negative || i.magnitude == 0;
  }
}

// Writes an integer that is in range.
TRANSCODE_INLINE char* WriteInteger(Type type, char* o, uint64_t magnitude, bool negative) {
  const uint64_t sign = uint64_t{0} - negative;
  const uint64_t value = (magnitude ^ sign) + negative;
  switch (type) {
    case Type::kFixed32:
    case Type::kSfixed32:
      Store(o, static_cast<uint32_t>(value));
      return o + 4;
    case Type::kFixed64:
    case Type::kSfixed64:
      Store(o, value);
      return o + 8;
    case Type::kSint32:
    case Type::kSint64:
      return WriteVarint(o, ZigZag(static_cast<int64_t>(value)));
    default:
      return WriteVarint(o, value);
  }
}

// What a scalar parser says beside its cursor.
enum class Wrote : uint8_t { kZero, kValue, kDropped };

TRANSCODE_INLINE Cursor FailNumber(State& s, const char* at, const char* stop, const Field& field) {
  const char c = Peek(s, at);
  if (c == '-' || IsDigit(c)) return FailSyntax(s, stop, "a number");
  return FailType(s, at, field);
}

TRANSCODE_COLD Cursor FailRange(State& s, const char* at, const Field& field) {
  return FailAt(s, at, "the number is out of range", nullptr, &field, false,
                Code::kInvalidArgument);
}

// The number that is the whole of a text. `at` is where the value stands, for errors.
[[gnu::noinline]] Cursor ParseIntegerText(State& s, const Text& text, const char* at,
                                          const Field& field, Wrote& wrote) {
  const char* p = text.data;
  const char* const end = p + text.size;
  if (s.lenient && end - p > 1 && *p == '+') ++p;
  const bool negative = p < end && *p == '-';
  const char* first = p + negative;
  // Zeros in front are usual in strings.
  while (end - first > 1 && *first == '0' && IsDigit(first[1])) ++first;
  const char* stop;
  Integer i = ReadInteger(first, end, &stop);
  if (i.after != end || !IsDigit(*first)) return FailType(s, at, field);
  i.negative = negative;
  if (!i.fits || !InRange(field.type, i)) return FailRange(s, at, field);
  wrote = i.magnitude == 0 ? Wrote::kZero : Wrote::kValue;
  return {text.after, WriteInteger(field.type, text.o, i.magnitude, i.negative)};
}

// A number, or a string that holds exactly one.
TRANSCODE_INLINE Cursor ParseIntegerScalar(State& s, Cursor c, const Field& field, Wrote& wrote) {
  const char* const at = c.p;
  if (Peek(s, at) == '"') {
    const Text text = ReadText(s, {at + 1, c.o});
    if (text.after == nullptr) return {nullptr, nullptr};
    return ParseIntegerText(s, text, at, field, wrote);
  }
  const char* stop = at;
  const Integer i = ReadInteger(at, s.end, &stop);
  if (i.after == nullptr) return FailNumber(s, at, stop, field);
  if (!i.fits || !InRange(field.type, i)) return FailRange(s, at, field);
  wrote = i.magnitude == 0 ? Wrote::kZero : Wrote::kValue;
  return {i.after, WriteInteger(field.type, c.o, i.magnitude, i.negative)};
}

constexpr uint64_t kNan64 = 0x7ff8000000000000, kInf64 = 0x7ff0000000000000;
constexpr uint32_t kNan32 = 0x7fc00000, kInf32 = 0x7f800000;

// 0: none, 1: NaN, 2: Infinity, 3: -Infinity.
TRANSCODE_INLINE int NotFinite(std::string_view text) {
  if (text.size() == 3 && std::memcmp(text.data(), "NaN", 3) == 0) return 1;
  if (text.size() == 8 && std::memcmp(text.data(), "Infinity", 8) == 0) return 2;
  if (text.size() == 9 && std::memcmp(text.data(), "-Infinity", 9) == 0) return 3;
  return 0;
}

[[gnu::noinline]] Cursor ParseRealText(State& s, const Text& text, const char* at,
                                       const Field& field, Wrote& wrote) {
  const bool is_double = field.type == Type::kDouble;
  const char* const end = text.data + text.size;
  const char* stop = nullptr;
  uint64_t bits = 0;
  if (const int special = NotFinite(text.view()); special != 0) {
    const uint64_t sign = special == 3 ? uint64_t{1} << 63 : 0;
    bits = is_double ? (special == 1 ? kNan64 : kInf64 | sign)
                     : (special == 1 ? kNan32 : kInf32 | sign >> 32);
  } else if (double value; s.lenient && LenientDouble(text.data, end, &value)) {
    bits = is_double ? std::bit_cast<uint64_t>(value)
                     : std::bit_cast<uint32_t>(static_cast<float>(value));
  } else if (is_double) {
    const Real real = ReadDouble(text.data, end, &stop);
    if (real.after != end) return FailType(s, at, field);
    if (!real.fits) return FailRange(s, at, field);
    bits = std::bit_cast<uint64_t>(real.value);
  } else {
    const Single single = ReadFloat(text.data, end, &stop);
    if (single.after != end) return FailType(s, at, field);
    if (!single.fits) return FailRange(s, at, field);
    bits = std::bit_cast<uint32_t>(single.value);
  }
  wrote = bits == 0 ? Wrote::kZero : Wrote::kValue;
  std::memcpy(text.o, &bits, 8);
  return {text.after, text.o + (is_double ? 8 : 4)};
}

[[gnu::noinline]] Cursor ParseRealString(State& s, Cursor c, const Field& field, Wrote& wrote) {
  const Text text = ReadText(s, {c.p + 1, c.o});
  if (text.after == nullptr) return {nullptr, nullptr};
  return ParseRealText(s, text, c.p, field, wrote);
}

TRANSCODE_INLINE Cursor ParseDouble(State& s, Cursor c, const Field& field, Wrote& wrote) {
  const char* const at = c.p;
  const char* stop = at;
  const bool quoted = Peek(s, at) == '"';
  const Real real = ReadDouble(at + quoted, s.end, &stop);
  if (real.after != nullptr && real.fits && (!quoted || Peek(s, real.after) == '"')) [[likely]] {
    const uint64_t bits = std::bit_cast<uint64_t>(real.value);
    wrote = bits == 0 ? Wrote::kZero : Wrote::kValue;
    Store(c.o, bits);
    return {real.after + quoted, c.o + 8};
  }
  if (quoted) return ParseRealString(s, c, field, wrote);
  if (real.after == nullptr) return FailNumber(s, at, stop, field);
  return FailRange(s, at, field);
}

TRANSCODE_INLINE Cursor ParseFloat(State& s, Cursor c, const Field& field, Wrote& wrote) {
  const char* const at = c.p;
  const char* stop = at;
  if (Peek(s, at) == '"') return ParseRealString(s, c, field, wrote);
  const Single single = ReadFloat(at, s.end, &stop);
  if (single.after == nullptr) return FailNumber(s, at, stop, field);
  if (!single.fits) return FailRange(s, at, field);
  const uint32_t bits = std::bit_cast<uint32_t>(single.value);
  wrote = bits == 0 ? Wrote::kZero : Wrote::kValue;
  Store(c.o, bits);
  return {single.after, c.o + 4};
}

// Whether `word` stands at p. *at_end: the input ends inside of it.
TRANSCODE_INLINE bool IsWord(const State& s, const char* p, const char* word, size_t size) {
  return s.end - p >= static_cast<ptrdiff_t>(size) && std::memcmp(p, word, size) == 0;
}

// At a letter that starts no word, or the wrong one.
TRANSCODE_COLD Cursor FailWord(State& s, const char* p) {
  for (const char* word : {"true", "false", "null"}) {
    const size_t left = static_cast<size_t>(s.end - p);
    if (left < std::strlen(word) && std::memcmp(p, word, left) == 0) {
      return FailSyntax(s, s.end, "the end of a word");
    }
  }
  return FailSyntax(s, p, "a value");
}

// 1 or 0, or -1 for another text. The lenient forms are those of older libraries.
TRANSCODE_INLINE int BoolOfText(const State& s, std::string_view text) {
  if (text.size() == 4 && std::memcmp(text.data(), "true", 4) == 0) return 1;
  if (text.size() == 5 && std::memcmp(text.data(), "false", 5) == 0) return 0;
  if (!s.lenient || text.size() > 5) return -1;
  char lower[8] = {};
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text.data()[i];
    lower[i] = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  for (const char* yes : {"true", "t", "yes", "y", "1"}) {
    if (std::strcmp(lower, yes) == 0) return 1;
  }
  for (const char* no : {"false", "f", "no", "n", "0"}) {
    if (std::strcmp(lower, no) == 0) return 0;
  }
  return -1;
}

[[gnu::noinline]] Cursor ParseLenientBool(State& s, Cursor c, const Field& field, Wrote& wrote) {
  const Text text = ReadText(s, {c.p + 1, c.o});
  if (text.after == nullptr) return {nullptr, nullptr};
  const int value = BoolOfText(s, text.view());
  if (value < 0) return FailType(s, c.p, field);
  *text.o = static_cast<char>(value);
  wrote = value == 0 ? Wrote::kZero : Wrote::kValue;
  return {text.after, text.o + 1};
}

TRANSCODE_INLINE Cursor ParseBool(State& s, Cursor c, const Field& field, Wrote& wrote) {
  if (IsWord(s, c.p, "true", 4)) {
    *c.o = 1;
    wrote = Wrote::kValue;
    return {c.p + 4, c.o + 1};
  }
  if (IsWord(s, c.p, "false", 5)) {
    *c.o = 0;
    wrote = Wrote::kZero;
    return {c.p + 5, c.o + 1};
  }
  if (Peek(s, c.p) == 't' || Peek(s, c.p) == 'f') return FailWord(s, c.p);
  if (s.lenient && Peek(s, c.p) == '"') return ParseLenientBool(s, c, field, wrote);
  return FailType(s, c.p, field);
}

[[gnu::noinline]] Cursor ParseEnumText(State& s, const Text& text, const char* at,
                                       const Field& field, Wrote& wrote) {
  const EnumValue* value = field.enum_type->FindName(text.view());
  if (value == nullptr && s.options->enums == EnumNames::kFoldCase) {
    value = field.enum_type->FindNameFolded(text.view());
  }
  if (value != nullptr) {
    wrote = value->number == 0 ? Wrote::kZero : Wrote::kValue;
    return {text.after, WriteVarint(text.o, static_cast<uint64_t>(int64_t{value->number}))};
  }
  const char* stop;
  const Integer i = ReadInteger(text.data, text.data + text.size, &stop);
  if (i.after == text.data + text.size && i.fits && InRange(Type::kEnum, i)) {
    wrote = i.magnitude == 0 ? Wrote::kZero : Wrote::kValue;
    return {text.after, WriteInteger(Type::kEnum, text.o, i.magnitude, i.negative)};
  }
  // A name is unknown in the way that a field is.
  if (s.options->unknown_fields == UnknownFields::kIgnore && !s.plain_text) {
    wrote = Wrote::kDropped;
    return {text.after, text.o};
  }
  return FailType(s, at, field);
}

[[gnu::noinline]] Cursor ParseEnum(State& s, Cursor c, const Field& field, Wrote& wrote) {
  const char* const at = c.p;
  if (Peek(s, at) == '"') {
    const Text text = ReadText(s, {at + 1, c.o});
    if (text.after == nullptr) return {nullptr, nullptr};
    return ParseEnumText(s, text, at, field, wrote);
  }
  if (field.enum_type->null_value && IsWord(s, at, "null", 4)) {
    *c.o = 0;
    wrote = Wrote::kZero;
    return {at + 4, c.o + 1};
  }
  return ParseIntegerScalar(s, c, field, wrote);
}

// Writes bytes behind their length. The guess at its width is right unless there is white space.
[[gnu::noinline]] Cursor WriteBase64(State& s, Cursor c, const char* text, size_t size,
                                     const Field& field, const char* at) {
  size_t exact = size / 4 * 3 + (size % 4 > 1 ? size % 4 - 1 : 0);
  if (size % 4 == 0 && size > 0) exact -= (text[size - 1] == '=') + (text[size - 2] == '=');
  const int width = VarintSize(exact);
  char* o = Room(s, c.o, size / 4 * 3 + 16);
  const Base64Result result = DecodeBase64(text, size, o + width, s.options->base64);
  if (!result.ok) {
    return FailAt(s, at, "the string is not base64", nullptr, &field, false,
                  Code::kInvalidArgument);
  }
  const int right = VarintSize(result.size);
  if (right != width) std::memmove(o + right, o + width, result.size);
  char varint[16];
  WriteVarint(varint, result.size);
  std::memcpy(o, varint, static_cast<size_t>(right));
  return {c.p, o + right + result.size};
}

TRANSCODE_INLINE Cursor ParseBytes(State& s, Cursor c, const Field& field) {
  const char* const at = c.p;
  bool non_ascii = false;
  const char* const stop = ScanString(at + 1, s.end, non_ascii);
  if (stop < s.end && *stop == '"') [[likely]] {
    return WriteBase64(s, {stop + 1, c.o}, at + 1, static_cast<size_t>(stop - at - 1), field, at);
  }
  const Text text = ReadText(s, {at + 1, c.o});
  if (text.after == nullptr) return {nullptr, nullptr};
  // The text stands where the bytes go.
  Buffer& copy = *s.job->text;
  char* const data = GrowOutput(copy, 0, text.size);
  std::memcpy(data, text.data, text.size);
  return WriteBase64(s, {text.after, text.o}, data, text.size, field, at);
}

// Writes the scalar at c.p, which is not white space. Needs and leaves room.
TRANSCODE_INLINE Cursor ParseScalar(State& s, Cursor c, const Field& field, Wrote& wrote) {
  wrote = Wrote::kValue;
  switch (field.type) {
    case Type::kDouble:
      return ParseDouble(s, c, field, wrote);
    case Type::kFloat:
      return ParseFloat(s, c, field, wrote);
    case Type::kBool:
      return ParseBool(s, c, field, wrote);
    case Type::kEnum:
      return ParseEnum(s, c, field, wrote);
    case Type::kString:
    case Type::kBytes: {
      if (Peek(s, c.p) != '"') return FailType(s, c.p, field);
      const size_t start = static_cast<size_t>(c.o - s.base);
      if (field.type == Type::kString) {
        ++c.p;
        c = ParseString(s, c);
      } else {
        c = ParseBytes(s, c, field);
      }
      if (c.p == nullptr) return c;
      const char* const length = s.base + start;
      wrote = *length == 0 ? Wrote::kZero : Wrote::kValue;
      c.o = Room(s, c.o);
      return c;
    }
    default:
      return ParseIntegerScalar(s, c, field, wrote);
  }
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
