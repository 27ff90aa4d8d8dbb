// The texts of numbers, as the plain x86-64 code writes them; that the other instruction sets write
// the same is a gate (conformance/isa_test.cc), and so are 10^8 random doubles.

#define TRANSCODE_ISA plain_test

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "codec/doubles_out.h"

namespace transcode::plain_test {
namespace {

template <class Write, class T>
std::string Text(Write write, T value) {
  char text[64];
  return {text, write(text, value)};
}

std::string I64(int64_t v) {
  return Text([](char* p, int64_t n) { return WriteI64(p, n); }, v);
}
std::string U64(uint64_t v) {
  return Text([](char* p, uint64_t n) { return WriteU64(p, n); }, v);
}
std::string I32(int32_t v) {
  return Text([](char* p, int32_t n) { return WriteI32(p, n); }, v);
}
template <class Float>
std::string Shortest(Float v) {
  return Text([](char* p, Float x) { return WriteFinite(p, x); }, v);
}

// The value and the length of std::to_chars; below 2^53 also the text.
template <class Float>
void ExpectShortest(Float value) {
  char standard[400];
  const auto end = std::to_chars(standard, standard + sizeof(standard), value).ptr;
  const std::string wanted(standard, end);
  const std::string text = Shortest(value);
  if (text == wanted) return;
  ASSERT_EQ(text.size(), wanted.size()) << text << " " << wanted;
  ASSERT_GE(std::fabs(value), Float{9007199254740992} / (sizeof(Float) == 4 ? 536870912 : 1));
  Float back = 0;
  std::from_chars(text.data(), text.data() + text.size(), back);
  ASSERT_EQ(back, value) << text << " " << wanted;
}

TEST(NumbersOut, WholeNumbersAtEveryLength) {
  uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits, power *= 10) {
    for (const uint64_t v : {power - 1, power, power + 1, power * 3 + 7}) {
      EXPECT_EQ(U64(v), std::to_string(v));
      EXPECT_EQ(I64(static_cast<int64_t>(v)), std::to_string(static_cast<int64_t>(v)));
      EXPECT_EQ(I32(static_cast<int32_t>(v)), std::to_string(static_cast<int32_t>(v)));
    }
  }
}

TEST(NumbersOut, WholeNumbersAtTheirLimits) {
  EXPECT_EQ(I32(std::numeric_limits<int32_t>::min()), "-2147483648");
  EXPECT_EQ(I64(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(U64(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
}

TEST(NumbersOut, NotationIsTheShorterOne) {
  EXPECT_EQ(Shortest(0.0), "0");
  EXPECT_EQ(Shortest(-0.0), "-0");
  EXPECT_EQ(Shortest(0.1), "0.1");
  EXPECT_EQ(Shortest(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(Shortest(-1234.5), "-1234.5");
  EXPECT_EQ(Shortest(0.001), "0.001");
  EXPECT_EQ(Shortest(0.0001), "1e-04");
  EXPECT_EQ(Shortest(99999.0), "99999");
  EXPECT_EQ(Shortest(100000.0), "1e+05");
  EXPECT_EQ(Shortest(123456789.0), "123456789");
  EXPECT_EQ(Shortest(1e21), "1e+21");
  EXPECT_EQ(Shortest(5e-324), "5e-324");
  EXPECT_EQ(Shortest(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(Shortest(0.3f), "0.3");
  EXPECT_EQ(Shortest(std::numeric_limits<float>::max()), "3.4028235e+38");
}

// Powers of two have a lower neighbour at half the distance; their neighbours do not.
TEST(NumbersOut, EveryExponent) {
  for (uint64_t exponent = 0; exponent < 2047; ++exponent) {
    for (const uint64_t step : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
      const double value = std::bit_cast<double>((exponent << 52) + step);
      if (std::isfinite(value)) ExpectShortest(value);
    }
  }
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (const uint32_t step : {0u, 1u, ~0u}) {
      const float value = std::bit_cast<float>((exponent << 23) + step);
      if (std::isfinite(value)) ExpectShortest(value);
    }
  }
}

TEST(NumbersOut, RandomDoublesAndFloats) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = random();
    const auto doubled = std::bit_cast<double>(bits);
    const auto single = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isfinite(doubled)) ExpectShortest(doubled);
    if (std::isfinite(single)) ExpectShortest(single);
    ExpectShortest(static_cast<double>(bits % 100000000) / 1000);
    ExpectShortest(static_cast<double>(bits >> (bits & 63)));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace transcode::plain_test
