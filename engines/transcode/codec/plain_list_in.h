#pragma once

// Lists of numbers, which are bound by finding the ends of numbers one after the other. Here the
// ends of a whole block are found at once.

#include "codec/scalars_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

struct PlainRun {
  size_t count = 0;     // elements so far
  bool closed = false;  // the list ended, and the cursor is behind ']'
};

// What may be a number between two marks of a list, without its sign and quotes.
struct PlainElement {
  const char* begin;
  const char* end;
  bool negative;
  bool quoted;
};

// Writes list elements from c.p (behind '[' or ',') on, as far as they are plain: the rest begins
// at the p that is returned, again an element. `write` writes one element of at most 10 bytes, or
// says that it is not plain.
template <class Write>
TRANSCODE_INLINE Cursor ParsePlainList(State& s, Cursor c, PlainRun* run, Write write) {
  const char* const end = s.end;
  const char* start = c.p;  // of the number
  const char* block = c.p;
  char* o = c.o;
  while (end - block >= static_cast<ptrdiff_t>(kBlock)) {
    o = Room(s, o, kBlock / 2 * 10 + 16);
    for (uint64_t ends = ListMask(block); ends != 0; ends &= ends - 1) {
      const char* const stop = block + std::countr_zero(ends);
      PlainElement e{start + (*start == ' '), stop, false, false};
      e.quoted = *e.begin == '"';
      if (e.quoted) [[unlikely]] {
        --e.end;
        ++e.begin;
        if (e.end < e.begin || *e.end != '"') return {start, o};
      }
      e.negative = *e.begin == '-';
      e.begin += e.negative;
      if (!write(e, &o)) [[unlikely]]
        return {start, o};
      start = stop + 1;
      ++run->count;
      if (*stop == ']') {
        run->closed = true;
        return {start, o};
      }
    }
    block += kBlock;
  }
  return {start, o};
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
