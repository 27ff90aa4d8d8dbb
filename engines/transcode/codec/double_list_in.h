#pragma once

// Doubles of a list: the digits on both sides of the point come together in one vector that ends
// where the number ends, and are converted at once.

#include "codec/plain_list_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

#if defined(__AVX2__)

TRANSCODE_INLINE __m256i LoadEdge(size_t at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kEdgeBytes.bytes + at));
}

// The number of the `size` (1..20) digits, with a point between them or not, before `end`, where 33
// bytes are readable. False: it is none, or has more than 19 digits, or an exponent.
TRANSCODE_INLINE bool ReadPlainDecimal(const char* end, size_t size, Decimal* decimal) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(end - 32));
  const __m256i before = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(end - 33));
  const __m256i points = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.'));
  const uint32_t found = static_cast<uint32_t>(_mm256_movemask_epi8(points)) >> (32 - size);
  // Digits behind the point, and all digits. A point at either end is no number.
  const size_t behind = found == 0 ? 0 : size - 1 - static_cast<size_t>(std::countr_zero(found));
  const size_t count = size - (found != 0);
  if ((found & (uint32_t{1} | uint32_t{1} << (size - 1))) != 0 || count > 19) return false;
  // Those up to the point come from one place before.
  const __m256i moved = LoadEdge(found == 0 ? 64 : 32 + behind);
  const __m256i together = _mm256_blendv_epi8(bytes, before, moved);
  const __m256i digits =
      _mm256_and_si256(_mm256_sub_epi8(together, _mm256_set1_epi8('0')), LoadEdge(count));
  const __m256i nine = _mm256_set1_epi8(9);
  if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(digits, nine), nine)) != -1) {
    return false;
  }
  const __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010a));
  const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00010064));
  const __m256i packed = _mm256_packus_epi32(fours, fours);
  const __m256i eights = _mm256_madd_epi16(packed, _mm256_set1_epi32(0x00012710));
  const uint64_t high = static_cast<uint64_t>(_mm256_extract_epi64(eights, 0));
  const uint64_t low = static_cast<uint64_t>(_mm256_extract_epi64(eights, 2));
  const uint64_t sixteen = (low & 0xffffffff) * 100000000 + (low >> 32);
  decimal->mantissa = (high >> 32) * 10000000000000000 + sixteen;
  decimal->exponent = -static_cast<int64_t>(behind);
  return true;
}

struct PlainDouble {
  const char* begin;  // of the text

  TRANSCODE_INLINE bool operator()(const PlainElement& e, char** o) const {
    const size_t size = static_cast<size_t>(e.end - e.begin);
    Decimal d{0, 0, e.negative, true, nullptr};
    double value;
    if (size - 1 >= 20 || e.end - begin < 33) [[unlikely]]
      return false;
    if (!ReadPlainDecimal(e.end, size, &d)) [[unlikely]]
      return false;
    if (*e.begin == '0' && size > 1 && e.begin[1] != '.') [[unlikely]]
      return false;
    if (!NearestDouble(d, &value)) [[unlikely]] {
      if (!IsExact(d)) return false;
      value = ExactDouble(d);
    }
    Store(*o, value);
    *o += 8;
    return true;
  }
};

[[gnu::noinline]] Cursor ParsePlainDoubles(State& s, Cursor c, PlainRun* run) {
  return ParsePlainList(s, c, run, PlainDouble{s.job->begin});
}

#else

TRANSCODE_INLINE Cursor ParsePlainDoubles(State&, Cursor c, PlainRun*) { return c; }

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
