#pragma once

// Whole numbers as decimal text, without branches on the number of digits where that number is
// hard to predict: eight digits are made at once in one 64-bit word.
//
// For the sources that are compiled once for each instruction set. Every function returns the end
// of the text and may store up to 32 bytes from its start.

#include <bit>
#include <cstdint>
#include <cstring>

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr uint64_t kZeros = 0x3030303030303030;

// The eight digits (0..9) of v < 10^8, the first one in the lowest byte.
[[gnu::always_inline]] inline uint64_t EightDigits(uint32_t v) {
  const uint64_t fours = v / 10000 | uint64_t{v % 10000} << 32;
  // n / 100 = n * 10486 >> 20 for n < 10^4; n / 10 = n * 103 >> 10 for n < 100.
  const uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
  const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
  const uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;
  return tens | (twos - tens * 10) << 8;
}

[[gnu::always_inline]] inline void Store8(char* p, uint64_t bytes) { std::memcpy(p, &bytes, 8); }

// v < 10^8, without leading zeros.
[[gnu::always_inline]] inline char* WriteUpTo8(char* p, uint32_t v) {
  const uint64_t digits = EightDigits(v);
  const int zeros = std::countr_zero(digits | uint64_t{1} << 56) & ~7;
  Store8(p, (digits | kZeros) >> zeros);
  return p + (8 - zeros / 8);
}

[[gnu::always_inline]] inline char* Write8(char* p, uint32_t v) {
  Store8(p, EightDigits(v) | kZeros);
  return p + 8;
}

// v < 100
[[gnu::always_inline]] inline char* Write2(char* p, uint32_t v) {
  p[0] = static_cast<char>('0' + v / 10);
  p[1] = static_cast<char>('0' + v % 10);
  return p + 2;
}

[[gnu::always_inline]] inline char* WriteU32(char* p, uint32_t v) {
  if (v < 100000000) return WriteUpTo8(p, v);
  const uint32_t top = v / 100000000;  // 1..42
  const uint32_t two = top >= 10 ? 1 : 0;
  *p = static_cast<char>('0' + top / 10);
  p += two;
  *p = static_cast<char>('0' + top % 10);
  return Write8(p + 1, v % 100000000);
}

[[gnu::always_inline]] inline char* WriteI32(char* p, int32_t v) {
  *p = '-';
  p += v < 0 ? 1 : 0;
  const auto bits = static_cast<uint32_t>(v);
  return WriteU32(p, v < 0 ? 0 - bits : bits);
}

[[gnu::always_inline]] inline char* WriteU64(char* p, uint64_t v) {
  if (v < 100000000) return WriteUpTo8(p, static_cast<uint32_t>(v));
  const uint64_t high = v / 100000000;
  if (high < 100000000) {
    p = WriteUpTo8(p, static_cast<uint32_t>(high));
  } else {
    p = WriteUpTo8(p, static_cast<uint32_t>(high / 100000000));
    p = Write8(p, static_cast<uint32_t>(high % 100000000));
  }
  return Write8(p, static_cast<uint32_t>(v % 100000000));
}

[[gnu::always_inline]] inline char* WriteI64(char* p, int64_t v) {
  *p = '-';
  p += v < 0 ? 1 : 0;
  const auto bits = static_cast<uint64_t>(v);
  return WriteU64(p, v < 0 ? 0 - bits : bits);
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
