#pragma once

// A read-only map from names to small numbers: open addressing over a seeded hash. The builder
// tries seeds and sizes until every name sits in its own slot, so a lookup is one hash and one
// comparison; for the odd name set that has no such seed, neighbouring slots are probed.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace transcode {

class NameTable {
 public:
  static constexpr uint32_t kNotFound = 0xffffffff;

  // Names must be distinct and outlive the table. The number of a name is its index.
  void Build(const std::vector<std::string_view>& names, const std::vector<uint32_t>& numbers);

  [[gnu::always_inline]] inline uint32_t Find(std::string_view name) const {
    if (slots_.empty()) return kNotFound;
    const uint64_t hash = Hash(name, seed_);
    for (size_t at = hash >> shift_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_.data()[at];
      if (slot.number == kNotFound) return kNotFound;
      if (slot.size == name.size() && std::memcmp(slot.text, name.data(), name.size()) == 0) {
        return slot.number;
      }
    }
  }

 private:
  struct Slot {
    const char* text = nullptr;
    uint32_t size = 0;
    uint32_t number = kNotFound;
  };

  template <class T>
  [[gnu::always_inline]] static inline uint64_t Load(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }

  [[gnu::always_inline]] static inline uint64_t Hash(std::string_view name, uint64_t seed) {
    const char* p = name.data();
    const size_t n = name.size();
    uint64_t a = 0;
    uint64_t b = 0;
    if (n >= 8) {
      b = Load<uint64_t>(p + n - 8);
      for (size_t i = 0; i + 8 < n; i += 8) a = (a ^ Load<uint64_t>(p + i)) * kMultiplier;
    } else if (n >= 4) {
      a = Load<uint32_t>(p);
      b = Load<uint32_t>(p + n - 4);
    } else if (n > 0) {
      a = static_cast<uint8_t>(p[0]);
      b = (Load<uint8_t>(p + n / 2) << 8) | Load<uint8_t>(p + n - 1);
    }
    const uint64_t h = (a ^ (b << 29) ^ (b >> 35) ^ (n << 56)) * (seed | 1);
    return (h ^ (h >> 31)) * kMultiplier;
  }

  static constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;

  std::vector<Slot> slots_;  // a power of two, at least twice as many as names
  uint64_t seed_ = 0;
  size_t mask_ = 0;
  int shift_ = 0;
};

}  // namespace transcode
