#pragma once

// The state of one parse, the cursor that goes through it, failures, white space, output room
// and lengths.

#include "codec/parse_job.h"
#include "codec/seven_bits.h"
#include "codec/simd.h"

namespace transcode::TRANSCODE_ISA {
namespace {

// Where we read and write. It travels in two registers; members would be reloaded after every
// byte stored. p is null after a failure.
struct Cursor {
  const char* p;
  char* o;
};

// A writer may store this many bytes behind `limit` before it asks for room.
constexpr size_t kSlack = Buffer::kSlack;

struct State {
  const char* end;  // of the input
  char* limit;      // of the output; kSlack more bytes are writable
  char* base;       // of the output
  int depth;        // levels left
  bool skip_zeros;  // of fields without presence
  bool lenient;     // values in forms of older libraries too
  bool plain_text;  // a binding, not JSON
  bool defer_all;   // lengths above 127 (else: only long ones)
  size_t extra;     // bytes that deferred lengths will add
  const ParseOptions* options;
  ParseJob* job;
  uint64_t watching;   // paths of job->watched that lead through the current message
  size_t watch_level;  // how many of their fields lead to it
};

TRANSCODE_COLD Cursor FailAt(State& s, const char* at, const char* message, const char* expected,
                             const Field* field, bool truncated, Code code) {
  ParseFailure& failure = s.job->failure;
  failure.code = code;
  failure.message = message;
  failure.expected = expected;
  failure.expected_of = field;
  failure.at = at;
  failure.truncated = truncated;
  failure.step_count = 0;
  return {nullptr, nullptr};
}

// The text is not JSON.
TRANSCODE_INLINE Cursor FailSyntax(State& s, const char* at, const char* expected) {
  const bool truncated = at >= s.end;
  return FailAt(s, at, truncated ? "the text ends too early" : "the text is not JSON", expected,
                nullptr, truncated, Code::kInvalidArgument);
}

// The text is JSON but not right for the field.
TRANSCODE_INLINE Cursor Fail(State& s, const char* at, const char* message,
                             const char* expected = nullptr) {
  return FailAt(s, at, message, expected, nullptr, false, Code::kInvalidArgument);
}

TRANSCODE_INLINE Cursor FailType(State& s, const char* at, const Field& field) {
  return FailAt(s, at, "the value is not right for the field", nullptr, &field, at >= s.end,
                Code::kInvalidArgument);
}

// Adds a step to the path of the failure.
TRANSCODE_COLD Cursor Unwind(State& s, const PathStep& step) {
  ParseFailure& failure = s.job->failure;
  if (failure.step_count < ParseFailure::kMaxSteps) failure.steps[failure.step_count++] = step;
  return {nullptr, nullptr};
}

TRANSCODE_COLD Cursor UnwindField(State& s, const Field& field) {
  return Unwind(s, {PathStep::Kind::kField, &field, nullptr, 0});
}

TRANSCODE_COLD Cursor UnwindIndex(State& s, size_t index) {
  return Unwind(s, {PathStep::Kind::kIndex, nullptr, nullptr, index});
}

TRANSCODE_COLD Cursor UnwindKey(State& s, const char* key, const char* end) {
  return Unwind(s, {PathStep::Kind::kKey, nullptr, key, static_cast<size_t>(end - key)});
}

// The byte at p, or NUL at the end of the input: NUL is nowhere right, so that callers need no
// test of their own.
TRANSCODE_INLINE char Peek(const State& s, const char* p) { return p < s.end ? *p : '\0'; }

[[gnu::noinline]] const char* SkipSpaces(const State& s, const char* p) {
  while (s.end - p >= static_cast<ptrdiff_t>(kBlock)) {
    const uint64_t mask = NonSpaceMask(p);
    if (mask != 0) return p + std::countr_zero(mask);
    p += kBlock;
  }
  while (p < s.end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
  return p;
}

TRANSCODE_INLINE const char* SkipSpace(const State& s, const char* p) {
  if (p<s.end&& static_cast<uint8_t>(*p)> ' ') [[likely]]
    return p;
  if (s.end - p >= 2 && *p == ' ' && static_cast<uint8_t>(p[1]) > ' ') return p + 1;
  return SkipSpaces(s, p);
}

[[gnu::noinline]] char* Grow(State& s, char* o, size_t extra) {
  const size_t used = static_cast<size_t>(o - s.base);
  s.base = GrowOutput(*s.job->out, used, extra);
  s.limit = s.base + s.job->out->capacity();
  return s.base + used;
}

// Room for kSlack bytes.
TRANSCODE_INLINE char* Room(State& s, char* o) { return o <= s.limit ? o : Grow(s, o, kSlack); }

TRANSCODE_INLINE char* Room(State& s, char* o, size_t extra) {
  return s.limit - o >= static_cast<ptrdiff_t>(extra) ? o : Grow(s, o, extra);
}

TRANSCODE_INLINE char* WriteTag(char* o, const Tag& tag) {
  Store(o, Load<uint64_t>(tag.bytes.data()));
  return o + tag.size;
}

TRANSCODE_INLINE int VarintSize(uint64_t value) {
  return (static_cast<int>(std::bit_width(value | 1)) * 9 + 64) / 64;
}

// Writes up to 10 bytes (and stores up to 16).
TRANSCODE_INLINE char* WriteVarint(char* o, uint64_t value) {
#if defined(__BMI2__)
  const int size = VarintSize(value);
  const uint64_t low = SpreadSevens(value);
  const uint64_t more = _bzhi_u64(0x8080808080808080, static_cast<unsigned>(8 * (size - 1)));
  Store(o, low | more);
  const uint64_t high = value >> 56;
  // Of the last two bytes the first one continues when bit 63 is set.
  Store(o + 8, static_cast<uint16_t>((high & 0x7f) | (high >> 7) * 0x180));
  return o + size;
#else
  while (value >= 0x80) {
    *o++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *o++ = static_cast<char>(value);
  return o;
#endif
}

// A message or packed list of unknown length: one byte stays free for its length.
struct OpenLength {
  size_t position;  // of the byte, from s.base
  size_t extra;     // s.extra at its start
};

TRANSCODE_INLINE OpenLength Open(const State& s, char*& o) {
  const OpenLength open{static_cast<size_t>(o - s.base), s.extra};
  ++o;
  return open;
}

// Messages up to this size move at once to make room for their lengths, longer ones all together
// at the end, so that a byte does not move once for each level above it.
constexpr size_t kMovedAtOnce = 1024;

[[gnu::noinline]] char* CloseLong(State& s, char* o, size_t position, size_t size) {
  const size_t missing = static_cast<size_t>(VarintSize(size)) - 1;
  if (size > kMovedAtOnce || s.defer_all) {
    DeferLength(*s.job, position, size);
    s.extra += missing;
    return o;
  }
  o = Room(s, o);
  char* const byte = s.base + position;
  std::memmove(byte + 1 + missing, byte + 1, size);
  // At most two bytes, and nothing behind them.
  byte[0] = static_cast<char>(size | 0x80);
  byte[1] = static_cast<char>(size >> 7);
  return o + missing;
}

TRANSCODE_INLINE char* Close(State& s, char* o, OpenLength open) {
  char* const byte = s.base + open.position;
  const size_t size = static_cast<size_t>(o - byte - 1) + (s.extra - open.extra);
  if (size < 0x80) [[likely]] {
    *byte = static_cast<char>(size);
    return o;
  }
  return CloseLong(s, o, open.position, size);
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
