#pragma once

// The vector operations of the parser, one set for each ISA. Only for sources that are compiled
// per ISA (see isa.h); everything has internal linkage.
//
// A block is kBlock bytes; a mask has one bit for each byte of it, the first byte lowest.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace transcode::TRANSCODE_ISA {
namespace {

#define TRANSCODE_INLINE [[gnu::always_inline]] inline
#define TRANSCODE_COLD [[gnu::noinline, gnu::cold]]

template <class T>
TRANSCODE_INLINE T Load(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

template <class T>
TRANSCODE_INLINE void Store(char* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

template <class T>
TRANSCODE_INLINE T Min(T a, T b) {
  return a < b ? a : b;
}

// What a block of a string holds.
struct StringMasks {
  uint64_t stops;      // '"', '\\' and bytes below 0x20
  uint64_t non_ascii;  // bytes above 0x7f
};

#if defined(__AVX2__)

// A load of 32 bytes at n has 0xff in the last n bytes; one at 32 + n in all but the last n.
struct EdgeBytes {
  uint8_t bytes[96] = {};
  constexpr EdgeBytes() {
    for (int i = 32; i < 64; ++i) bytes[i] = 0xff;
  }
};
alignas(64) constexpr EdgeBytes kEdgeBytes;

#endif

#if defined(__AVX512BW__)

using Block = __m512i;

TRANSCODE_INLINE Block LoadBlock(const char* from) { return _mm512_loadu_si512(from); }

TRANSCODE_INLINE void StoreBlock(char* to, Block bytes) { _mm512_storeu_si512(to, bytes); }

TRANSCODE_INLINE StringMasks MasksOf(Block bytes) {
  return {_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"')) |
              _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\')) |
              _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)),
          _mm512_movepi8_mask(bytes)};
}

TRANSCODE_INLINE StringMasks CopyHalfBlock(const char* from, char* to) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
  return {static_cast<uint64_t>(_mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8('"')) |
                                _mm256_cmpeq_epi8_mask(bytes, _mm256_set1_epi8('\\')) |
                                _mm256_cmplt_epu8_mask(bytes, _mm256_set1_epi8(0x20))),
          _mm256_movepi8_mask(bytes)};
}

// Bytes that are not JSON white space.
TRANSCODE_INLINE uint64_t NonSpaceMask(const char* from) {
  const Block bytes = LoadBlock(from);
  return ~(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' ')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r')) |
           _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\t')));
}

// ',' and ']'.
TRANSCODE_INLINE uint64_t ListMask(const char* from) {
  const Block bytes = LoadBlock(from);
  return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(',')) |
         _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(']'));
}

// Whether the `size` bytes at p are those at key, behind which 64 bytes are readable.
TRANSCODE_INLINE bool SameKey(const char* p, const char* key, size_t size) {
  if (size > 64) return std::memcmp(p, key, size) == 0;
  const __mmask64 mask = _bzhi_u64(~uint64_t{0}, static_cast<unsigned>(size));
  const __m512i bytes = _mm512_maskz_loadu_epi8(mask, p);
  return _mm512_mask_cmpneq_epu8_mask(mask, bytes, _mm512_loadu_si512(key)) == 0;
}

#elif defined(__AVX2__)

using Block = __m256i;

TRANSCODE_INLINE Block LoadBlock(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

TRANSCODE_INLINE void StoreBlock(char* to, Block bytes) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}

TRANSCODE_INLINE uint64_t MoveMask(__m256i bytes) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
}

TRANSCODE_INLINE StringMasks MasksOf(Block bytes) {
  const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1f)), bytes);
  return {
      MoveMask(_mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')),
                                               _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'))),
                               control)),
      MoveMask(bytes)};
}

TRANSCODE_INLINE uint64_t NonSpaceMask(const char* from) {
  const Block bytes = LoadBlock(from);
  return static_cast<uint32_t>(~MoveMask(
      _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(' ')),
                                      _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'))),
                      _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\r')),
                                      _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\t'))))));
}

TRANSCODE_INLINE uint64_t ListMask(const char* from) {
  const Block bytes = LoadBlock(from);
  return MoveMask(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(',')),
                                  _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(']'))));
}

#else

using Block = uint64_t;

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighs = 0x8080808080808080;

// The high bit of each byte, as a mask of 8 bits.
TRANSCODE_INLINE uint64_t HighBits(uint64_t bytes) {
  return ((bytes & kHighs) >> 7) * 0x0102040810204080 >> 56;
}

// 0x80 in each byte of `bytes` (all below 0x80) that equals c.
TRANSCODE_INLINE uint64_t EqualBytes(uint64_t bytes, uint8_t c) {
  return ~(((bytes ^ (kOnes * c)) & ~kHighs) + ~kHighs) & kHighs;
}

TRANSCODE_INLINE Block LoadBlock(const char* from) {
  static_assert(std::endian::native == std::endian::little);
  return Load<Block>(from);
}

TRANSCODE_INLINE void StoreBlock(char* to, Block bytes) { Store(to, bytes); }

TRANSCODE_INLINE StringMasks MasksOf(Block bytes) {
  const uint64_t ascii = ~bytes & kHighs;
  const uint64_t low = bytes & ~kHighs;
  const uint64_t control = ~(low + kOnes * 0x60) & kHighs;
  return {HighBits((EqualBytes(low, '"') | EqualBytes(low, '\\') | control) & ascii),
          HighBits(bytes)};
}

TRANSCODE_INLINE uint64_t NonSpaceMask(const char* from) {
  const Block bytes = LoadBlock(from);
  const uint64_t low = bytes & ~kHighs;
  const uint64_t space =
      EqualBytes(low, ' ') | EqualBytes(low, '\n') | EqualBytes(low, '\r') | EqualBytes(low, '\t');
  return HighBits(~(space & ~bytes & kHighs));
}

TRANSCODE_INLINE uint64_t ListMask(const char* from) {
  const Block bytes = LoadBlock(from);
  const uint64_t low = bytes & ~kHighs;
  return HighBits((EqualBytes(low, ',') | EqualBytes(low, ']')) & ~bytes & kHighs);
}

#endif

constexpr size_t kBlock = sizeof(Block);

TRANSCODE_INLINE StringMasks CopyBlock(const char* from, char* to) {
  const Block bytes = LoadBlock(from);
  StoreBlock(to, bytes);
  return MasksOf(bytes);
}

#if defined(__AVX512VBMI__)

// The high bit of byte c: whether c, which is ASCII, is a stop.
struct StopTable {
  alignas(64) uint8_t bytes[128] = {};
  constexpr StopTable() {
    for (int c = 0; c < 0x20; ++c) bytes[c] = 0x80;
    bytes[static_cast<int>('"')] = bytes[static_cast<int>('\\')] = 0x80;
  }
};
constexpr StopTable kStopTable;

// Adds to `stops` and `non_ascii` bytes whose high bit says it.
TRANSCODE_INLINE void AddMarks(Block bytes, Block& stops, Block& non_ascii) {
  const Block low = _mm512_load_si512(kStopTable.bytes);
  const Block high = _mm512_load_si512(kStopTable.bytes + 64);
  const Block marks = _mm512_permutex2var_epi8(low, bytes, high);  // by the low 7 bits
  stops = _mm512_ternarylogic_epi64(stops, marks, bytes, 0xf4);    // stops | (marks & ~bytes)
  non_ascii = _mm512_or_si512(non_ascii, bytes);
}

#endif

// Four blocks, of whose masks it only says whether they are zero. Nothing is stored before all is
// read: a load waits for a store before it that is at the same place of another page.
TRANSCODE_INLINE StringMasks CopyFourBlocks(const char* from, char* to) {
  Block bytes[4];
  for (size_t i = 0; i < 4; ++i) bytes[i] = LoadBlock(from + i * kBlock);
  for (size_t i = 0; i < 4; ++i) StoreBlock(to + i * kBlock, bytes[i]);
#if defined(__AVX512VBMI__)
  Block stops = _mm512_setzero_si512();
  Block non_ascii = stops;
  for (const Block block : bytes) AddMarks(block, stops, non_ascii);
  return {_mm512_movepi8_mask(stops), _mm512_movepi8_mask(non_ascii)};
#else
  StringMasks all = {0, 0};
  for (const Block block : bytes) {
    const StringMasks masks = MasksOf(block);
    all.stops |= masks.stops;
    all.non_ascii |= masks.non_ascii;
  }
  return all;
#endif
}

TRANSCODE_INLINE StringMasks ScanBlock(const char* from) { return MasksOf(LoadBlock(from)); }

#if !defined(__AVX512BW__)

TRANSCODE_INLINE bool SameKey(const char* p, const char* key, size_t size) {
  if (size >= 16) return std::memcmp(p, key, size) == 0;
  if (size >= 8) {
    return ((Load<uint64_t>(p) ^ Load<uint64_t>(key)) |
            (Load<uint64_t>(p + size - 8) ^ Load<uint64_t>(key + size - 8))) == 0;
  }
  // The shortest key is "":
  if (size < 4) return std::memcmp(p, key, size) == 0;
  return ((Load<uint32_t>(p) ^ Load<uint32_t>(key)) |
          (Load<uint32_t>(p + size - 4) ^ Load<uint32_t>(key + size - 4))) == 0;
}

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
