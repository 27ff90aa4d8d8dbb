#include "base/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace transcode {

namespace {

// What a buffer may keep while it is not used, and up to which sum of all.
constexpr size_t kKept = size_t{4} << 20;
constexpr size_t kKeptInAll = size_t{32} << 20;

}  // namespace

Buffer::~Buffer() {
  if (const size_t counted = Counted(); counted != 0) {
    in_use_.fetch_sub(counted, std::memory_order_relaxed);
  }
  if (data_ != nullptr) std::free(data_ - front_);
  delete[] scratch_;
}

void Buffer::Grow(size_t extra) {
  const size_t counted = Counted();
  const size_t wanted = std::max({size_ + extra, capacity_ + capacity_ / 2, size_t{256}});
  // realloc moves large blocks by page tables, not by copying.
  void* data = std::realloc(data_ == nullptr ? nullptr : data_ - front_, front_ + wanted + kSlack);
  if (data == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(data) + front_;
  capacity_ = wanted;
  if (Counted() != counted) in_use_.fetch_add(Counted() - counted, std::memory_order_relaxed);
}

void Buffer::GiveBack() {
  if (capacity_ >= kLarge && (capacity_ > kKept || InUse() > kKeptInAll)) {
    *this = Buffer();
  } else if (scratch_ != nullptr) {
    for (int i = 0; i < kScratches; ++i) scratch_[i].Recycle();
  }
}

}  // namespace transcode
