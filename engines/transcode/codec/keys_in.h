#pragma once

// The keys that an open map has had, to find duplicates. The keys stand in the output; up to 8
// are compared one by one, more are kept in a hash table on a stack that the output's owner keeps.

#include "codec/parse_state.h"

namespace transcode::TRANSCODE_ISA {
namespace {

class KeySet {
 public:
  explicit KeySet(State& s) : tables_(s.job->tables), start_(tables_->size()) {}
  ~KeySet() { tables_->SetSize(start_); }
  KeySet(const KeySet&) = delete;
  KeySet& operator=(const KeySet&) = delete;

  // Adds the `size` bytes at `position` of the output. False: they were there before.
  TRANSCODE_INLINE bool Add(const State& s, size_t position, size_t size) {
    const Key key{static_cast<uint32_t>(position), static_cast<uint32_t>(size)};
    if (count_ < kFew) {
      for (uint32_t i = 0; i < count_; ++i) {
        if (Same(s, few_[i], key)) return false;
      }
      few_[count_++] = key;
      return true;
    }
    return AddToTable(s, key);
  }

 private:
  static constexpr uint32_t kFew = 8;
  static constexpr uint32_t kNone = 0xffffffff;

  struct Key {
    uint32_t position;
    uint32_t size;
  };

  TRANSCODE_INLINE static bool Same(const State& s, Key a, Key b) {
    return a.size == b.size && std::memcmp(s.base + a.position, s.base + b.position, a.size) == 0;
  }

  // Multiplies to 128 bits, which mixes well under a seed that nobody knows.
  TRANSCODE_INLINE static uint64_t Mix(uint64_t a, uint64_t b) {
    __extension__ const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  TRANSCODE_INLINE static uint64_t Hash(const State& s, Key key) {
    const char* p = s.base + key.position;
    uint64_t hash = kHashSeed ^ key.size;
    size_t left = key.size;
    for (; left > 8; left -= 8, p += 8) hash = Mix(hash ^ Load<uint64_t>(p), kSecret);
    uint64_t tail = 0;
    std::memcpy(&tail, p, left);
    return Mix(hash ^ tail, kSecret ^ kHashSeed);
  }

  TRANSCODE_INLINE Key* Slots() const { return reinterpret_cast<Key*>(tables_->data() + start_); }

  TRANSCODE_INLINE void Insert(const State& s, Key key) {
    size_t at = Hash(s, key) & (capacity_ - 1);
    while (Slots()[at].size != kNone) at = (at + 1) & (capacity_ - 1);
    Slots()[at] = key;
  }

  [[gnu::noinline]] bool AddToTable(const State& s, Key key) {
    if (count_ >= capacity_ / 2) Enlarge(s);
    size_t at = Hash(s, key) & (capacity_ - 1);
    for (; Slots()[at].size != kNone; at = (at + 1) & (capacity_ - 1)) {
      if (Same(s, Slots()[at], key)) return false;
    }
    Slots()[at] = key;
    ++count_;
    return true;
  }

  // The new table is built behind the old one and then moved over it. All tables above ours on
  // the stack are gone by now.
  [[gnu::noinline]] void Enlarge(const State& s) {
    const size_t old = capacity_;
    const size_t capacity = old == 0 ? 4 * kFew : old * 4;
    GrowOutput(*tables_, start_ + old * sizeof(Key), capacity * sizeof(Key));
    Key* const slots = Slots();
    Key* const fresh = slots + old;
    std::memset(fresh, 0xff, capacity * sizeof(Key));
    capacity_ = capacity;
    const size_t start = start_;
    start_ += old * sizeof(Key);
    for (uint32_t i = 0; i < (old == 0 ? count_ : 0); ++i) Insert(s, few_[i]);
    for (size_t i = 0; i < old; ++i) {
      if (slots[i].size != kNone) Insert(s, slots[i]);
    }
    start_ = start;
    std::memmove(slots, fresh, capacity * sizeof(Key));
    tables_->SetSize(start_ + capacity * sizeof(Key));
  }

  static constexpr uint64_t kSecret = 0xa0761d6478bd642f;

  Buffer* tables_;
  size_t start_;
  size_t capacity_ = 0;  // slots of the table, a power of two
  uint32_t count_ = 0;
  Key few_[kFew];
};

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
