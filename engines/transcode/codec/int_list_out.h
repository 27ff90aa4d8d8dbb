#pragma once

// Packed lists of 32-bit integers, up to eight values at a time: vector operations cut the varints
// apart, make the digits, and squeeze them into text. No branch depends on the length of a varint
// or of a number. Part of print_isa.cc.

#include "codec/integers_out.h"
#include "codec/strings_out.h"
#include "schema/schema.h"

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr bool IsVarint32(Type type) {
  return type == Type::kInt32 || type == Type::kUint32 || type == Type::kSint32;
}

#if defined(__AVX512VBMI2__)

struct Eight {
  // The low 32 bits of the values 0 4 1 5 2 6 3 7, one in each 64 bits; of the upper half nothing
  // is said.
  __m512i values;
  unsigned count;  // of the values; 0: no varint ends here
  unsigned size;   // of their varints, in bytes
  bool too_long;   // one of these has more than 10 bytes
};

// The varints from `s` on, where `left` bytes are readable.
[[gnu::always_inline]] inline Eight ReadEight(const uint8_t* s, size_t left) {
  const uint64_t wanted =
      left >= 64 ? ~uint64_t{0} : _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(left));
  const __m512i bytes = _mm512_maskz_loadu_epi8(wanted, s);
  const uint64_t ends = _pdep_u64(0xff, ~_mm512_movepi8_mask(bytes) & wanted);
  const auto count = static_cast<unsigned>(std::popcount(ends));
  // Byte i: where varint i ends, and where it starts.
  const __m512i places = _mm512_set_epi64(
      0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
      0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
  const __m512i last = _mm512_maskz_compress_epi8(ends, places);
  const __m512i first =
      _mm512_add_epi8(_mm512_maskz_slli_epi64(1, last, 8), _mm512_set1_epi64(0x0101010101010100));
  const uint64_t too_long = _mm512_mask_cmpgt_epu8_mask(
      _bzhi_u64(0xff, count), _mm512_sub_epi8(last, first), _mm512_set1_epi8(9));
  // Each varint into 64 bits, and seven bits of each byte together.
  const __m512i lanes = _mm512_set_epi64(0x0707070707070707, 0x0303030303030303, 0x0606060606060606,
                                         0x0202020202020202, 0x0505050505050505, 0x0101010101010101,
                                         0x0404040404040404, 0x0000000000000000);
  const __m512i from = _mm512_add_epi8(_mm512_maskz_permutexvar_epi8(~uint64_t{0}, lanes, first),
                                       _mm512_set1_epi64(0x0706050403020100));
  const __m512i to = _mm512_maskz_permutexvar_epi8(~uint64_t{0}, lanes, last);
  const __m512i varints =
      _mm512_and_si512(_mm512_maskz_permutexvar_epi8(_mm512_cmple_epu8_mask(from, to), from, bytes),
                       _mm512_set1_epi8(0x7f));
  const __m512i fourteens =
      _mm512_maddubs_epi16(_mm512_set1_epi16(static_cast<int16_t>(0x8001)), varints);
  const __m512i low = _mm512_madd_epi16(fourteens, _mm512_set1_epi32(0x40000001));
  const __m512i high = _mm512_and_si512(low, _mm512_set1_epi64(-0x100000000));
  return {_mm512_or_si512(low, _mm512_maskz_srli_epi64(0xff, high, 4)), count,
          64 - static_cast<unsigned>(std::countl_zero(ends)), too_long != 0};
}

// Each 16 bits below 100 as two digits, the first one in the lower byte.
[[gnu::always_inline]] inline __m512i TwoDigits(__m512i numbers) {
  // n / 10 = n * 6554 >> 16; 256 * n - 2559 * tens = tens + 256 * (n - 10 * tens)
  const __m512i tens = _mm512_maskz_mulhi_epu16(~0u, numbers, _mm512_set1_epi16(6554));
  return _mm512_sub_epi16(_mm512_maskz_slli_epi16(~0u, numbers, 8),
                          _mm512_maskz_mullo_epi16(~0u, tens, _mm512_set1_epi16(2559)));
}

// The first `count` of four texts. Each 16 bytes of `digits` hold one: 4 bytes of
// nothing, 0, the sign (0 or 1), ten digits.
[[gnu::always_inline]] inline char* WriteFour(char* p, __m512i digits, unsigned count) {
  const __m512i marks = _mm512_maskz_broadcast_i64x2(
      0xff, _mm_setr_epi8(0, 0, 0, 0, ',', '-', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0'));
  // Kept are the comma, the sign if it is 1, the digits from the first that is not 0 on, and the
  // last digit.
  constexpr uint64_t kEach = 0x0001000100010001;
  const uint64_t set = _mm512_test_epi8_mask(digits, digits);
  const uint64_t leading = set & kEach * 0x7fc0;
  const uint64_t keep =
      (kEach * 0x8000 - leading) | leading | kEach * 0x8010 | (set & kEach * 0x0020);
  const uint64_t wanted = _bzhi_u64(keep, 16 * count);
  _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(wanted, _mm512_or_si512(digits, marks)));
  return p + std::popcount(wanted);
}

// The values with a comma before each: 96 bytes at most, and 64 may be stored behind them.
template <Type kType>
[[gnu::always_inline]] inline char* WriteEight(char* p, const Eight& eight) {
  __m512i values = eight.values;
  if constexpr (kType == Type::kSint32) {
    const __m512i odd = _mm512_and_si512(values, _mm512_set1_epi64(1));
    values = _mm512_xor_si512(_mm512_maskz_srli_epi32(0xffff, values, 1),
                              _mm512_sub_epi32(_mm512_setzero_si512(), odd));
  }
  constexpr __mmask16 kLow = 0x5555;  // the lower 32 bits of each 64
  __m512i sign = _mm512_setzero_si512();
  if constexpr (kType == Type::kUint32) {
    values = _mm512_maskz_mov_epi32(kLow, values);
  } else {
    sign = _mm512_and_si512(values, _mm512_set1_epi64(0x80000000));
    values = _mm512_maskz_abs_epi32(kLow, values);
  }
  // top * 10^8 + middle * 10^4 + low, with n / 10^4 = n * 3518437209 >> 45 for n < 2^32.
  const __m512i ten_to_4 = _mm512_set1_epi64(10000);
  const __m512i over_ten_to_4 = _mm512_set1_epi64(3518437209);
  const __m512i upper =
      _mm512_maskz_srli_epi64(0xff, _mm512_maskz_mul_epu32(0xff, values, over_ten_to_4), 45);
  const __m512i low = _mm512_sub_epi64(values, _mm512_maskz_mul_epu32(0xff, upper, ten_to_4));
  const __m512i top =
      _mm512_maskz_srli_epi64(0xff, _mm512_maskz_mul_epu32(0xff, upper, over_ten_to_4), 45);
  const __m512i middle = _mm512_sub_epi64(upper, _mm512_maskz_mul_epu32(0xff, top, ten_to_4));
  const __m512i left = TwoDigits(_mm512_or_si512(_mm512_maskz_slli_epi64(0xff, sign, 1),
                                                 _mm512_maskz_slli_epi64(0xff, top, 48)));
  // n / 100 = n * 5243 >> 19 for n < 10^4
  const __m512i fours = _mm512_or_si512(middle, _mm512_maskz_slli_epi64(0xff, low, 32));
  const __m512i hundreds = _mm512_maskz_srli_epi16(
      ~0u, _mm512_maskz_mulhi_epu16(~0u, fours, _mm512_set1_epi16(5243)), 3);
  const __m512i rest =
      _mm512_sub_epi16(fours, _mm512_maskz_mullo_epi16(~0u, hundreds, _mm512_set1_epi16(100)));
  const __m512i right =
      TwoDigits(_mm512_or_si512(hundreds, _mm512_maskz_slli_epi32(0xffff, rest, 16)));
  const unsigned count = eight.count;
  p = WriteFour(p, _mm512_maskz_unpacklo_epi64(0xff, left, right), count);
  return WriteFour(p, _mm512_maskz_unpackhi_epi64(0xff, left, right), count < 4 ? 0 : count - 4);
}

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
