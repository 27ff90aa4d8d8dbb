#pragma once

// A growing array of bytes that a caller owns and reuses, so that a call in steady state does not
// allocate. Unlike std::string it can grow without clearing the new bytes.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace transcode {

class Buffer {
 public:
  // Readable and writable bytes that always lie behind the capacity, so that codecs may store
  // whole vectors at the end.
  static constexpr size_t kSlack = 128;

  Buffer() = default;
  explicit Buffer(std::string_view bytes) { Append(bytes); }
  Buffer(const Buffer& other) { Append(other.view()); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        front_(std::exchange(other.front_, 0)),
        scratch_(std::exchange(other.scratch_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    Swap(other);
    return *this;
  }
  ~Buffer();

  const char* data() const { return data_; }
  char* data() { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_, size_}; }

  // Forgets the bytes and keeps the capacity.
  void Clear() { size_ = 0; }
  // As Clear, for a buffer that is not used for a while: a large one is given back, unless all
  // large ones together are little, or kept for any that grows so far.
  void Recycle() {
    Rewind();
    if (capacity_ >= kLarge || scratch_ != nullptr) GiveBack();
  }

  // The memory of all large buffers of the process. The others are not counted, so that a small
  // message touches nothing that threads share.
  static constexpr size_t kLarge = size_t{4} << 10;
  static size_t InUse() { return in_use_.load(std::memory_order_relaxed); }
  // What of it no buffer has at present.
  static size_t Kept() { return kept_.load(std::memory_order_relaxed); }
  // Gives it back.
  static void FreeKept();

  void Append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void Append(char byte) {
    *Reserve(1) = byte;
    ++size_;
  }

  // Removes `count` bytes from the front (moves the rest).
  void Consume(size_t count) {
    size_ -= count;
    if (count != 0) std::memmove(data_, data_ + count, size_);
  }

  // Gives up `count` bytes at the front without moving the rest. Rewind has them again.
  void DropFront(size_t count) {
    data_ += count;
    size_ -= count;
    capacity_ -= count;
    front_ += count;
  }
  // As Clear, with the room that DropFront gave up.
  void Rewind() {
    data_ -= front_;
    capacity_ += front_;
    size_ = front_ = 0;
  }

  // The raw interface of the codecs: makes room for `extra` more bytes (and kSlack behind them)
  // and returns the end of the bytes. The bytes written there count after SetSize.
  char* Reserve(size_t extra) {
    if (size_ + extra > capacity_ || data_ == nullptr) Grow(extra);
    return data_ + size_;
  }
  // size <= capacity() + kSlack must hold, and the bytes must have been written.
  void SetSize(size_t size) { size_ = size; }

  void Swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(front_, other.front_);
    std::swap(scratch_, other.scratch_);
  }

  // Further buffers, 0..kScratches-1, that codecs use while they fill this one. They live as
  // long as this one, so that their capacity is reused too. Their content means nothing.
  static constexpr int kScratches = 3;
  Buffer& scratch(int index) {
    if (scratch_ == nullptr) scratch_ = new Buffer[kScratches];
    return scratch_[index];
  }

 private:
  struct Pool;

  void Grow(size_t extra);
  bool GrowIntoKept(size_t least);
  void GiveBack();
  void Free();
  // What this buffer adds to InUse().
  size_t Counted() const { return front_ + capacity_ >= kLarge ? front_ + capacity_ : 0; }

  static inline std::atomic<size_t> in_use_{0};
  static inline std::atomic<size_t> kept_{0};

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t front_ = 0;  // bytes before data_ that belong to the allocation
  Buffer* scratch_ = nullptr;
};

}  // namespace transcode
