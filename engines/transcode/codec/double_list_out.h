#pragma once

// Packed lists of doubles, eight values at a time: the shortest decimal and its digits are made in
// vectors. Part of print_isa.cc.
//
// The decimal is that of doubles_out.h, found with one product for each value instead of three.
// With c * 2^q the value, 10^k <= 2^q < 10^(k+1) and x = c * 2^q / 10^k, all decimals at 10^k or
// 10^(k+1) that read back as the value are nearer to x than w = 2^q / 10^k / 2. As w is between 0.5
// and 5, one multiple of 10 at most is that near, and the whole number nearest to x always is. x
// and w are known with an error below kError; where that could change one of these comparisons, and
// where the distance is not w on both sides (powers of two) or the value is not a normal number,
// the value is left to doubles_out.h.

#include "codec/doubles_out.h"
#include "codec/int_list_out.h"

namespace transcode::TRANSCODE_ISA {
namespace {

#if defined(__AVX512IFMA__)

// Each value is first.rest * 10^exponent.
struct EightDecimals {
  __m512i first;
  __m512i high;  // eight digits (0..9), the first one in the lowest byte
  __m512i low;   // the eight digits behind these
  __m512i exponent;
  __mmask8 others;  // values that are not here
};

// The eight digits of each 64 bits below 10^8.
[[gnu::always_inline]] inline __m512i EightDigitsOfEach(__m512i v) {
  // As in SixteenDigits.
  const __m512i upper = _mm512_maskz_srli_epi64(
      0xff, _mm512_maskz_mul_epu32(0xff, v, _mm512_set1_epi64(3518437209)), 45);
  const __m512i lower =
      _mm512_sub_epi64(v, _mm512_maskz_mul_epu32(0xff, upper, _mm512_set1_epi64(10000)));
  const __m512i fours = _mm512_or_si512(upper, _mm512_maskz_slli_epi64(0xff, lower, 32));
  const __m512i hundreds = _mm512_maskz_srli_epi16(
      ~0u, _mm512_maskz_mulhi_epu16(~0u, fours, _mm512_set1_epi16(5243)), 3);
  const __m512i rest =
      _mm512_sub_epi16(fours, _mm512_maskz_mullo_epi16(~0u, hundreds, _mm512_set1_epi16(100)));
  const __m512i twos = _mm512_or_si512(hundreds, _mm512_maskz_slli_epi32(0xffff, rest, 16));
  return TwoDigits(twos);
}

[[gnu::always_inline]] inline EightDecimals ToDecimals(__m512i bits) {
  constexpr __mmask8 kAll = 0xff;
  const __m512i zero = _mm512_setzero_si512();
  const auto all = [](int64_t v) { return _mm512_set1_epi64(v); };
  const __m512i mask52 = all((int64_t{1} << 52) - 1);
  const __m512i f = _mm512_and_si512(bits, mask52);  // c = 2^52 + f
  const __m512i biased = _mm512_and_si512(_mm512_maskz_srli_epi64(kAll, bits, 52), all(0x7ff));
  const __mmask8 is_zero = _mm512_testn_epi64_mask(bits, all(INT64_MAX));
  const __mmask8 abnormal =
      _mm512_cmpge_epu64_mask(_mm512_sub_epi64(biased, all(1)), all(0x7fe)) & ~is_zero;
  const __m512i q = _mm512_sub_epi64(biased, all(1075));
  const __m512i k =
      _mm512_maskz_srai_epi64(kAll, _mm512_maskz_mul_epi32(kAll, q, all(1262611)), 22);
  const __m512i minus_k = _mm512_sub_epi64(zero, k);
  const __m512i log2 =
      _mm512_maskz_srai_epi64(kAll, _mm512_maskz_mul_epi32(kAll, minus_k, all(1741647)), 19);
  // 2^q / 10^k = g * 2^(t - 103), g having 104 bits: 52 in g1, 52 in g0.
  const __m512i t = _mm512_add_epi64(q, log2);
  // Eight loads of both words: gathers take twice as long.
  alignas(64) int64_t at[8];
  _mm512_store_si512(at, minus_k);
  const auto four = [&at](int first) {
    const auto power = [&at](int i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(&PowerOf(static_cast<int>(at[i]))));
    };
    const __m256i front = _mm256_set_m128i(power(first + 2), power(first));
    const __m256i back = _mm256_set_m128i(power(first + 6), power(first + 4));
    return _mm512_maskz_inserti64x4(kAll, _mm512_maskz_broadcast_i64x4(kAll, front), back, 1);
  };
  const __m512i even = four(0);
  const __m512i odd = four(1);
  const __m512i high = _mm512_maskz_unpacklo_epi64(kAll, even, odd);
  const __m512i low = _mm512_maskz_unpackhi_epi64(kAll, even, odd);
  const __m512i g1 = _mm512_maskz_srli_epi64(kAll, high, 12);
  const __m512i g0 = _mm512_and_si512(_mm512_maskz_shldi_epi64(kAll, high, low, 40), mask52);
  // c * g without its lowest 52 bits.
  __m512i middle = _mm512_madd52hi_epu64(g0, f, g0);
  middle = _mm512_madd52lo_epu64(middle, f, g1);
  __m512i top = _mm512_madd52hi_epu64(g1, f, g1);
  top = _mm512_add_epi64(top, _mm512_maskz_srli_epi64(kAll, middle, 52));
  middle = _mm512_and_si512(middle, mask52);
  // x: a whole number below 10^17, and a fraction of 52 bits.
  const __m512i t1 = _mm512_add_epi64(t, all(1));
  const __m512i whole =
      _mm512_or_si512(_mm512_maskz_sllv_epi64(kAll, top, t1),
                      _mm512_maskz_srlv_epi64(kAll, middle, _mm512_sub_epi64(all(51), t)));
  const __m512i fraction = _mm512_and_si512(_mm512_maskz_sllv_epi64(kAll, middle, t1), mask52);
  const __m512i w = _mm512_maskz_sllv_epi64(kAll, g1, t);  // also with 52 bits behind the point
  // whole = upper * 10^8 + lower. 10^8 = 2^8 * 390625; n / 390625 = n * ceil(2^70 / 390625) >> 70
  // for n < 2^49.
  const __m512i ten_to_8 = all(100000000);
  __m512i upper = _mm512_maskz_srli_epi64(
      kAll,
      _mm512_madd52hi_epu64(zero, _mm512_maskz_srli_epi64(kAll, whole, 8), all(3022314549036573)),
      18);
  __m512i lower = _mm512_sub_epi64(whole, _mm512_maskz_mul_epu32(kAll, upper, ten_to_8));
  // The last digit: n / 10 = n * 429496730 >> 32 for n < 10^8.
  const __m512i tens =
      _mm512_maskz_srli_epi64(kAll, _mm512_maskz_mul_epu32(kAll, lower, all(429496730)), 32);
  const __m512i last = _mm512_sub_epi64(lower, _mm512_maskz_mul_epu32(kAll, tens, all(10)));
  // Distances from the multiples of 10 below and above, and from the middle of two numbers.
  const __m512i below = _mm512_or_si512(_mm512_maskz_slli_epi64(kAll, last, 52), fraction);
  const __m512i above = _mm512_sub_epi64(all(int64_t{10} << 52), below);
  const __m512i half = all(int64_t{1} << 51);
  // x: less than 4 units of `middle`, which are 2^(t + 1) of `fraction`, t <= 3. w: less than 2^4.
  constexpr int64_t kError = 128;
  const auto near = [&](__m512i a, __m512i b) {
    return _mm512_cmplt_epu64_mask(_mm512_add_epi64(_mm512_sub_epi64(a, b), all(kError)),
                                   all(2 * kError));
  };
  const __mmask8 close = near(below, w) | near(above, w) | near(fraction, half);
  const __mmask8 power_of_two = _mm512_testn_epi64_mask(f, mask52) &
                                _mm512_cmpgt_epu64_mask(below, all(kError)) &
                                _mm512_cmpgt_epu64_mask(above, all(kError));
  const __mmask8 down = _mm512_cmplt_epu64_mask(below, w);
  const __mmask8 up = _mm512_cmplt_epu64_mask(above, w);
  const __mmask8 next = _mm512_cmpgt_epu64_mask(fraction, half);
  const __m512i ten = _mm512_sub_epi64(lower, last);
  lower = _mm512_mask_add_epi64(lower, next, lower, all(1));
  lower = _mm512_mask_mov_epi64(lower, down, ten);
  lower = _mm512_mask_add_epi64(lower, up, ten, all(10));
  const __mmask8 carry = _mm512_cmpeq_epi64_mask(lower, ten_to_8);
  lower = _mm512_mask_mov_epi64(lower, carry, zero);
  upper = _mm512_mask_add_epi64(upper, carry, upper, all(1));
  // 17 digits: 16 ones get a zero.
  const __mmask8 short_one = _mm512_cmplt_epu64_mask(upper, ten_to_8);
  // n / 10^7 = n * 112589991 >> 50 for n < 10^8
  const __m512i moved =
      _mm512_maskz_srli_epi64(kAll, _mm512_maskz_mul_epu32(kAll, lower, all(112589991)), 50);
  upper =
      _mm512_mask_add_epi64(upper, short_one, _mm512_maskz_mul_epu32(kAll, upper, all(10)), moved);
  lower = _mm512_mask_sub_epi64(lower, short_one, _mm512_maskz_mul_epu32(kAll, lower, all(10)),
                                _mm512_maskz_mul_epu32(kAll, moved, ten_to_8));
  __m512i exponent = _mm512_add_epi64(k, all(16));
  exponent = _mm512_mask_sub_epi64(exponent, short_one, exponent, all(1));
  upper = _mm512_mask_mov_epi64(upper, is_zero, zero);
  lower = _mm512_mask_mov_epi64(lower, is_zero, zero);
  exponent = _mm512_mask_mov_epi64(exponent, is_zero, zero);
  // n / 10^8 = n * 720575941 >> 56 for n < 10^9
  const __m512i first =
      _mm512_maskz_srli_epi64(kAll, _mm512_maskz_mul_epu32(kAll, upper, all(720575941)), 56);
  upper = _mm512_sub_epi64(upper, _mm512_maskz_mul_epu32(kAll, first, ten_to_8));
  return {first, EightDigitsOfEach(upper), EightDigitsOfEach(lower), exponent,
          static_cast<__mmask8>(abnormal | ((close | power_of_two) & ~is_zero))};
}

// If all eight doubles at `s` are whole numbers of one digit: writes them with a comma before each.
[[gnu::always_inline]] inline bool WriteEightDigits(char* p, const uint8_t* s) {
  const __m512d values = _mm512_loadu_pd(s);
  const __m512i whole = _mm512_maskz_cvttpd_epu64(0xff, values);
  // Compared as bits, -0 is not 0.
  const __mmask8 same =
      _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(_mm512_maskz_cvtepu64_pd(0xff, whole)),
                              _mm512_loadu_si512(s)) &
      _mm512_cmplt_epu64_mask(whole, _mm512_set1_epi64(10));
  const __m128i digits = _mm_or_si128(_mm512_maskz_cvtepi64_epi8(0xff, whole), _mm_set1_epi8('0'));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_unpacklo_epi8(_mm_set1_epi8(','), digits));
  return same == 0xff;
}

// Two texts without an exponent, each with a comma before it. Each 32 bytes of `pair` hold one: the
// place of the point (8 or more), how many zeros are before the digits, 5 bytes of 0, 17 digits,
// zeros. The first digit stands at place 7 as that of the units, unless zeros move it. Bits 0 and 1
// of `signs` say which are negative.
[[gnu::always_inline]] inline char* WriteTwo(char* p, __m512i pair, unsigned signs) {
  constexpr uint64_t kEach = 0x0000000100000001;
  constexpr uint64_t kText = kEach * 0xffffff80;
  const auto half = [](__m256i v) { return _mm512_maskz_broadcast_i64x4(0xff, v); };
  const __m512i places =
      half(_mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                            20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
  const __m512i second = _mm512_maskz_set1_epi8(~uint64_t{0} << 32, 32);
  const __m512i point = _mm512_maskz_permutexvar_epi8(~uint64_t{0}, second, pair);
  const __m512i zeros = _mm512_maskz_permutexvar_epi8(
      ~uint64_t{0}, _mm512_or_si512(second, _mm512_set1_epi8(1)), pair);
  const uint64_t behind = _mm512_cmpgt_epi8_mask(places, point);
  const uint64_t at = _mm512_cmpeq_epi8_mask(places, point);
  // Those behind the point come from one place before.
  __m512i from = _mm512_sub_epi8(_mm512_add_epi8(places, second), zeros);
  from = _mm512_mask_sub_epi8(from, behind, from, _mm512_set1_epi8(1));
  const __m512i digits = _mm512_maskz_permutexvar_epi8(kText & ~at, from, pair);
  const __m512i marks = half(_mm256_setr_epi8(',', '-', '0', '0', '0', '0', '0', '0', '0', '0', '0',
                                              '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0',
                                              '0', '0', '0', '0', '0', '0', '0', '0', '0', '0'));
  const __m512i text =
      _mm512_or_si512(digits, _mm512_mask_mov_epi8(marks, at, _mm512_set1_epi8('.')));
  // Kept are what is before the point, and what is not behind the last digit that is not 0.
  const uint64_t set = _mm512_test_epi8_mask(digits, digits) & behind;
  constexpr uint64_t kLow = 0xffffffff;
  const uint64_t fraction = kLow >> _lzcnt_u32(static_cast<uint32_t>(set)) |
                            kLow >> _lzcnt_u32(static_cast<uint32_t>(set >> 32)) << 32;
  const uint64_t keep = ((fraction | ~(behind | at)) & kText) | kEach | _pdep_u64(signs, kEach * 2);
  _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(keep, text));
  return p + std::popcount(keep);
}

// The eight doubles at `s`. The lanes 0 2 4 6 1 3 5 7 have them in order, so that what unpacking
// brings together stands in order, too.
[[gnu::always_inline]] inline EightDecimals ReadEightDoubles(const uint8_t* s) {
  const __m512i lanes = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
  return ToDecimals(_mm512_maskz_permutexvar_epi64(0xff, lanes, _mm512_loadu_si512(s)));
}

// The eight doubles at `s`, one after the other.
template <class Write>
[[gnu::always_inline]] inline char* WriteEach(char* p, const uint8_t* s, const EightDecimals& eight,
                                              Write write) {
  alignas(64) int64_t first[8];
  alignas(64) int64_t exponent[8];
  alignas(64) Sixteen rest[8];
  _mm512_store_si512(first, eight.first);
  _mm512_store_si512(exponent, eight.exponent);
  _mm512_store_si512(rest, _mm512_maskz_unpacklo_epi64(0xff, eight.high, eight.low));
  _mm512_store_si512(rest + 4, _mm512_maskz_unpackhi_epi64(0xff, eight.high, eight.low));
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned lane = i % 4 * 2 + i / 4;
    uint64_t bits;
    std::memcpy(&bits, s + 8 * i, 8);
    *p++ = ',';
    if (eight.others >> lane & 1) {
      p = write(p, bits);
      continue;
    }
    *p = '-';
    p += bits >> 63;
    p = WriteDigits(p, static_cast<char>('0' + first[lane]), rest[i],
                    static_cast<int>(exponent[lane]));
  }
  return p;
}

// The eight doubles at `s` with a comma before each: 208 bytes at most, and 64 may be stored behind
// them. `write` writes the bits of a double that `eight` does not have.
template <class Write>
[[gnu::always_inline]] inline char* WriteEightDoubles(char* p, const uint8_t* s,
                                                      const EightDecimals& eight, Write write) {
  constexpr __mmask8 kAll = 0xff;
  const __m512i zero = _mm512_setzero_si512();
  // Where the text without an exponent is no longer than the one with it: the same choice as in
  // WriteDigits, but for numbers below 0.001.
  const __mmask8 no_low = _mm512_testn_epi64_mask(eight.low, eight.low);
  const __m512i high_zeros = _mm512_maskz_lzcnt_epi64(no_low, eight.high);
  const __m512i last_zeros = _mm512_maskz_srli_epi64(
      kAll, _mm512_add_epi64(_mm512_maskz_lzcnt_epi64(kAll, eight.low), high_zeros), 3);
  const __mmask8 plain =
      _mm512_cmple_epu64_mask(_mm512_add_epi64(eight.exponent, _mm512_set1_epi64(3)),
                              _mm512_set1_epi64(3 + 16)) &
      _mm512_cmple_epi64_mask(_mm512_add_epi64(eight.exponent, last_zeros), _mm512_set1_epi64(20));
  if ((~plain | eight.others) & 0xff) [[unlikely]]
    return WriteEach(p, s, eight, write);
  const __m512i point =
      _mm512_add_epi64(_mm512_maskz_max_epi64(kAll, eight.exponent, zero), _mm512_set1_epi64(8));
  const __m512i zeros = _mm512_maskz_max_epi64(kAll, _mm512_sub_epi64(zero, eight.exponent), zero);
  const __m512i head =
      _mm512_or_si512(_mm512_or_si512(point, _mm512_maskz_slli_epi64(kAll, zeros, 8)),
                      _mm512_maskz_slli_epi64(kAll, eight.first, 56));
  const unsigned signs = _mm512_movepi64_mask(_mm512_loadu_si512(s));
  const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  __m512i left = _mm512_maskz_unpacklo_epi64(kAll, head, eight.high);
  __m512i right = _mm512_maskz_unpacklo_epi64(kAll, eight.low, zero);
  p = WriteTwo(p, _mm512_maskz_permutex2var_epi64(kAll, left, front, right), signs);
  p = WriteTwo(p, _mm512_maskz_permutex2var_epi64(kAll, left, back, right), signs >> 2);
  left = _mm512_maskz_unpackhi_epi64(kAll, head, eight.high);
  right = _mm512_maskz_unpackhi_epi64(kAll, eight.low, zero);
  p = WriteTwo(p, _mm512_maskz_permutex2var_epi64(kAll, left, front, right), signs >> 4);
  return WriteTwo(p, _mm512_maskz_permutex2var_epi64(kAll, left, back, right), signs >> 6);
}

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
