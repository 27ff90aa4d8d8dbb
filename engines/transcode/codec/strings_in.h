#pragma once

// JSON strings: copied, skipped or looked at; always valid UTF-8 without their escapes.

#include "codec/parse_state.h"

namespace transcode::TRANSCODE_ISA {
namespace {

// As CopyBlock with the `size` (less than kBlock) bytes that are left. A byte that is not there
// counts as a stop.
TRANSCODE_INLINE StringMasks CopyTail(const char* from, size_t size, char* to) {
#if defined(__AVX512BW__)
  const __mmask64 mask = _bzhi_u64(~uint64_t{0}, static_cast<unsigned>(size));
  const Block bytes = _mm512_maskz_loadu_epi8(mask, from);
  StoreBlock(to, bytes);
  return MasksOf(bytes);
#else
  char bytes[kBlock] = {};
  std::memcpy(bytes, from, size);
  return CopyBlock(bytes, to);
#endif
}

TRANSCODE_INLINE StringMasks CopyUpTo(const char* from, const char* end, char* to) {
  const size_t left = static_cast<size_t>(end - from);
  return left >= kBlock ? CopyBlock(from, to) : CopyTail(from, left, to);
}

TRANSCODE_INLINE uint64_t Below(int bit) { return (uint64_t{1} << bit) - 1; }

TRANSCODE_INLINE bool ValidUtf8(const State& s, const char* text, size_t size) {
  return s.options->utf8 == Utf8::kTrust || IsUtf8(text, size);
}

TRANSCODE_COLD Cursor FailUtf8(State& s, const char* at) {
  return Fail(s, at, "the string is not UTF-8", "UTF-8");
}

// At something that ends a string too early.
TRANSCODE_COLD Cursor FailString(State& s, const char* at) {
  return FailSyntax(
      s, at, at >= s.end ? "the end of the string" : "an escape instead of a control character");
}

// The first stop in [p, limit), or `limit`.
TRANSCODE_INLINE const char* ScanString(const char* p, const char* limit, bool& non_ascii) {
  while (limit - p >= static_cast<ptrdiff_t>(kBlock)) {
    const StringMasks masks = ScanBlock(p);
    if (masks.stops != 0) {
      const int n = std::countr_zero(masks.stops);
      non_ascii |= (masks.non_ascii & Below(n)) != 0;
      return p + n;
    }
    non_ascii |= masks.non_ascii != 0;
    p += kBlock;
  }
  char unused[kBlock];
  const StringMasks masks = CopyTail(p, static_cast<size_t>(limit - p), unused);
  const int n = std::countr_zero(masks.stops);
  non_ascii |= (masks.non_ascii & Below(n)) != 0;
  return p + n;
}

TRANSCODE_INLINE int HexDigit(char c) {
  const int digit = c - '0';
  if (static_cast<unsigned>(digit) < 10) return digit;
  const int letter = (c | 0x20) - 'a';
  return static_cast<unsigned>(letter) < 6 ? letter + 10 : -1;
}

// The number of the four hexadecimal digits at p, or a negative one.
TRANSCODE_INLINE int Hex4(const State& s, const char* p) {
  if (s.end - p < 4) return -1;
  const int a = HexDigit(p[0]), b = HexDigit(p[1]), c = HexDigit(p[2]), d = HexDigit(p[3]);
  return (a | b | c | d) < 0 ? -1 : a << 12 | b << 8 | c << 4 | d;
}

// Writes what the escape at c.p (a backslash) stands for.
[[gnu::noinline]] Cursor ParseEscape(State& s, Cursor c) {
  const char* const at = c.p;
  const char* p = at + 1;
  char* o = c.o;
  switch (Peek(s, p)) {
    case '"':
    case '\\':
    case '/':
      *o++ = *p;
      return {p + 1, o};
    case 'b':
      *o++ = '\b';
      return {p + 1, o};
    case 'f':
      *o++ = '\f';
      return {p + 1, o};
    case 'n':
      *o++ = '\n';
      return {p + 1, o};
    case 'r':
      *o++ = '\r';
      return {p + 1, o};
    case 't':
      *o++ = '\t';
      return {p + 1, o};
    case 'u':
      break;
    default:
      return FailSyntax(s, p, "an escape of JSON");
  }
  ++p;
  int code = Hex4(s, p);
  if (code < 0) return FailSyntax(s, s.end - p < 4 ? s.end : p, "four hexadecimal digits");
  p += 4;
  if (code >= 0xd800 && code < 0xe000) {
    const char* const wanted = "a pair of surrogates";
    if (code >= 0xdc00) return Fail(s, at, "a surrogate stands alone", wanted);
    if (s.end - p < 6 && (p == s.end || (*p == '\\' && (s.end - p == 1 || p[1] == 'u')))) {
      return FailSyntax(s, s.end, wanted);
    }
    const int low = p[0] == '\\' && p[1] == 'u' ? Hex4(s, p + 2) : -1;
    if (low < 0xdc00 || low > 0xdfff) return Fail(s, at, "a surrogate stands alone", wanted);
    p += 6;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    *o++ = static_cast<char>(0xf0 | code >> 18);
    *o++ = static_cast<char>(0x80 | (code >> 12 & 0x3f));
    *o++ = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *o++ = static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x80) {
    *o++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *o++ = static_cast<char>(0xc0 | code >> 6);
    *o++ = static_cast<char>(0x80 | (code & 0x3f));
  } else {
    *o++ = static_cast<char>(0xe0 | code >> 12);
    *o++ = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *o++ = static_cast<char>(0x80 | (code & 0x3f));
  }
  return {p, o};
}

// Copies the rest of a string from c.p on. Returns the place of its closing quote.
Cursor CopyString(State& s, Cursor c, bool& non_ascii) {
  const char* p = c.p;
  char* o = c.o;
  for (;;) {
    o = Room(s, o);
    const StringMasks masks = CopyUpTo(p, s.end, o);
    if (masks.stops == 0) {
      non_ascii |= masks.non_ascii != 0;
      p += kBlock;
      o += kBlock;
      continue;
    }
    const int n = std::countr_zero(masks.stops);
    non_ascii |= (masks.non_ascii & Below(n)) != 0;
    p += n;
    o += n;
    if (p >= s.end) return FailString(s, p);
    if (*p == '"') return {p, o};
    if (*p != '\\') return FailString(s, p);
    do {
      o = Room(s, o);
      c = ParseEscape(s, {p, o});
      if (c.p == nullptr) return c;
      p = c.p;
      o = c.o;
    } while (p < s.end && *p == '\\');
  }
}

// Copies the rest of a string of which `width` bytes for its length and perhaps some of its bytes
// stand from `start` on. The bytes move if their length has another width. `text`: where the string
// begins.
[[gnu::noinline]] Cursor FinishGuessed(State& s, Cursor c, const char* text, size_t start,
                                       int width, bool non_ascii) {
  c = CopyString(s, c, non_ascii);
  if (c.p == nullptr) return c;
  char* const begin = s.base + start;
  const size_t size = static_cast<size_t>(c.o - begin) - static_cast<size_t>(width);
  if (non_ascii && !ValidUtf8(s, begin + width, size)) return FailUtf8(s, text);
  const int right = VarintSize(size);
  char* o = Room(s, c.o);
  char* const to = s.base + start;
  if (right != width) {
    std::memmove(to + right, to + width, size);
    o += right - width;
  }
  char varint[16];
  WriteVarint(varint, size);
  std::memcpy(to, varint, static_cast<size_t>(right));
  return {c.p + 1, o};
}

// A string of which neither end nor length is known: a guess at the width of its length, and one
// pass.
TRANSCODE_INLINE Cursor ParseGuessed(State& s, Cursor c, int width) {
  const size_t start = static_cast<size_t>(c.o - s.base);
  return FinishGuessed(s, {c.p, c.o + width}, c.p, start, width, false);
}

// The same, for one that is plain for long.
[[gnu::noinline]] Cursor ParseLongGuessed(State& s, Cursor c, int width) {
  constexpr ptrdiff_t kFour = 4 * kBlock;
  const size_t start = static_cast<size_t>(c.o - s.base);
  const char* p = c.p;
  char* o = c.o + width;
  uint64_t non_ascii = 0;
  while (s.end - p >= kFour) {
    o = Room(s, o, kFour);
    const StringMasks masks = CopyFourBlocks(p, o);
    if (masks.stops != 0) break;
    non_ascii |= masks.non_ascii;
    p += kFour;
    o += kFour;
  }
  return FinishGuessed(s, {p, o}, c.p, start, width, non_ascii != 0);
}

// The string in which the text is cut: what is written so far goes in front of the plain bytes,
// their buffer becomes the output, and the text goes on behind them.
TRANSCODE_COLD Cursor ParseCutString(State& s, Cursor c, bool non_ascii) {
  CutString& cut = *s.job->cut;
  Buffer& plain = *cut.plain;
  const size_t start = static_cast<size_t>(c.o - s.base);
  const size_t begun = static_cast<size_t>(s.end - c.p);
  const size_t known = begun + plain.size() - cut.front;
  const int width = VarintSize(known + cut.tail.size());
  const size_t before = start + static_cast<size_t>(width) + begun;
  if (cut.tail.empty() || before > cut.front) return FailString(s, s.end);
  plain.DropFront(cut.front - before);
  std::memcpy(plain.data(), s.base, start);
  std::memcpy(plain.data() + before - begun, c.p, begun);
  s.job->out->Swap(plain);
  cut.taken_at = before;
  s.base = s.job->out->data();
  s.limit = s.base + s.job->out->capacity();
  s.job->begin = cut.tail.data();
  s.end = cut.tail.data() + cut.tail.size();
  char* const o = s.base + s.job->out->size();
  c = FinishGuessed(s, {cut.tail.data(), o}, cut.tail.data(), start, width,
                    non_ascii || cut.non_ascii);
  if (c.p == nullptr) return c;
  size_t right = 1;  // bytes of the length
  while ((s.base[start + right - 1] & 0x80) != 0) ++right;
  cut.taken_at = start + right + begun;
  return c;
}

// Strings that do not end in the first block or are not plain ASCII.
[[gnu::noinline]] Cursor ParseLongString(State& s, Cursor c) {
  // Up to these lengths a varint has 2 and 3 bytes. Below the first one a string is in the first
  // level of cache: it is measured and then copied. So it is below the second one if the input
  // does not say which of the two widths it has.
  constexpr ptrdiff_t kTwo = 1 << 14, kThree = 1 << 21;
  const ptrdiff_t left = s.end - c.p;
  bool non_ascii = false;
  if (s.job->cut != nullptr && s.job->cut->taken_at == 0) [[unlikely]] {
    if (ScanString(c.p, s.end, non_ascii) == s.end) return ParseCutString(s, c, non_ascii);
    non_ascii = false;
  }
  const char* stop = ScanString(c.p, c.p + Min(left, kTwo), non_ascii);
  if (stop == c.p + kTwo && left > kTwo) {
    if (left < kThree) return ParseLongGuessed(s, {c.p, Room(s, c.o, left + 8)}, 3);
    stop = ScanString(stop, c.p + Min(left, kThree), non_ascii);
    if (stop == c.p + kThree && left > kThree) {
      return ParseLongGuessed(s, {c.p, Room(s, c.o, left + 8)}, 4);
    }
  }
  if (stop >= s.end) return FailString(s, s.end);
  if (*stop == '\\') return ParseGuessed(s, c, VarintSize(static_cast<uint64_t>(left)));
  if (*stop != '"') return FailString(s, stop);
  const size_t size = static_cast<size_t>(stop - c.p);
  if (non_ascii && !ValidUtf8(s, c.p, size)) return FailUtf8(s, c.p);
  char* o = WriteVarint(Room(s, c.o, size + 16), size);
  std::memcpy(o, c.p, size);
  return {stop + 1, o + size};
}

// Writes the string behind c.p (its first byte; the quote is read) with its length. Needs room.
TRANSCODE_INLINE Cursor ParseString(State& s, Cursor c) {
#if defined(__AVX512BW__)
  // Short strings: half a block seldom crosses a cache line.
  if (s.end - c.p >= 32) {
    const StringMasks half = CopyHalfBlock(c.p, c.o + 1);
    if (half.stops != 0) {
      const int n = std::countr_zero(half.stops);
      if (c.p[n] == '"' && (half.non_ascii & Below(n)) == 0) [[likely]] {
        *c.o = static_cast<char>(n);
        return {c.p + n + 1, c.o + 1 + n};
      }
    }
  }
#endif
  const StringMasks masks = CopyUpTo(c.p, s.end, c.o + 1);
  if (masks.stops != 0) [[likely]] {
    const int n = std::countr_zero(masks.stops);
    const char* const stop = c.p + n;
    if (stop < s.end && *stop == '"' && (masks.non_ascii & Below(n)) == 0) [[likely]] {
      *c.o = static_cast<char>(n);
      return {stop + 1, c.o + 1 + n};
    }
  }
  return ParseLongString(s, c);
}

// Checks the string behind p and returns what follows it.
[[gnu::noinline]] const char* SkipString(State& s, const char* p) {
  const char* const begin = p;
  bool non_ascii = false;
  for (;;) {
    p = ScanString(p, s.end, non_ascii);
    if (p >= s.end) return FailString(s, s.end).p;
    if (*p == '"') break;
    if (*p != '\\') return FailString(s, p).p;
    char unused[8];
    const Cursor c = ParseEscape(s, {p, unused});
    if (c.p == nullptr) return nullptr;
    p = c.p;
  }
  if (non_ascii && !ValidUtf8(s, begin, static_cast<size_t>(p - begin))) {
    return FailUtf8(s, begin).p;
  }
  return p + 1;
}

// The text of a short string, such as a key or a time.
struct Text {
  const char* data;
  size_t size;
  const char* after;  // null after a failure
  char* o;

  std::string_view view() const { return {data, size}; }
};

// The text of the string behind c.p. With escapes it stands at the end of the output until
// something is written there.
TRANSCODE_INLINE Text ReadText(State& s, Cursor c) {
  bool non_ascii = false;
  const char* const stop = ScanString(c.p, s.end, non_ascii);
  if (stop < s.end && *stop == '"' && !non_ascii) [[likely]] {
    return {c.p, static_cast<size_t>(stop - c.p), stop + 1, c.o};
  }
  const size_t start = static_cast<size_t>(c.o - s.base);
  const char* const text = c.p;
  c = CopyString(s, c, non_ascii);
  if (c.p == nullptr) return {nullptr, 0, nullptr, nullptr};
  char* const begin = s.base + start;
  const size_t size = static_cast<size_t>(c.o - begin);
  if (non_ascii && !ValidUtf8(s, begin, size)) {
    FailUtf8(s, text);
    return {nullptr, 0, nullptr, nullptr};
  }
  return {begin, size, c.p + 1, begin};
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
