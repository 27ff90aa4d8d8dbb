#pragma once

// Repeated fields, packed or not. Part of print_isa.cc.

#include <cmath>

#include "codec/double_list_out.h"
#include "codec/int_list_out.h"
#include "codec/print_scalars.h"
#include "codec/seven_bits.h"

namespace transcode::TRANSCODE_ISA {
namespace {

#if defined(__AVX512VBMI2__)
// Bit i: byte i ends a varint.
[[gnu::always_inline]] inline uint64_t VarintEnds(const uint8_t* s) {
  return ~_mm512_movepi8_mask(_mm512_loadu_si512(s));
}
#elif defined(__AVX2__)
[[gnu::always_inline]] inline uint64_t VarintEnds(const uint8_t* s) {
  const auto low = static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(s))));
  const auto high = static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(s + 32))));
  return ~(uint64_t{high} << 32 | low);
}
#endif

#if defined(__AVX2__)
constexpr size_t kDigits = 32;

// If all 32 bytes are varints below 10: writes them with a comma before each.
[[gnu::always_inline]] inline bool WriteDigits(char* p, const uint8_t* s) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s));
  const __m256i nine = _mm256_set1_epi8(9);
  if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(x, nine), nine)) != -1) return false;
  const __m256i digits = _mm256_or_si256(x, _mm256_set1_epi8('0'));
  const __m256i commas = _mm256_set1_epi8(',');
  const __m256i even = _mm256_unpacklo_epi8(commas, digits);
  const __m256i odd = _mm256_unpackhi_epi8(commas, digits);
  auto* const out = reinterpret_cast<__m256i*>(p);
  _mm256_storeu_si256(out, _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(even, odd, 0x31));
  return true;
}
#else
constexpr size_t kDigits = 8;

[[gnu::always_inline]] inline bool WriteDigits(char* p, const uint8_t* s) {
  uint64_t x;
  std::memcpy(&x, s, 8);
  if (((x + 0x7676767676767676) | x) & 0x8080808080808080) return false;
  for (size_t i = 0; i < 8; ++i) {
    p[2 * i] = ',';
    p[2 * i + 1] = static_cast<char>('0' + s[i]);
  }
  return true;
}
#endif

// A value of one byte becomes 6 at most (`,"-64"`), a longer one less than four for each byte.
constexpr size_t kGrowth = 6;

// `plain`: values below 10 are written as one digit.
template <Type kType, class Write>
char* Printer::PackedVarints(char* p, const uint8_t* s, const uint8_t* end, bool plain,
                             Write write) {
  plain = plain && !whitespace_;
  while (s < end) {
    if (plain && end - s >= static_cast<ptrdiff_t>(kDigits) && *s < 10) {
      p = Room(p, 2 * kDigits);
      if (WriteDigits(p, s)) {
        p += 2 * kDigits;
        s += kDigits;
        continue;
      }
    }
#if defined(__AVX512VBMI2__)
    if (IsVarint32(kType) && end - s >= 16 && !whitespace_) {
      const Eight eight = ReadEight(s, static_cast<size_t>(end - s));
      if (eight.count != 0 && !eight.too_long) [[likely]] {
        p = WriteEight<kType>(Room(p, 96), eight);
        s += eight.size;
        continue;
      }
      // The rest of the loop tells what is wrong.
    }
#endif
#if defined(__AVX2__)
    if (end - s >= 64 && wire_end_ - s >= 72 && !whitespace_) {
      // The ends of all varints of 64 bytes are known at once, so that the next one does not wait
      // for the length of this one.
      uint64_t ends = VarintEnds(s);
      if (ends == 0) return Fail(PrintFailure::kLongVarint, s);
      p = Room(p, 64 * kGrowth);
      unsigned start = 0;
      do {
        const auto last = static_cast<unsigned>(std::countr_zero(ends));
        ends &= ends - 1;
        const unsigned size = last + 1 - start;
        uint64_t bits;
        std::memcpy(&bits, s + start, 8);
        uint64_t value = GatherSevens(_bzhi_u64(bits, size * 8));
        if (!IsVarint32(kType) && size > 8) {
          value |= uint64_t{s[start + 8] & 0x7fu} << 56;
          if (size > 9) value |= uint64_t{s[start + 9]} << 63;
        }
        if (size > kMaxVarint) [[unlikely]] {
          return Fail(PrintFailure::kLongVarint, s + start);
        }
        start = last + 1;
        *p++ = ',';
        p = write(p, value);
      } while (ends != 0);
      s += start;
      continue;
    }
#endif
    uint64_t value = 0;
    const uint8_t* const next = ReadVarint(s, end, value);
    if (next == nullptr) return Fail(VarintFailure(s, end), s);
    s = next;
    p = Room(p, 32);
    p = Comma(p);
    p = write(p, value);
  }
  return p;
}

template <class Bits, class Write>
char* Printer::PackedFixed(char* p, const uint8_t* s, const uint8_t* end, Write write) {
  while (end - s >= static_cast<ptrdiff_t>(sizeof(Bits))) {
    Bits bits;
    std::memcpy(&bits, s, sizeof(Bits));
    s += sizeof(Bits);
    p = Room(p, 64);
    p = Comma(p);
    p = write(p, bits);
  }
  return s == end ? p : Fail(PrintFailure::kTruncated, s);
}

#if defined(__AVX512IFMA__)
[[gnu::always_inline]] inline bool StartsSmall(const uint8_t* s) {
  double first;
  std::memcpy(&first, s, 8);
  return IsSmallWhole(std::fabs(first));
}

// Eight doubles at a time, as far as the first of them is no small whole number. Ends where `s` is
// then. Apart from the loop below, whose registers it would take.
[[gnu::noinline]] char* Printer::DoublesByEight(char* p, const uint8_t*& s, const uint8_t* end) {
  const uint8_t* at = s;
  do {
    p = WriteEightDoubles(Room(p, 272), at, ReadEightDoubles(at), [this](char* q, uint64_t bits) {
      return FloatText(q, std::bit_cast<double>(bits));
    });
    at += 64;
  } while (end - at >= 64 && !StartsSmall(at));
  s = at;
  return p;
}
#endif

char* Printer::PackedDoubles(char* p, const uint8_t* s, const uint8_t* end) {
  const auto one = [this](char* q, uint64_t bits) {
    return FloatText(q, std::bit_cast<double>(bits));
  };
#if defined(__AVX512IFMA__)
  const bool by_eight = !whitespace_ && job_.options.doubles == Doubles::kShortest;
  while (by_eight && end - s >= 64) {
    if (!StartsSmall(s)) {
      p = DoublesByEight(p, s, end);
      continue;
    }
    p = Room(p, 16);
    if (WriteEightDigits(p, s)) {
      p += 16;
    } else {
      p = PackedFixed<uint64_t>(p, s, s + 64, one);
    }
    s += 64;
  }
#endif
  return PackedFixed<uint64_t>(p, s, end, one);
}

// The values of one packed record, each with a comma before it.
[[gnu::noinline]] char* Printer::Packed(char* p, const Field& field, const uint8_t* s,
                                        const uint8_t* end) {
  const size_t quote = job_.options.int64 == Int64Format::kString ? 1 : 0;
  const auto quoted = [quote](char* q, auto write) {
    *q = '"';
    q = write(q + quote);
    *q = '"';
    return q + quote;
  };
  switch (field.type) {
    case Type::kInt32:
      return PackedVarints<Type::kInt32>(p, s, end, true, [](char* q, uint64_t v) {
        return WriteI32(q, static_cast<int32_t>(v));
      });
    case Type::kUint32:
      return PackedVarints<Type::kUint32>(p, s, end, true, [](char* q, uint64_t v) {
        return WriteU32(q, static_cast<uint32_t>(v));
      });
    case Type::kSint32:
      return PackedVarints<Type::kSint32>(
          p, s, end, false, [](char* q, uint64_t v) { return WriteI32(q, ZigZag32(v)); });
    case Type::kInt64:
      return PackedVarints<Type::kInt64>(p, s, end, quote == 0, [&](char* q, uint64_t v) {
        return quoted(q, [v](char* r) { return WriteI64(r, static_cast<int64_t>(v)); });
      });
    case Type::kUint64:
      return PackedVarints<Type::kUint64>(p, s, end, quote == 0, [&](char* q, uint64_t v) {
        return quoted(q, [v](char* r) { return WriteU64(r, v); });
      });
    case Type::kSint64:
      return PackedVarints<Type::kSint64>(p, s, end, false, [&](char* q, uint64_t v) {
        return quoted(q, [v](char* r) { return WriteI64(r, ZigZag64(v)); });
      });
    case Type::kBool:
      return PackedVarints<Type::kBool>(p, s, end, false,
                                        [](char* q, uint64_t v) { return WriteBool(q, v != 0); });
    case Type::kEnum:
      while (s < end) {
        Raw raw;
        const uint8_t* const next = ReadVarint(s, end, raw.bits);
        if (next == nullptr) return Fail(VarintFailure(s, end), s);
        s = next;
        if (Ignored(field, raw)) continue;
        p = Comma(Room(p, 32));
        p = EnumText(p, field, static_cast<int32_t>(raw.bits));
      }
      return p;
    case Type::kDouble:
      return PackedDoubles(p, s, end);
    case Type::kFloat:
      return PackedFixed<uint32_t>(
          p, s, end, [&](char* q, uint32_t v) { return FloatText(q, std::bit_cast<float>(v)); });
    case Type::kFixed32:
      return PackedFixed<uint32_t>(p, s, end, [](char* q, uint32_t v) { return WriteU32(q, v); });
    case Type::kSfixed32:
      return PackedFixed<uint32_t>(
          p, s, end, [](char* q, uint32_t v) { return WriteI32(q, static_cast<int32_t>(v)); });
    case Type::kFixed64:
      return PackedFixed<uint64_t>(p, s, end, [&](char* q, uint64_t v) {
        return quoted(q, [v](char* r) { return WriteU64(r, v); });
      });
    default:  // sfixed64: no other type can be packed
      return PackedFixed<uint64_t>(p, s, end, [&](char* q, uint64_t v) {
        return quoted(q, [v](char* r) { return WriteI64(r, static_cast<int64_t>(v)); });
      });
  }
}

// How a record holds a field.
enum class Form : uint8_t { kOther, kOne, kPacked };

[[gnu::always_inline]] inline Form FormOf(const Field& field, uint32_t tag) {
  const auto wire = static_cast<uint32_t>(field.tag.bytes[0] & 7);  // the first byte has it
  if ((tag & 7) == wire) return Form::kOne;
  return (tag & 7) == 2 && field.packed_tag.size != 0 && field.repeated ? Form::kPacked
                                                                        : Form::kOther;
}

// The strings from `s` on, each with a comma before it, as long as they are short, need no escape,
// and nothing but them is between. Ends where `s` is then.
char* Printer::ShortStrings(char* p, const Field& field, const uint8_t*& s, const uint8_t* end,
                            size_t& index) {
  if (field.tag.size != 1 || whitespace_ || job_.options.escape_html) return p;
  const auto tag = static_cast<uint8_t>(field.tag.bytes[0]);
  while (end - s >= 2 && wire_end_ - s >= static_cast<ptrdiff_t>(kBlock + 2) && *s == tag) {
    const size_t size = s[1];
    if (size > kBlock || size > static_cast<size_t>(end - s - 2)) break;
    p = Room(p, kBlock);
    std::memcpy(p, ",\"", 2);
    if (FirstSpecial(CopyBlock<false>(p + 2, s + 2)) < size) break;
    p[size + 2] = '"';
    p += size + 3;
    s += size + 2;
    ++index;
  }
  return p;
}

// The elements from `s` on, each with a comma before it. Unknown fields between them are skipped.
// Ends at another field: `s` is then its start.
char* Printer::ListRun(char* p, const Field& field, const uint8_t*& s, const uint8_t* end,
                       size_t& index) {
  const uint8_t* at = s;
  while (at < end) {
    if (field.type == Type::kString) {
      p = ShortStrings(p, field, at, end, index);
      if (at == end) break;
    }
    const uint8_t* const record = at;
    uint32_t tag = 0;
    Raw raw;
    if (StartsWith(at, end, field.tag)) [[likely]] {
      at += field.tag.size;
      if (field.type == Type::kString) {
        at = ReadVarint(at, end, raw.bits);
        if (at == nullptr || raw.bits > static_cast<size_t>(end - at)) {
          return FailRecord(record, end);
        }
        p = Comma(Room(p, 64));
        p = String(p, at, raw.bits);
        if (p == nullptr) return In(field, index);
        at += raw.bits;
        ++index;
        continue;
      }
      tag = static_cast<uint32_t>(field.number) << 3 | (field.tag.bytes[0] & 7);
    } else {
      at = ReadTag(at, end, tag);
      if (at == nullptr) return FailRecord(record, end);
      const Field* const found = field.parent->FindNumber(tag >> 3);
      if (found != nullptr && found != &field && FormOf(*found, tag) != Form::kOther) {
        s = record;
        return p;
      }
      if (found != &field || FormOf(field, tag) == Form::kOther) {
        at = ReadRaw(at, end, tag, raw);
        if (at == nullptr) return FailRecord(record, end);
        continue;
      }
    }
    at = ReadRaw(at, end, tag, raw);
    if (at == nullptr) return FailRecord(record, end);
    if (FormOf(field, tag) == Form::kPacked) {
      p = Packed(p, field, raw.s, raw.s + raw.bits);
      if (p == nullptr) return In(field);
      continue;
    }
    if (field.is_message()) {
      p = Comma(Room(p, 8));
      p = Value(p, *field.message, raw.s, raw.s + raw.bits);
    } else if (!Ignored(field, raw)) {
      p = Comma(Room(p, 64));
      p = Scalar(p, field, raw);
    }
    if (p == nullptr) return In(field, index);
    ++index;
  }
  s = at;
  return p;
}

// `before`: where the key begins; `start`: where the list begins. A list without elements is
// nothing, except where the options want it.
char* Printer::CloseList(char* p, const Field& field, size_t before, size_t start) {
  if (Offset(p) == start && unpopulated_ == Unset::kNone && !field.map) return base_ + before;
  return Close(p, start, '[', ']');
}

[[gnu::noinline]] char* Printer::List(char* p, const Field& field, const uint8_t*& s,
                                      const uint8_t* end) {
  const size_t before = Offset(p);
  p = Key(p, field);
  const size_t start = Offset(p);
  if (whitespace_) ++indent_;
  size_t index = 0;
  p = ListRun(p, field, s, end, index);
  if (p == nullptr) return nullptr;
  p = CloseList(p, field, before, start);
  if (whitespace_) --indent_;
  return p;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
