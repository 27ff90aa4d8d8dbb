// Counts the allocations of the process. glibc lets a program define malloc and its kin and still
// offers its own under other names; operator new ends in malloc.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "bench/shot.h"

namespace {

std::atomic<uint64_t> allocations;

// Benches have one thread, so that the dearer fetch_add is not needed.
void Count() {
  allocations.store(allocations.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

namespace transcode::bench {

uint64_t Allocations() { return allocations.load(std::memory_order_relaxed); }

}  // namespace transcode::bench

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  Count();
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  Count();
  return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
  Count();
  return __libc_realloc(old, size);
}

void* memalign(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  *out = memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}

}  // extern "C"
