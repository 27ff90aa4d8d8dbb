// Doubles and floats are written with the fewest digits that read back as the same value: as many
// as std::to_chars writes, and as near to the value. TRANSCODE_TEST_LONG=1 takes 10^8 instead of
// 10^6 of each.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "codec/json_to_proto.h"
#include "codec/proto_to_json.h"
#include "conformance/oracle.h"
#include "conformance/random_message.h"

namespace transcode::conformance {
namespace {

size_t Count() { return std::getenv("TRANSCODE_TEST_LONG") != nullptr ? 100000000 : 1000000; }
constexpr size_t kBatch = 4096;

// What a number says without its notation: digits without leading or trailing zeros, and the
// power of ten of the last one. "1e21", "1000000000000000000000" and "1.0E+21" are the same.
struct Digits {
  bool negative = false;
  std::string digits;
  int exponent = 0;
  bool operator==(const Digits&) const = default;
};

Digits DigitsOf(std::string_view text) {
  Digits number;
  bool point = false;
  size_t i = 0;
  if (i < text.size() && text[i] == '-') number.negative = ++i > 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      point = true;
    } else {
      number.digits.push_back(text[i]);
      number.exponent -= point ? 1 : 0;
    }
  }
  if (i < text.size()) number.exponent += std::atoi(std::string(text.substr(i + 1)).c_str());
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  while (!number.digits.empty() && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  if (number.digits.empty()) number.exponent = 0;
  return number;
}

// A message of one packed field.
template <class T>
std::string Packed(int field, const std::vector<T>& values) {
  std::string wire(1, static_cast<char>(field << 3 | 2));
  for (size_t size = values.size() * sizeof(T);; size >>= 7) {
    wire.push_back(static_cast<char>((size & 127) | (size > 127 ? 128 : 0)));
    if (size <= 127) break;
  }
  wire.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return wire;
}

// Prints the values and compares every text with std::to_chars, then reads all back.
template <class T>
void Check(int field, const std::vector<T>& values) {
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Repeateds");
  const std::string wire = Packed(field, values);
  Buffer json, back;
  ASSERT_TRUE(ProtoToJson(type, wire, json).ok());
  std::string_view text = json.view();
  text.remove_prefix(text.find('[') + 1);
  for (const T value : values) {
    const std::string_view printed = text.substr(0, text.find_first_of(",]"));
    text.remove_prefix(printed.size() + 1);
    char shortest[32];  // in scientific form: the plain one writes all digits of whole numbers
    const auto end =
        std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific)
            .ptr;
    const std::string_view wanted(shortest, static_cast<size_t>(end - shortest));
    ASSERT_EQ(DigitsOf(printed), DigitsOf(wanted)) << printed << " instead of " << wanted;
    ASSERT_LE(printed.size(), 25u) << printed;
  }
  ASSERT_TRUE(JsonToProto(type, json.view(), back).ok());
  ASSERT_TRUE(back.view() == wire) << json.view();
}

template <class T, class Bits>
std::vector<T> Hard() {
  std::vector<T> values = {std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::denorm_min(),
                           T(0),
                           T(-0.0),
                           T(1),
                           T(0.1),
                           T(9007199254740993),
                           T(1e21),
                           T(1e22),
                           T(1e23),
                           T(5e-324),
                           T(123456789)};
  for (int power = std::numeric_limits<T>::min_exponent10 - 8;
       power <= std::numeric_limits<T>::max_exponent10; ++power) {
    const T value = static_cast<T>(std::strtod(("1e" + std::to_string(power)).c_str(), nullptr));
    values.push_back(value);
    values.push_back(std::nextafter(value, T(0)));
    values.push_back(std::nextafter(value, std::numeric_limits<T>::max()));
  }
  for (size_t bit = 0; bit < sizeof(T) * 8 - 1; ++bit) {  // powers of two, and their neighbours
    for (int delta = -1; delta <= 1; ++delta) {
      const T value = std::bit_cast<T>(static_cast<Bits>((Bits{1} << bit) + Bits(delta)));
      if (std::isfinite(value)) values.push_back(value);
    }
  }
  for (int exponent = std::numeric_limits<T>::min_exponent;
       exponent < std::numeric_limits<T>::max_exponent; ++exponent) {
    values.push_back(std::ldexp(T(1), exponent));
    values.push_back(std::nextafter(std::ldexp(T(1), exponent), T(0)));
  }
  return values;
}

TEST(Shortest, HardDoubles) { Check<double>(1, Hard<double, uint64_t>()); }
TEST(Shortest, HardFloats) { Check<float>(2, Hard<float, uint32_t>()); }

TEST(Shortest, RandomDoubles) {
  Random random(1);
  std::vector<double> values;
  for (size_t left = Count(); left > 0; --left) {
    double value = std::bit_cast<double>(random.Next());
    if (random.OneIn(4))
      value = static_cast<double>(static_cast<int64_t>(random.Next()) >> 20) / 1000;
    if (std::isfinite(value)) values.push_back(value);
    if (values.size() < kBatch && left > 1) continue;
    Check(1, values);
    if (HasFatalFailure()) return;
    values.clear();
  }
}

TEST(Shortest, RandomFloats) {
  Random random(2);
  std::vector<float> values;
  for (size_t left = Count(); left > 0; --left) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(random.Next()));
    if (std::isfinite(value)) values.push_back(value);
    if (values.size() < kBatch && left > 1) continue;
    Check(2, values);
    if (HasFatalFailure()) return;
    values.clear();
  }
}

// The exact decimal text of a number in [2^53, 2^54) + 1, halfway between two doubles.
std::string Halfway(Random& random) {
  return std::to_string((uint64_t{1} << 53) + 2 * random.Below(uint64_t{1} << 52) + 1);
}

// Texts of many digits, halfway cases among them, read as std::from_chars reads them.
TEST(Shortest, LongTextsReadAsFromChars) {
  Random random(3);
  const Message& type = *CorpusOracle().schema().FindMessage("tc.v1.Scalars");
  for (size_t left = Count() / 10; left > 0; --left) {
    std::string text;
    const uint64_t digits = 1 + random.Below(random.OneIn(10) ? 800 : 25);
    for (uint64_t i = 0; i < digits; ++i) {
      text.push_back(static_cast<char>('0' + random.Below(10)));
      if (i == 0 && (text[0] == '0' || random.OneIn(2)) && digits > 1) text.push_back('.');
    }
    if (random.OneIn(4)) text = Halfway(random);
    if (random.OneIn(2)) {
      text += "e" + std::to_string(static_cast<int>(random.Below(640)) - 330);
    }
    double wanted = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), wanted);
    Buffer out;
    const std::string json = "{\"fDouble\":" + text + "}";
    const Result<> read = JsonToProto(type, json, out);
    if (result.ec == std::errc::result_out_of_range && std::strtod(text.c_str(), nullptr) != 0) {
      EXPECT_FALSE(read.ok()) << text;  // overflow
      continue;
    }
    ASSERT_TRUE(read.ok()) << text << " " << read.error().ToString();
    double got = 0;
    if (out.size() == 9) std::memcpy(&got, out.data() + 1, 8);
    if (result.ec == std::errc::result_out_of_range) wanted = std::strtod(text.c_str(), nullptr);
    ASSERT_EQ(got, wanted) << text;
  }
}

}  // namespace
}  // namespace transcode::conformance
