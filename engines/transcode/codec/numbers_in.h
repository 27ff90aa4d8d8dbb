#pragma once

// JSON numbers to integers and floating point.

#include "codec/parse_state.h"
#include "codec/powers_of_ten.h"

namespace transcode::TRANSCODE_ISA {
namespace {

TRANSCODE_INLINE bool IsDigit(char c) { return static_cast<uint8_t>(c - '0') < 10; }

TRANSCODE_INLINE const char* SkipDigits(const char* p, const char* end) {
  while (p < end && IsDigit(*p)) ++p;
  return p;
}

// The end of the JSON number at p, or null; then *stop is where it went wrong.
TRANSCODE_INLINE const char* NumberEnd(const char* p, const char* end, const char** stop) {
  if (p < end && *p == '-') ++p;
  *stop = p;
  if (p == end || !IsDigit(*p)) return nullptr;
  if (*p == '0') {
    ++p;
    *stop = p;
    if (p < end && IsDigit(*p)) return nullptr;
  } else {
    p = SkipDigits(p, end);
  }
  if (p < end && *p == '.') {
    *stop = ++p;
    if (p == end || !IsDigit(*p)) return nullptr;
    p = SkipDigits(p, end);
  }
  if (p < end && (*p | 0x20) == 'e') {
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    *stop = p;
    if (p == end || !IsDigit(*p)) return nullptr;
    p = SkipDigits(p, end);
  }
  return p;
}

struct Integer {
  uint64_t magnitude;
  bool negative;
  bool fits;          // a whole number of at most 64 bits
  const char* after;  // null: not a number
};

// The exact value of a number with a fraction, an exponent or more than 19 digits.
[[gnu::noinline]] Integer SlowInteger(const char* p, const char* end) {
  const bool negative = *p == '-';
  const Integer no{0, negative, false, end};
  p += negative;
  // Digits without the point; `scale` is how many places the point stands behind them.
  const char* const digits = p;
  const char* point = end;
  const char* digits_end = end;
  int64_t exponent = 0;
  for (const char* q = p; q < end; ++q) {
    if (*q == '.') {
      point = q;
    } else if ((*q | 0x20) == 'e') {
      digits_end = q;
      const char* e = q + 1;
      const bool minus = *e == '-';
      e += *e == '-' || *e == '+';
      for (; e < end; ++e) exponent = Min<int64_t>(exponent * 10 + (*e - '0'), 1 << 30);
      if (minus) exponent = -exponent;
      break;
    }
  }
  if (point > digits_end) point = digits_end;
  // The last digit that is not zero, and its weight 10^weight.
  const char* last = nullptr;
  for (const char* q = digits; q < digits_end; ++q) {
    if (*q != '.' && *q != '0') last = q;
  }
  if (last == nullptr) return {0, negative, true, end};
  const int64_t weight = (last < point ? point - last - 1 : point - last) + exponent;
  if (weight < 0 || weight > 19) return no;
  uint64_t value = 0;
  for (const char* q = digits; q <= last; ++q) {
    if (*q == '.') continue;
    if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(*q - '0'), &value)) {
      return no;
    }
  }
  for (int64_t i = 0; i < weight; ++i) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return no;
  }
  return {value, negative, true, end};
}

// The number at p. *stop: where it went wrong.
TRANSCODE_INLINE Integer ReadInteger(const char* p, const char* end, const char** stop) {
  const char* q = p;
  const bool negative = q < end && *q == '-';
  q += negative;
  const char* const digits = q;
  uint64_t value = 0;
  while (q < end && IsDigit(*q)) value = value * 10 + static_cast<uint64_t>(*q++ - '0');
  const ptrdiff_t count = q - digits;
  const bool plain = q == end || (*q != '.' && (*q | 0x20) != 'e');
  if (count > 0 && count <= 19 && plain && (*digits != '0' || count == 1)) [[likely]] {
    return {value, negative, true, q};
  }
  const char* const after = NumberEnd(p, end, stop);
  if (after == nullptr) return {0, negative, false, nullptr};
  return SlowInteger(p, after);
}

// 10^0..10^22, which doubles hold exactly.
constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Mantissa and power of ten of the number at p, as far as they are exact.
struct Decimal {
  uint64_t mantissa;
  int64_t exponent;
  bool negative;
  bool exact;
  const char* after;
};

// The double nearest to d: the mantissa times a power of ten of 128 bits, of which 54 bits are
// looked at (Lemire, Number Parsing at a Gigabyte per Second, 2021). The power may be one unit of
// its last place too large, so that the product is less than 2^64 too large. False: that could
// change a bit that counts, or the result is not a normal number.
TRANSCODE_INLINE bool NearestDouble(const Decimal& d, double* value) {
  if (d.exponent < kMinPowerOfTen || d.exponent > kMaxPowerOfTen || d.mantissa == 0) return false;
  const PowerOfTen& power = kPowersOfTen.data()[d.exponent - kMinPowerOfTen];
  const int zeros = std::countl_zero(d.mantissa);
  const uint64_t w = d.mantissa << zeros;
  __extension__ using Wide = unsigned __int128;
  const Wide low = static_cast<Wide>(w) * power.low;
  const Wide product = static_cast<Wide>(w) * power.high + static_cast<uint64_t>(low >> 64);
  const uint64_t top = static_cast<uint64_t>(product >> 64);
  const int upper = static_cast<int>(top >> 63);
  const int dropped = upper + 9;
  const uint64_t rest = top & ((uint64_t{1} << dropped) - 1);
  if (rest == 0 && static_cast<uint64_t>(product) <= 1) return false;
  uint64_t mantissa = top >> dropped;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  // floor(log2(10^k)), for the exponents of the table.
  const int64_t log2 = (d.exponent * 217706) >> 16;
  const int64_t biased = 63 + upper + log2 - zeros + 1023;
  if (biased < 1 || biased > 2045) return false;
  // The hidden bit, and a carry out of the mantissa, add one to the exponent.
  const uint64_t bits = (static_cast<uint64_t>(biased - 1) << 52) + mantissa;
  *value = std::bit_cast<double>(bits | static_cast<uint64_t>(d.negative) << 63);
  return true;
}

struct Real {
  double value;
  bool fits;
  const char* after;  // null: not a number
};

TRANSCODE_INLINE Decimal ReadDecimal(const char* p, const char* end, const char** stop) {
  const char* q = p;
  const bool negative = q < end && *q == '-';
  q += negative;
  const char* const digits = q;
  uint64_t mantissa = 0;
  while (q < end && IsDigit(*q)) mantissa = mantissa * 10 + static_cast<uint64_t>(*q++ - '0');
  ptrdiff_t count = q - digits;
  if (count == 0 || (*digits == '0' && count > 1)) {
    NumberEnd(p, end, stop);
    return {0, 0, negative, false, nullptr};
  }
  int64_t exponent = 0;
  if (q < end && *q == '.') {
    const char* const fraction = ++q;
    while (end - q >= 8) {
      // Eight digits at once.
      const uint64_t bytes = Load<uint64_t>(q) - 0x3030303030303030;
      if (((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080) break;
      const uint64_t pairs = bytes * 10 + (bytes >> 8);
      const uint64_t eight = ((pairs & 0x000000ff000000ff) * 0x000f424000000064 +
                              (pairs >> 16 & 0x000000ff000000ff) * 0x0000271000000001) >>
                             32;
      mantissa = mantissa * 100000000 + eight;
      q += 8;
    }
    while (q < end && IsDigit(*q)) mantissa = mantissa * 10 + static_cast<uint64_t>(*q++ - '0');
    exponent = fraction - q;
    count -= exponent;
    if (q == fraction) {
      *stop = q;
      return {0, 0, negative, false, nullptr};
    }
  }
  if (q < end && (*q | 0x20) == 'e') {
    ++q;
    const bool minus = q < end && *q == '-';
    q += q < end && (*q == '-' || *q == '+');
    const char* const first = q;
    int64_t value = 0;
    for (; q < end && IsDigit(*q); ++q) value = Min<int64_t>(value * 10 + (*q - '0'), 1 << 20);
    if (q == first) {
      *stop = q;
      return {0, 0, negative, false, nullptr};
    }
    exponent += minus ? -value : value;
  }
  // 19 digits always fit. Zeros in front do not count, which only the slow path sees.
  return {mantissa, exponent, negative, count - (*digits == '0') <= 19, q};
}

// Whether mantissa and power of ten are doubles, so that one operation rounds once.
TRANSCODE_INLINE bool IsExact(const Decimal& d) {
  return d.exact && d.mantissa <= uint64_t{1} << 53 && d.exponent >= -22 && d.exponent <= 22;
}

TRANSCODE_INLINE double ExactDouble(const Decimal& d) {
  const double mantissa = static_cast<double>(d.mantissa);
  const double value =
      d.exponent < 0 ? mantissa / kPowers[-d.exponent] : mantissa * kPowers[d.exponent];
  return d.negative ? -value : value;
}

TRANSCODE_INLINE Real ReadDouble(const char* p, const char* end, const char** stop) {
  const Decimal d = ReadDecimal(p, end, stop);
  if (d.after == nullptr) return {0, false, nullptr};
  if (IsExact(d)) [[likely]]
    return {ExactDouble(d), true, d.after};
  Real real{0, true, d.after};
  if (d.exact && NearestDouble(d, &real.value)) [[likely]]
    return real;
  real.fits = SlowDouble(p, d.after, &real.value);
  return real;
}

struct Single {
  float value;
  bool fits;
  const char* after;
};

TRANSCODE_INLINE Single ReadFloat(const char* p, const char* end, const char** stop) {
  constexpr float kExact[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
  const Decimal d = ReadDecimal(p, end, stop);
  if (d.after == nullptr) return {0, false, nullptr};
  if (d.exact && d.mantissa <= 1 << 24 && d.exponent >= -10 && d.exponent <= 10) [[likely]] {
    float value = static_cast<float>(d.mantissa);
    value = d.exponent < 0 ? value / kExact[-d.exponent] : value * kExact[d.exponent];
    return {d.negative ? -value : value, true, d.after};
  }
  Single single{0, true, d.after};
  single.fits = SlowFloat(p, d.after, &single.value);
  return single;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
