#pragma once

// The powers of ten that the shortest-text algorithm of doubles_out.h multiplies by.

#include <array>
#include <cstdint>

namespace transcode {

// 10^k = (high * 2^64 + low) * 2^e with the top bit of `high` set, rounded up where it is not
// exact. Error below one unit of `low`.
struct PowerOfTen {
  uint64_t high = 0;
  uint64_t low = 0;
};

inline constexpr int kMinPowerOfTen = -292;
inline constexpr int kMaxPowerOfTen = 324;

// [k - kMinPowerOfTen]
extern const std::array<PowerOfTen, kMaxPowerOfTen - kMinPowerOfTen + 1> kPowersOfTen;

}  // namespace transcode
