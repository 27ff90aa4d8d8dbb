#pragma once

// Sixteen decimal digits at once, and the point between them: in one vector where there is one.
//
// For the sources that are compiled once for each instruction set.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/integers_out.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace transcode::TRANSCODE_ISA {
namespace {

#if defined(__AVX2__)

using Sixteen = __m128i;  // digits (0..9), the first one in the lowest byte

// v < 10^16
[[gnu::always_inline]] inline Sixteen SixteenDigits(uint64_t v) {
  const __m128i eights =
      _mm_set_epi64x(static_cast<int64_t>(v % 100000000), static_cast<int64_t>(v / 100000000));
  // n / 10^4 = n * 3518437209 >> 45 for n < 2^32
  const __m128i upper = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(3518437209)), 45);
  const __m128i lower = _mm_sub_epi64(eights, _mm_mul_epu32(upper, _mm_set1_epi64x(10000)));
  const __m128i fours = _mm_or_si128(upper, _mm_slli_epi64(lower, 32));
  // n / 100 = n * 5243 >> 19 for n < 10^4
  const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi16(5243)), 3);
  const __m128i rest = _mm_sub_epi16(fours, _mm_mullo_epi16(hundreds, _mm_set1_epi16(100)));
  const __m128i twos = _mm_or_si128(hundreds, _mm_slli_epi32(rest, 16));
  // n / 10 = n * 6554 >> 16 for n < 100; 256 * n - 2559 * tens = tens + 256 * (n - 10 * tens)
  const __m128i tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
  return _mm_sub_epi16(_mm_slli_epi16(twos, 8), _mm_mullo_epi16(tens, _mm_set1_epi16(2559)));
}

// How many there are up to the last one that is not 0.
[[gnu::always_inline]] inline int CountDigits(Sixteen digits) {
  const int zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(digits, _mm_setzero_si128()));
  return 32 - std::countl_zero(static_cast<uint32_t>(zeros ^ 0xffff));
}

[[gnu::always_inline]] inline void StoreText(char* p, Sixteen digits) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_or_si128(digits, _mm_set1_epi8('0')));
}

// With a point behind the first `whole` (0..15) of them.
[[gnu::always_inline]] inline void StoreText(char* p, Sixteen digits, int whole) {
  StoreText(p + 1, digits);
  const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  // Those behind the point come from one place before.
  const __m128i from =
      _mm_add_epi8(places, _mm_cmpgt_epi8(places, _mm_set1_epi8(static_cast<char>(whole))));
  StoreText(p, _mm_shuffle_epi8(digits, from));
  p[whole] = '.';
}

#else

__extension__ typedef unsigned __int128 Sixteen;

[[gnu::always_inline]] inline Sixteen SixteenDigits(uint64_t v) {
  return Sixteen{EightDigits(static_cast<uint32_t>(v % 100000000))} << 64 |
         EightDigits(static_cast<uint32_t>(v / 100000000));
}

[[gnu::always_inline]] inline int CountDigits(Sixteen digits) {
  const auto low = static_cast<uint64_t>(digits >> 64);
  const auto high = static_cast<uint64_t>(digits);
  return low != 0 ? 16 - std::countl_zero(low) / 8 : 8 - std::countl_zero(high) / 8;
}

[[gnu::always_inline]] inline void StoreText(char* p, Sixteen digits) {
  Store8(p, static_cast<uint64_t>(digits) | kZeros);
  Store8(p + 8, static_cast<uint64_t>(digits >> 64) | kZeros);
}

[[gnu::always_inline]] inline void StoreText(char* p, Sixteen digits, int whole) {
  StoreText(p, digits);
  p[whole] = '.';
  StoreText(p + whole + 1, digits >> (8 * whole));
}

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
