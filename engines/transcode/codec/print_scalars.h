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
    if (job_.options.doubles == Doubles::kStd) [[unlikely]] return WriteStd(p, value);
    return WriteFinite(p, value);
  }
  const bool nan = (bits & (kInfinity | (kInfinity - 1))) << 1 != kInfinity << 1;
  const std::string_view text = nan                             ? "\"NaN\""
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

char* Printer::Bytes(char* p, const uint8_t* s, size_t size) {
  p = Room(p, size / 3 * 4 + 8);
  *p++ = '"';
  p += EncodeBase64(s, size, p);
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
    p = WriteI64(p, field.type == Type::kSint64 ? ZigZag64(raw.bits)
                                                : static_cast<int64_t>(raw.bits));
  }
  *p = '"';
  return p + quote;
}

// Whether a value counts as an unknown field: a number that a closed enum does not have.
bool Printer::Ignored(const Field& field, const Raw& raw) const {
  return field.type == Type::kEnum && field.enum_type->closed &&
         field.enum_type->FindNumber(static_cast<int32_t>(raw.bits)) == nullptr;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
