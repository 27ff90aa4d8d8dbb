#pragma once

// Doubles and floats as the shortest decimal text that reads back as the same value; of several
// shortest ones the closest. The method is that of R. Giulietti, "The Schubfach way to render
// doubles" (2020); names of variables as there. The choice between fixed and scientific notation
// is that of std::to_chars: the shorter text, fixed if both are equally long. So the text has the
// value and the length of std::to_chars (whole numbers above 2^53 end in zeros here, and in the
// digits of the exact value there).
//
// Finite values only. The functions return the end of the text and may store up to 48 bytes from
// its start.

#include <bit>
#include <cstdint>

#include "codec/integers_out.h"
#include "codec/powers_of_ten.h"
#include "codec/sixteen_digits.h"

namespace transcode::TRANSCODE_ISA {
namespace {

__extension__ typedef unsigned __int128 Uint128;

// digits * 10^exponent
struct Decimal {
  uint64_t digits;
  int exponent;
};

// floor(log2(10^e))
[[gnu::always_inline]] inline int Log2OfTenTo(int e) { return e * 1741647 >> 19; }

// The upper part of g * cp, the last bit set if anything below is not zero ("round to odd").
[[gnu::always_inline]] inline uint64_t RoundToOdd(const PowerOfTen& g, uint64_t cp) {
  const Uint128 x = Uint128{g.low} * cp;
  const Uint128 y = Uint128{g.high} * cp + static_cast<uint64_t>(x >> 64);
  return static_cast<uint64_t>(y >> 64) | (static_cast<uint64_t>(y) > 1 ? 1 : 0);
}

[[gnu::always_inline]] inline uint32_t RoundToOdd(uint64_t g, uint32_t cp) {
  const Uint128 p = Uint128{g} * cp;
  return static_cast<uint32_t>(p >> 64) | (static_cast<uint32_t>(p >> 32) > 1 ? 1 : 0);
}

[[gnu::always_inline]] inline const PowerOfTen& PowerOf(int k) {
  return kPowersOfTen[static_cast<size_t>(k - kMinPowerOfTen)];
}

// The shortest decimal of c * 2^q, scaled by 10^-k so that a unit is a digit. The result is always
// a decimal at 10^k: a shorter one ends in zeros. Without branches: which case holds is a coin
// toss.
template <class Word>
[[gnu::always_inline]] inline Word Choose(Word vbl, Word vb, Word vbr, Word odd) {
  const Word lower = vbl + odd;
  const Word upper = vbr - odd;
  const Word s = vb / 4;
  // One digit less, if exactly one of the two neighbours lies inside.
  const Word sp = s / 10;
  const bool up_inside = lower <= 40 * sp;
  const bool wp_inside = 40 * sp + 40 <= upper;
  const Word shorter = (sp + (wp_inside ? 1 : 0)) * 10;
  const bool u_inside = lower <= 4 * s;
  const bool w_inside = 4 * s + 4 <= upper;
  const Word middle = 4 * s + 2;
  const bool round_up = vb > middle || (vb == middle && (s & 1) != 0);
  const bool next = u_inside != w_inside ? w_inside : round_up;
  const Word full = s + (next ? 1 : 0);
  return up_inside != wp_inside ? shorter : full;
}

[[gnu::always_inline]] inline Decimal ToDecimal(double value) {
  constexpr uint64_t kHidden = uint64_t{1} << 52;
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t fraction = bits & (kHidden - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t c = exponent != 0 ? kHidden | fraction : fraction;
  const int q = exponent != 0 ? exponent - 1075 : -1074;
  const bool closer = fraction == 0 && exponent > 1;  // the lower neighbour is at half the distance
  const int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;  // floor(log10(2^q or 3/4 * 2^q))
  const int h = q + Log2OfTenTo(-k) + 1;
  const PowerOfTen& g = PowerOf(-k);
  const uint64_t cb = c * 4;
  return {Choose(RoundToOdd(g, (cb - 2 + (closer ? 1 : 0)) << h), RoundToOdd(g, cb << h),
                 RoundToOdd(g, (cb + 2) << h), c & 1),
          k};
}

[[gnu::always_inline]] inline Decimal ToDecimal(float value) {
  constexpr uint32_t kHidden = uint32_t{1} << 23;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t fraction = bits & (kHidden - 1);
  const int exponent = static_cast<int>(bits >> 23 & 0xff);
  const uint32_t c = exponent != 0 ? kHidden | fraction : fraction;
  const int q = exponent != 0 ? exponent - 150 : -149;
  const bool closer = fraction == 0 && exponent > 1;
  const int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
  const int h = q + Log2OfTenTo(-k) + 1;
  const PowerOfTen& power = PowerOf(-k);
  const uint64_t g = power.high + (power.low != 0 ? 1 : 0);
  const uint32_t cb = c * 4;
  return {Choose(RoundToOdd(g, (cb - 2 + (closer ? 1 : 0)) << h), RoundToOdd(g, cb << h),
                 RoundToOdd(g, (cb + 2) << h), c & 1),
          k};
}

// "e+07", "e-310"
[[gnu::always_inline]] inline char* WriteExponent(char* p, int exponent) {
  p[0] = 'e';
  p[1] = exponent < 0 ? '-' : '+';
  p += 2;
  auto left = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent);
  if (left >= 100) {
    *p++ = static_cast<char>('0' + left / 100);
    left %= 100;
  }
  return Write2(p, left);
}

// first.rest * 10^e, `first` being a character: 17 digits at most.
[[gnu::always_inline]] inline char* WriteDigits(char* p, char first, Sixteen rest, int e) {
  const int count = 1 + CountDigits(rest);
  const int last = e - (count - 1);  // of the last digit
  if (last > (count > 1 ? 5 : 4) || last < -(count + (count > 1 ? 3 : 2))) {
    p[0] = first;
    p[1] = '.';
    StoreText(p + 2, rest);
    return WriteExponent(p + (count > 1 ? count + 1 : 1), e);
  }
  if (e < 0) {  // 0.000ddd
    Store8(p, kZeros);
    p[1] = '.';
    p += 1 - e;
    p[0] = first;
    StoreText(p + 1, rest);
    return p + count;
  }
  p[0] = first;
  if (last >= 0) {  // ddd000
    StoreText(p + 1, rest);
    Store8(p + 17, kZeros);
    return p + e + 1;
  }
  StoreText(p + 1, rest, e);  // e <= 15, because count <= 17
  return p + count + 1;
}

[[gnu::always_inline]] inline char* WriteDecimal(char* p, Decimal decimal) {
  constexpr uint64_t kTenTo16 = 10000000000000000;
  uint64_t digits = decimal.digits;
  int exponent = decimal.exponent;
  // 16 or 17 digits is a coin toss: no branch. Fewer are rare.
  const bool short_one = digits < kTenTo16;
  digits = short_one ? digits * 10 : digits;
  exponent -= short_one ? 1 : 0;
  while (digits < kTenTo16) [[unlikely]] {
      digits *= 10;
      --exponent;
    }
  return WriteDigits(p, static_cast<char>('0' + digits / kTenTo16),
                     SixteenDigits(digits % kTenTo16), exponent + 16);
}

// A small whole number, the most frequent double of JSON, is written as an integer.
[[gnu::always_inline]] inline bool IsSmallWhole(double positive) {
  return positive < 100000 && static_cast<double>(static_cast<uint32_t>(positive)) == positive;
}

[[gnu::always_inline]] inline char* WriteFinite(char* p, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  *p = '-';
  p += bits >> 63;
  if (bits << 1 == 0) {
    *p = '0';
    return p + 1;
  }
  const double positive = std::bit_cast<double>(bits & ~(uint64_t{1} << 63));
  if (IsSmallWhole(positive)) return WriteUpTo8(p, static_cast<uint32_t>(positive));
  return WriteDecimal(p, ToDecimal(positive));
}

[[gnu::always_inline]] inline char* WriteFinite(char* p, float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  *p = '-';
  p += bits >> 31;
  if (bits << 1 == 0) {
    *p = '0';
    return p + 1;
  }
  Decimal decimal = ToDecimal(std::bit_cast<float>(bits & 0x7fffffff));
  return WriteDecimal(p, {decimal.digits * 100000000, decimal.exponent - 8});
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
