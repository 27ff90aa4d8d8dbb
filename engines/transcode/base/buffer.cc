#include "base/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace transcode {

Buffer::~Buffer() {
  std::free(data_);
  delete[] scratch_;
}

void Buffer::Grow(size_t extra) {
  const size_t wanted = std::max({size_ + extra, capacity_ + capacity_ / 2, size_t{256}});
  // realloc moves large blocks by page tables, not by copying.
  void* data = std::realloc(data_, wanted + kSlack);
  if (data == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(data);
  capacity_ = wanted;
}

}  // namespace transcode
