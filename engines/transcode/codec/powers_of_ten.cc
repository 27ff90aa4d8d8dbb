#include "codec/powers_of_ten.h"

#include <bit>
#include <cstddef>

namespace transcode {
namespace {

// A whole number of 1,024 bits, least significant word first: enough for 5^324 (753 bits), and for
// 2^1023 / 5^292 to keep 345 bits.
struct Large {
  std::array<uint32_t, 32> words{};

  constexpr void TimesFive() {
    uint64_t carry = 0;
    for (uint32_t& word : words) {
      carry += uint64_t{word} * 5;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }

  constexpr void OverFive() {
    uint64_t rest = 0;
    for (size_t i = words.size(); i-- > 0;) {
      rest = rest << 32 | words[i];
      words[i] = static_cast<uint32_t>(rest / 5);
      rest %= 5;
    }
  }

  // The top 128 bits, rounded up if a bit is lost or `inexact`.
  constexpr PowerOfTen Top(bool inexact) const {
    size_t top = words.size() - 1;
    while (words[top] == 0) --top;
    const int shift = std::countl_zero(words[top]);
    const auto word = [&](size_t back) { return back > top ? uint64_t{0} : words[top - back]; };
    const auto shifted = [&](size_t back) {
      return ((word(back) << 32 | word(back + 1)) << shift >> 32) & 0xffffffff;
    };
    PowerOfTen result{shifted(0) << 32 | shifted(1), shifted(2) << 32 | shifted(3)};
    bool lost = inexact || (word(4) << shift & 0xffffffff) != 0;
    for (size_t back = 5; back <= top; ++back) lost = lost || word(back) != 0;
    if (lost && ++result.low == 0) ++result.high;
    return result;
  }
};

// 10^k and 5^k have the same leading bits, and so have 10^-k and 2^n / 5^k.
constexpr auto MakePowersOfTen() {
  std::array<PowerOfTen, kMaxPowerOfTen - kMinPowerOfTen + 1> table;
  Large positive;
  positive.words[0] = 1;
  for (int k = 0; k <= kMaxPowerOfTen; ++k) {
    table[static_cast<size_t>(k - kMinPowerOfTen)] = positive.Top(false);
    positive.TimesFive();
  }
  Large negative;
  negative.words[31] = 0x80000000;
  for (int k = -1; k >= kMinPowerOfTen; --k) {
    negative.OverFive();
    table[static_cast<size_t>(k - kMinPowerOfTen)] = negative.Top(true);
  }
  return table;
}

}  // namespace

constinit const std::array<PowerOfTen, kMaxPowerOfTen - kMinPowerOfTen + 1> kPowersOfTen =
    MakePowersOfTen();

}  // namespace transcode
