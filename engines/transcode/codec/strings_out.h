#pragma once

// Text between quotes: copied by whole vectors while nothing in it needs an escape.
//
// For the sources that are compiled once for each instruction set. CopyText copies `size` bytes of
// text from `s` to `p` with the escapes of JSON. It may store 64 bytes behind the text, and it may
// read up to `readable`. It stops before it has to store beyond `limit` - 512 and before bytes that
// are not ASCII as long as `checked` is false: `s` is then the first byte that is not yet copied.

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace transcode::TRANSCODE_ISA {
namespace {

struct Escape {
  char text[8];
  uint8_t size;
};

// For '"', '\\' and the control characters.
constexpr std::array<Escape, 128> kEscapes = [] {
  std::array<Escape, 128> table{};
  constexpr char kHex[] = "0123456789abcdef";
  for (size_t c = 0; c < 128; ++c) {
    table[c] = {{'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15], 0, 0}, 6};
  }
  constexpr char kShort[][2] = {{'"', '"'},  {'\\', '\\'}, {'\b', 'b'}, {'\f', 'f'},
                                {'\n', 'n'}, {'\r', 'r'},  {'\t', 't'}};
  for (const auto& [c, name] : kShort) {
    table[static_cast<size_t>(c)] = {{'\\', name, 0, 0, 0, 0, 0, 0}, 2};
  }
  return table;
}();

struct Text {
  const uint8_t* s;
  const uint8_t* end;
  const uint8_t* readable;  // bytes before it may be read
};

[[gnu::always_inline]] inline char* WriteEscape(char* p, uint8_t c) {
  const Escape& escape = kEscapes[c];
  std::memcpy(p, escape.text, 8);
  return p + escape.size;
}

#if defined(__AVX512VBMI2__)

// Bit i: byte i of the block is to be escaped, or is not ASCII and not yet checked.
template <bool kChecked>
[[gnu::always_inline]] inline uint64_t Special(__m512i x) {
  const __m512i blank = _mm512_set1_epi8(' ');
  // As signed numbers the bytes above 0x7f are below the blank, too.
  const __mmask64 low =
      kChecked ? _mm512_cmplt_epu8_mask(x, blank) : _mm512_cmplt_epi8_mask(x, blank);
  return low | _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('"')) |
         _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\\'));
}

constexpr size_t kBlock = 64;

// Copies a block. Returns Special of it.
template <bool kChecked>
[[gnu::always_inline]] inline uint64_t CopyBlock(char* p, const uint8_t* s) {
  const __m512i x = _mm512_loadu_si512(s);
  _mm512_storeu_si512(p, x);
  return Special<kChecked>(x);
}

[[gnu::always_inline]] inline size_t FirstSpecial(uint64_t mask) {
  return static_cast<size_t>(std::countr_zero(mask));
}

// Up to 32 bytes whose escapes have two characters: every byte becomes two, then the unwanted ones
// are squeezed out.
[[gnu::always_inline]] inline char* Expand(char* p, __m256i x, uint32_t wanted, uint32_t special) {
  const __m256i names = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'b', 't', 'n', 0, 'f', 'r', 0, 0));
  const __mmask32 control = _mm256_cmplt_epu8_mask(x, _mm256_set1_epi8(' '));
  const __m256i second = _mm256_mask_shuffle_epi8(x, control, names, x);
  const __m512i escaped =
      _mm512_or_si512(_mm512_slli_epi16(_mm512_cvtepu8_epi16(second), 8), _mm512_set1_epi16('\\'));
  const __m512i both = _mm512_mask_mov_epi16(_mm512_cvtepu8_epi16(x), special, escaped);
  const uint64_t keep =
      _pdep_u64(wanted, 0x5555555555555555) | _pdep_u64(wanted & special, 0xaaaaaaaaaaaaaaaa);
  _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(keep, both));
  return p + std::popcount(keep);
}

template <bool kChecked>
[[gnu::always_inline]] inline char* CopyText(char* p, const char* limit, Text& text) {
  // Of a text of so many bytes the plain ones that it begins with are copied four blocks at once,
  // all read before they are stored: see CopyFourBlocks of simd.h.
  constexpr ptrdiff_t kLong = 4096, kFour = 4 * kBlock;
  const uint8_t* s = text.s;
  const uint8_t* const end = text.end;
  if (end - s >= kLong) {
    do {
      __m512i x[4];
      for (size_t i = 0; i < 4; ++i) x[i] = _mm512_loadu_si512(s + i * kBlock);
      uint64_t special = 0;
      for (const __m512i block : x) special |= Special<kChecked>(block);
      if (special != 0) break;
      for (size_t i = 0; i < 4; ++i) _mm512_storeu_si512(p + i * kBlock, x[i]);
      s += kFour;
      p += kFour;
    } while (end - s >= kFour);
  }
  while (s < end) {
    const auto left = static_cast<size_t>(end - s);
    const uint64_t wanted =
        left >= 64 ? ~uint64_t{0} : _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(left));
    const __m512i x = _mm512_maskz_loadu_epi8(wanted, s);
    const uint64_t special = Special<kChecked>(x) & wanted;
    if (special == 0) [[likely]] {
      _mm512_storeu_si512(p, x);
      const size_t count = left >= 64 ? 64 : left;
      p += count;
      s += count;
      continue;
    }
    if (limit - p < 512 + static_cast<ptrdiff_t>(left)) break;
    // Controls that need \u00XX, and what has to be checked, end the block.
    const __mmask64 controls = _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(' ')) & wanted;
    const __mmask64 named = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\n')) |
                            _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\t')) |
                            _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\r')) |
                            _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\b')) |
                            _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\f'));
    uint64_t stop = controls & ~named;
    if (!kChecked) stop |= _mm512_movepi8_mask(x) & wanted;
    const uint64_t take =
        stop == 0 ? wanted : _bzhi_u64(wanted, static_cast<uint32_t>(std::countr_zero(stop)));
    p = Expand(p, _mm512_maskz_extracti64x4_epi64(0xff, x, 0), static_cast<uint32_t>(take),
               static_cast<uint32_t>(special));
    p = Expand(p, _mm512_maskz_extracti64x4_epi64(0xff, x, 1), static_cast<uint32_t>(take >> 32),
               static_cast<uint32_t>(special >> 32));
    s += std::popcount(take);
    if (stop != 0) {
      if (!kChecked && *s >= 0x80) break;
      p = WriteEscape(p, *s++);
    }
  }
  text.s = s;
  return p;
}

#else

#if defined(__AVX2__)

constexpr size_t kBlock = 32;

template <bool kChecked>
[[gnu::always_inline]] inline uint32_t CopyBlock(char* p, const uint8_t* s) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  const __m256i blank = _mm256_set1_epi8(' ');
  const __m256i low = kChecked ? _mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(31)), x)
                               : _mm256_cmpgt_epi8(blank, x);
  const __m256i special =
      _mm256_or_si256(low, _mm256_or_si256(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('"')),
                                           _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\\'))));
  return static_cast<uint32_t>(_mm256_movemask_epi8(special));
}

[[gnu::always_inline]] inline size_t FirstSpecial(uint32_t mask) {
  return static_cast<size_t>(std::countr_zero(mask));
}

#else

constexpr size_t kBlock = 8;

// The top bit of each byte that is special; those above the first one may be wrong.
template <bool kChecked>
[[gnu::always_inline]] inline uint64_t CopyBlock(char* p, const uint8_t* s) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kTops = kOnes << 7;
  uint64_t x;
  std::memcpy(&x, s, 8);
  std::memcpy(p, &x, 8);
  const auto zero_byte = [](uint64_t v) { return (v - kOnes) & ~v; };
  const uint64_t special =
      ((x - kOnes * ' ') & ~x) | zero_byte(x ^ kOnes * '"') | zero_byte(x ^ kOnes * '\\');
  return (kChecked ? special : special | x) & kTops;
}

[[gnu::always_inline]] inline size_t FirstSpecial(uint64_t mask) {
  return static_cast<size_t>(std::countr_zero(mask)) / 8;
}

#endif

template <bool kChecked>
[[gnu::always_inline]] inline char* CopyText(char* p, const char* limit, Text& text) {
  const uint8_t* s = text.s;
  const uint8_t* const end = text.end;
  while (s < end) {
    const auto left = static_cast<size_t>(end - s);
    uint8_t copy[kBlock];
    const uint8_t* from = s;
    if (left < kBlock && static_cast<size_t>(text.readable - s) < kBlock) {
      std::memset(copy, 'x', kBlock);
      std::memcpy(copy, s, left);
      from = copy;
    }
    const auto special = CopyBlock<kChecked>(p, from);
    size_t count = left < kBlock ? left : kBlock;
    if (special == 0 || FirstSpecial(special) >= count) [[likely]] {
      p += count;
      s += count;
      continue;
    }
    if (limit - p < 512 + static_cast<ptrdiff_t>(left)) break;
    count = FirstSpecial(special);
    p += count;
    s += count;
    if (!kChecked && *s >= 0x80) break;
    p = WriteEscape(p, *s++);
  }
  text.s = s;
  return p;
}

#endif

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
