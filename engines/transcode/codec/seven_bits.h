#pragma once

// The groups of seven bits of a varint, between a number and its bytes. Only for sources that are
// compiled per ISA (see isa.h).
//
// What has AVX-512 has PDEP and PEXT in hardware. What has AVX2 may be a Zen 1 or Zen 2, where both
// are microcode and slower than anything else here: three steps of shifts stand for them.

#include <cstdint>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr uint64_t kSevens = 0x7f7f7f7f7f7f7f7f;

#if defined(__AVX512F__)

// The lower 56 bits, seven to a byte; the upper bit of each byte is 0.
[[gnu::always_inline]] inline uint64_t SpreadSevens(uint64_t value) {
  return _pdep_u64(value, kSevens);
}

// The lower seven bits of each byte, without gaps.
[[gnu::always_inline]] inline uint64_t GatherSevens(uint64_t bytes) {
  return _pext_u64(bytes, kSevens);
}

#else

// The lower 56 bits, seven to a byte; the upper bit of each byte is 0.
[[gnu::always_inline]] constexpr uint64_t SpreadSevens(uint64_t value) {
  value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
  value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
  return (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
}

// The lower seven bits of each byte, without gaps.
[[gnu::always_inline]] constexpr uint64_t GatherSevens(uint64_t bytes) {
  bytes = (bytes & 0x007f007f007f007f) | (bytes & 0x7f007f007f007f00) >> 1;
  bytes = (bytes & 0x00003fff00003fff) | (bytes & 0x3fff00003fff0000) >> 2;
  return (bytes & 0x000000000fffffff) | (bytes & 0x0fffffff00000000) >> 4;
}

static_assert(SpreadSevens(~uint64_t{0}) == kSevens);
static_assert(SpreadSevens(0x00fedcba98765432) == 0x7f37172943592832);
static_assert(GatherSevens(0xffb797a9c3d9a8b2) == 0x00fedcba98765432);

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
