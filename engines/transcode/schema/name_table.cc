#include "schema/name_table.h"

#include <bit>

namespace transcode {

void NameTable::Build(const std::vector<std::string_view>& names,
                      const std::vector<uint32_t>& numbers) {
  slots_.clear();
  if (names.empty()) return;
  constexpr int kSeeds = 32;
  const size_t smallest = std::bit_ceil(names.size() * 2);
  const size_t largest = names.size() <= 1024 ? smallest * 8 : smallest;
  for (size_t size = smallest; size <= largest; size *= 2) {
    for (int attempt = 0; attempt < kSeeds; ++attempt) {
      seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
      mask_ = size - 1;
      shift_ = 64 - std::countr_zero(size);
      std::vector<Slot> slots(size);
      bool collided = false;
      for (size_t i = 0; i < names.size(); ++i) {
        size_t at = Hash(names[i], seed_) >> shift_;
        while (slots[at].number != kNotFound) {
          collided = true;
          at = (at + 1) & mask_;
        }
        slots[at] = {names[i].data(), static_cast<uint32_t>(names[i].size()), numbers[i]};
      }
      slots_.swap(slots);
      if (!collided) return;
      if (size == largest && names.size() > 1024) return;
    }
  }
}

}  // namespace transcode
