#pragma once

// Integers of a list: each is converted with 16 digits in one vector that ends where the number
// ends: no loop over digits, no branch on length or sign.

#include "codec/plain_list_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

#if defined(__AVX2__)

// The number of the `size` (1..16) digits before `end`, where 16 bytes are readable. False: not
// all are digits.
TRANSCODE_INLINE bool SixteenDigits(const char* end, size_t size, uint64_t* value) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16));
  const __m128i last =
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(kEdgeBytes.bytes + 16 + size));
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

template <Type kType>
struct PlainInteger {
  const char* begin;  // of the text

  TRANSCODE_INLINE bool operator()(const PlainElement& e, char** o) const {
    const size_t size = static_cast<size_t>(e.end - e.begin);
    uint64_t magnitude;
    if (size - 1 >= 16 || e.end - begin < 16) [[unlikely]]
      return false;
    if (!SixteenDigits(e.end, size, &magnitude)) [[unlikely]]
      return false;
    if (*e.begin == '0' && size > 1 && !e.quoted) [[unlikely]]
      return false;
    if (!InRange(kType, {magnitude, e.negative, true, nullptr})) [[unlikely]]
      return false;
    *o = WriteInteger(kType, *o, magnitude, e.negative);
    return true;
  }
};

template <Type kType>
TRANSCODE_INLINE Cursor ParsePlainIntegers(State& s, Cursor c, PlainRun* run) {
  return ParsePlainList(s, c, run, PlainInteger<kType>{s.job->begin});
}

#else

template <Type kType>
TRANSCODE_INLINE Cursor ParsePlainIntegers(State&, Cursor c, PlainRun*) {
  return c;
}

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
