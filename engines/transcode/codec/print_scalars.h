#pragma once

// Numbers, bools, enums, strings and bytes. Part of print_isa.cc.

#include "codec/printer.h"

namespace transcode::TRANSCODE_ISA {
namespace {

[[gnu::always_inline]] inline int32_t ZigZag32(uint64_t bits) {
  const auto v = static_cast<uint32_t>(bits);
  return static_cast<int32_t>(v >> 1 ^ (0 - (v & 1)));
}

[[gnu::always_inline]] inline int64_t ZigZag64(uint64_t v) {
  return static_cast<int64_t>(v >> 1 ^ (0 - (v & 1)));
}

[[gnu::always_inline]] inline char* WriteBool(char* p, bool value) {
  std::memcpy(p, value ? "true" : "false", 5);
  return p + (value ? 4 : 5);
}

template <class Float>
char* Printer::FloatText(char* p, Float value) {
  using Bits = std::conditional_t<sizeof(Float) == 8, uint64_t, uint32_t>;
  constexpr Bits kInfinity = sizeof(Float) == 8 ? Bits{0x7ff} << (sizeof(Bits) * 8 - 12)
                                                : Bits{0xff} << (sizeof(Bits) * 8 - 9);
  const auto bits = std::bit_cast<Bits>(value);
  if ((bits & kInfinity) != kInfinity) [[likely]] {
    if (job_.options.doubles == Doubles::kStd) [[unlikely]]
      return WriteStd(p, value);
    return WriteFinite(p, value);
  }
  const bool nan = (bits & (kInfinity | (kInfinity - 1))) << 1 != kInfinity << 1;
  const std::string_view text = nan                              ? "\"NaN\""
                                : bits >> (sizeof(Bits) * 8 - 1) ? "\"-Infinity\""
                                                                 : "\"Infinity\"";
  std::memcpy(p, text.data(), text.size());
  return p + text.size();
}

// Text that is written while it is scanned; what needs more work is done in LongString.
char* Printer::String(char* p, const uint8_t* s, size_t size) {
#if defined(__AVX512VBMI2__)
  if (size <= 64) [[likely]] {
    p = Room(p, 64);
    const uint64_t wanted = _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(size));
    const __m512i x = _mm512_maskz_loadu_epi8(wanted, s);
    *p = '"';
    _mm512_storeu_si512(p + 1, x);
    if ((Special<false>(x) & wanted) == 0 && !job_.options.escape_html) [[likely]] {
      p[size + 1] = '"';
      return p + size + 2;
    }
  }
#elif defined(__AVX2__)
  if (size - 1 < 32 && wire_end_ - s >= 32) [[likely]] {
    p = Room(p, 64);
    *p = '"';
    const uint64_t special = CopyBlock<false>(p + 1, s);
    if (_bzhi_u64(special, static_cast<uint32_t>(size)) == 0 && !job_.options.escape_html)
        [[likely]] {
      p[size + 1] = '"';
      return p + size + 2;
    }
  }
#endif
  return LongString(p, s, size);
}

char* Printer::LongString(char* p, const uint8_t* s, size_t size) {
  if (job_.options.escape_html) return HtmlString(p, s, size);
  Text text{s, s + size, wire_end_};
  p = Room(p, size + 2);
  *p++ = '"';
  bool checked = !check_utf8_;
  while (true) {
    p = checked ? CopyText<true>(p, limit_, text) : CopyText<false>(p, limit_, text);
    if (text.s == text.end) break;
    const auto left = static_cast<size_t>(text.end - text.s);
    if (!checked && *text.s >= 0x80) {
      if (!IsUtf8(text.s, left)) return Fail(PrintFailure::kUtf8, text.s);
      checked = true;
      continue;
    }
    // Escapes: room for what is left, and for some blocks of the longest ones.
    p = Room(p, left + left / 4 + 4096);
  }
  p = Room(p, 1);
  *p++ = '"';
  return p;
}

// With < > & U+2028 U+2029 as escapes.
char* Printer::HtmlString(char* p, const uint8_t* s, size_t size) {
  if (check_utf8_ && !IsUtf8(s, size)) return Fail(PrintFailure::kUtf8, s);
  const uint8_t* const end = s + size;
  p = Room(p, size + 2);
  *p++ = '"';
  while (s < end) {
    p = Room(p, static_cast<size_t>(end - s));
    const uint8_t c = *s;
    if (c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&') {
      p = WriteEscape(p, c);
      ++s;
    } else if (c == 0xe2 && end - s >= 3 && s[1] == 0x80 && (s[2] & 0xfe) == 0xa8) {
      std::memcpy(p, s[2] == 0xa8 ? "\\u2028" : "\\u2029", 6);
      p += 6;
      s += 3;
    } else {
      *p++ = static_cast<char>(c);
      ++s;
    }
  }
  p = Room(p, 1);
  *p++ = '"';
  return p;
}

#if defined(__AVX512VBMI__)
constexpr size_t kShortBytes = 48;

// Up to 48 bytes at once: each 3 bytes to 4 lanes of 6 bits, each lane to its letter.
[[gnu::always_inline]] inline void WriteShortBase64(char* p, const uint8_t* s, size_t size) {
  const __m512i x =
      _mm512_maskz_loadu_epi8(_bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(size)), s);
  const __m512i letters =
      _mm512_loadu_si512("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  // For each 3 bytes the order 1 0 2 1.
  const __m512i order =
      _mm512_setr_epi32(0x01020001, 0x04050304, 0x07080607, 0x0a0b090a, 0x0d0e0c0d, 0x10110f10,
                        0x13141213, 0x16171516, 0x191a1819, 0x1c1d1b1c, 0x1f201e1f, 0x22232122,
                        0x25262425, 0x28292728, 0x2b2c2a2b, 0x2e2f2d2e);
  const __m512i shifts = _mm512_set1_epi64(0x3036242a1016040a);
  const __m512i sixes = _mm512_maskz_multishift_epi64_epi8(
      ~uint64_t{0}, shifts, _mm512_maskz_permutexvar_epi8(~uint64_t{0}, order, x));
  _mm512_storeu_si512(p, _mm512_maskz_permutexvar_epi8(~uint64_t{0}, sixes, letters));
}
#else
constexpr size_t kShortBytes = 24;

[[gnu::always_inline]] inline void WriteShortBase64(char* p, const uint8_t* s, size_t size) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t bytes[kShortBytes + 2] = {};
  std::memcpy(bytes, s, size);
  for (size_t i = 0; i < size; i += 3, p += 4) {
    const uint32_t word = uint32_t{bytes[i]} << 16 | uint32_t{bytes[i + 1]} << 8 | bytes[i + 2];
    p[0] = kLetters[word >> 18];
    p[1] = kLetters[word >> 12 & 63];
    p[2] = kLetters[word >> 6 & 63];
    p[3] = kLetters[word & 63];
  }
}
#endif

char* Printer::Bytes(char* p, const uint8_t* s, size_t size) {
  p = Room(p, size / 3 * 4 + 8);
  *p++ = '"';
  if (size - 1 < kShortBytes) {
    WriteShortBase64(p, s, size);
    p += (size + 2) / 3 * 4;
    if (size % 3 != 0) p[-1] = '=';
    if (size % 3 == 1) p[-2] = '=';
  } else {
    p += EncodeBase64(s, size, p);
  }
  *p++ = '"';
  return p;
}

char* Printer::EnumText(char* p, const Field& field, int32_t number) {
  if (field.enum_type->null_value) {
    std::memcpy(p, "null", 4);
    return p + 4;
  }
  if (!job_.options.enums_as_ints) {
    const EnumValue* value = field.enum_type->FindNumber(number);
    if (value != nullptr) {
      p = Room(p, value->json_text.size());
      std::memcpy(p, value->json_text.data(), value->json_text.size());
      return p + value->json_text.size();
    }
  }
  return WriteI32(p, number);
}

// The value of a scalar, string, bytes or enum field. Of strings and bytes raw.bits is the size.
char* Printer::Scalar(char* p, const Field& field, const Raw& raw) {
  p = Room(p, 0);
  switch (field.type) {
    case Type::kString:
      return String(p, raw.s, raw.bits);
    case Type::kInt32:
    case Type::kSfixed32:
      return WriteI32(p, static_cast<int32_t>(raw.bits));
    case Type::kBool:
      return WriteBool(p, raw.bits != 0);
    default:
      return ScalarCold(p, field, raw);
  }
}

[[gnu::noinline]] char* Printer::ScalarCold(char* p, const Field& field, const Raw& raw) {
  const size_t quote = job_.options.int64 == Int64Format::kString ? 1 : 0;
  switch (field.type) {
    case Type::kBytes:
      return Bytes(p, raw.s, raw.bits);
    case Type::kEnum:
      return EnumText(p, field, static_cast<int32_t>(raw.bits));
    case Type::kDouble:
      return FloatText(p, std::bit_cast<double>(raw.bits));
    case Type::kFloat:
      return FloatText(p, std::bit_cast<float>(static_cast<uint32_t>(raw.bits)));
    case Type::kSint32:
      return WriteI32(p, ZigZag32(raw.bits));
    case Type::kUint32:
    case Type::kFixed32:
      return WriteU32(p, static_cast<uint32_t>(raw.bits));
    default:
      break;
  }
  *p = '"';
  p += quote;
  if (field.type == Type::kUint64 || field.type == Type::kFixed64) {
    p = WriteU64(p, raw.bits);
  } else {
    p = WriteI64(p,
                 field.type == Type::kSint64 ? ZigZag64(raw.bits) : static_cast<int64_t>(raw.bits));
  }
  *p = '"';
  return p + quote;
}

// A zero of a field without presence is not set.
bool Printer::IsLeftOut(const Field& field, const Raw& raw) const {
  if (field.has_presence || unpopulated_ != Unset::kNone) return false;
  if (raw.bits == 0) return true;
  // Of a varint for 32 bits the rest does not count.
  return static_cast<uint32_t>(raw.bits) == 0 &&
         (field.type == Type::kInt32 || field.type == Type::kUint32 ||
          field.type == Type::kSint32 || field.type == Type::kEnum);
}

// Whether a value counts as an unknown field: a number that a closed enum does not have.
bool Printer::Ignored(const Field& field, const Raw& raw) const {
  return field.type == Type::kEnum && field.enum_type->closed &&
         field.enum_type->FindNumber(static_cast<int32_t>(raw.bits)) == nullptr;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
