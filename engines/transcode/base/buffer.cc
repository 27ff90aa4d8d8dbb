#include "base/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace transcode {

Buffer::~Buffer() {
  if (data_ != nullptr) std::free(data_ - front_);
  delete[] scratch_;
}

void Buffer::Grow(size_t extra) {
  const size_t wanted = std::max({size_ + extra, capacity_ + capacity_ / 2, size_t{256}});
  // realloc moves large blocks by page tables, not by copying.
  void* data = std::realloc(data_ == nullptr ? nullptr : data_ - front_, front_ + wanted + kSlack);
  if (data == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(data) + front_;
  capacity_ = wanted;
}

}  // namespace transcode
