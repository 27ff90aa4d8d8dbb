#include "base/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace transcode {

namespace {

// From this size on memory is not kept by the buffer that had it, but for whichever needs some
// next. Else it is kept by idle connections where others do the work, and those fault theirs in
// anew for each message. The allocator gives it back when it is freed: see M_MMAP_THRESHOLD.
constexpr size_t kShared = size_t{256} << 10;
// Larger memory is given back.
constexpr size_t kMostKept = size_t{8} << 20;
// The sums, of what is kept for all and of what buffers keep.
constexpr size_t kKeptForAll = size_t{24} << 20;
constexpr size_t kKeptByOne = size_t{8} << 20;
// What grows so far is likely to grow further, and is spared the steps; but a few bytes must not
// occupy megabytes.
constexpr size_t kLeastTaken = size_t{8} << 10;
constexpr size_t kMostRoom = 64;

}  // namespace

// The memory that no buffer has, the latest last.
struct Buffer::Pool {
  struct Block {
    char* data;
    size_t capacity;
  };

  // Never destroyed: buffers of static storage may outlive what is.
  static Pool& Get() {
    static Pool& pool = *new Pool;
    return pool;
  }

  bool Put(Block block) {
    const std::lock_guard lock(mutex);
    if (Kept() + block.capacity > kKeptForAll) return false;
    blocks.push_back(block);
    kept_.fetch_add(block.capacity, std::memory_order_relaxed);
    return true;
  }

  // The latest one, which is most likely in the cache.
  bool Take(size_t least, Block& found) {
    const std::lock_guard lock(mutex);
    const auto at = std::find_if(blocks.rbegin(), blocks.rend(), [least](const Block& block) {
      return block.capacity >= least && block.capacity / kMostRoom <= least;
    });
    if (at == blocks.rend()) return false;
    found = *at;
    blocks.erase(std::next(at).base());
    kept_.fetch_sub(found.capacity, std::memory_order_relaxed);
    return true;
  }

  void Clear() {
    const std::lock_guard lock(mutex);
    for (const Block& block : blocks) std::free(block.data);
    blocks.clear();
    in_use_.fetch_sub(kept_.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }

  std::mutex mutex;
  std::vector<Block> blocks;
};

Buffer::~Buffer() {
  Free();
  delete[] scratch_;
}

void Buffer::Free() {
  if (const size_t counted = Counted(); counted != 0) {
    in_use_.fetch_sub(counted, std::memory_order_relaxed);
  }
  if (data_ != nullptr) std::free(data_ - front_);
  data_ = nullptr;
  size_ = capacity_ = front_ = 0;
}

void Buffer::Grow(size_t extra) {
  const size_t counted = Counted();
  const size_t wanted = std::max({size_ + extra, capacity_ + capacity_ / 2, size_t{256}});
  if (wanted >= kLeastTaken && counted < kShared && GrowIntoKept(size_ + extra)) return;
  // realloc moves large blocks by page tables, not by copying.
  void* data = std::realloc(data_ == nullptr ? nullptr : data_ - front_, front_ + wanted + kSlack);
  if (data == nullptr) throw std::bad_alloc();
  data_ = static_cast<char*>(data) + front_;
  capacity_ = wanted;
  if (Counted() != counted) in_use_.fetch_add(Counted() - counted, std::memory_order_relaxed);
}

bool Buffer::GrowIntoKept(size_t least) {
  Pool::Block block;
  if (!Pool::Get().Take(least, block)) return false;
  const size_t size = size_;
  if (size != 0) std::memcpy(block.data, data_, size);
  Free();
  data_ = block.data;
  size_ = size;
  capacity_ = block.capacity;
  return true;
}

void Buffer::FreeKept() { Pool::Get().Clear(); }

void Buffer::GiveBack() {
  if (scratch_ != nullptr) {
    for (int i = 0; i < kScratches; ++i) scratch_[i].Recycle();
  }
  if (capacity_ >= kShared && capacity_ <= kMostKept && Pool::Get().Put({data_, capacity_})) {
    data_ = nullptr;
    capacity_ = 0;
  } else if (capacity_ >= kShared || (capacity_ >= kLarge && InUse() - Kept() > kKeptByOne)) {
    Free();
  }
}

}  // namespace transcode
