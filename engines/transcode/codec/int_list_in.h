#pragma once

// Lists of integers, which are bound by finding the ends of numbers one after the other. Here the
// ends of a whole block are found at once, and each number is converted with 16 digits in one
// vector that ends where the number ends: no loop over digits, no branch on length or sign.

#include "codec/scalars_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

struct PlainRun {
  size_t count = 0;     // elements so far
  bool closed = false;  // the list ended, and the cursor is behind ']'
};

#if defined(__AVX2__)

// A load at 16 - n has 0xff in the last n bytes.
alignas(32) constexpr uint8_t kLastBytes[32] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

// The number of the `size` (1..16) digits before `end`, where 16 bytes are readable. False: not
// all are digits.
TRANSCODE_INLINE bool SixteenDigits(const char* end, size_t size, uint64_t* value) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
  const __m128i last = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kLastBytes + size));
  const __m128i digits = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), last);
  const __m128i nine = _mm_set1_epi8(9);
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(digits, nine), nine)) != 0xffff) {
    return false;
  }
  const __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
  const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
  const __m128i packed = _mm_packus_epi32(fours, fours);
  const __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));
  const uint64_t both = static_cast<uint64_t>(_mm_cvtsi128_si64(eights));
  *value = (both & 0xffffffff) * 100000000 + (both >> 32);
  return true;
}

// Writes list elements from c.p (behind '[' or ',') on, as far as they are plain: the rest begins
// at the p that is returned, again an element.
template <Type kType>
TRANSCODE_INLINE Cursor ParsePlainIntegers(State& s, Cursor c, PlainRun* run) {
  const char* const begin = s.job->begin;
  const char* const end = s.end;
  const char* start = c.p;  // of the number
  const char* block = c.p;
  char* o = c.o;
  while (end - block >= static_cast<ptrdiff_t>(kBlock)) {
    o = Room(s, o, kBlock / 2 * 10 + 16);
    for (uint64_t ends = ListMask(block); ends != 0; ends &= ends - 1) {
      const char* const stop = block + std::countr_zero(ends);
      const char* digits = start + (*start == ' ');
      const char* digits_end = stop;
      const bool quoted = *digits == '"';
      if (quoted) {
        --digits_end;
        ++digits;
        if (digits_end < digits || *digits_end != '"') return {start, o};
      }
      const bool negative = *digits == '-';
      digits += negative;
      const size_t size = static_cast<size_t>(digits_end - digits);
      uint64_t magnitude;
      if (size - 1 >= 16 || digits_end - begin < 16) [[unlikely]]
        return {start, o};
      if (!SixteenDigits(digits_end, size, &magnitude)) [[unlikely]]
        return {start, o};
      if (*digits == '0' && size > 1 && !quoted) [[unlikely]]
        return {start, o};
      if (!InRange(kType, {magnitude, negative, true, nullptr})) [[unlikely]]
        return {start, o};
      o = WriteInteger(kType, o, magnitude, negative);
      start = stop + 1;
      ++run->count;
      if (*stop == ']') {
        run->closed = true;
        return {start, o};
      }
    }
    block += kBlock;
  }
  return {start, o};
}

#else

template <Type kType>
TRANSCODE_INLINE Cursor ParsePlainIntegers(State&, Cursor c, PlainRun*) {
  return c;
}

#endif

// The same for a type that is known only now.
[[gnu::noinline]] Cursor ParsePlainList(State& s, Cursor c, Type type, PlainRun* run) {
  switch (type) {
    case Type::kInt32:
      return ParsePlainIntegers<Type::kInt32>(s, c, run);
    case Type::kUint32:
      return ParsePlainIntegers<Type::kUint32>(s, c, run);
    case Type::kInt64:
      return ParsePlainIntegers<Type::kInt64>(s, c, run);
    case Type::kUint64:
      return ParsePlainIntegers<Type::kUint64>(s, c, run);
    case Type::kSint32:
      return ParsePlainIntegers<Type::kSint32>(s, c, run);
    case Type::kSint64:
      return ParsePlainIntegers<Type::kSint64>(s, c, run);
    case Type::kFixed32:
      return ParsePlainIntegers<Type::kFixed32>(s, c, run);
    case Type::kSfixed32:
      return ParsePlainIntegers<Type::kSfixed32>(s, c, run);
    case Type::kFixed64:
      return ParsePlainIntegers<Type::kFixed64>(s, c, run);
    case Type::kSfixed64:
      return ParsePlainIntegers<Type::kSfixed64>(s, c, run);
    default:
      return c;
  }
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
