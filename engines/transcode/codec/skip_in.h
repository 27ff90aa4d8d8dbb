#pragma once

// Values that are read but not kept: of unknown fields, and to find the @type of an Any.

#include "codec/scalars_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

TRANSCODE_COLD Cursor FailDepth(State& s, const char* at) {
  return FailAt(s, at, "too many nested values", "fewer levels than the option `depth`", nullptr,
                false, Code::kInvalidArgument);
}

// p behind the colon after the key whose opening quote is at p; null after a failure.
TRANSCODE_INLINE const char* SkipKey(State& s, const char* p) {
  if (Peek(s, p) != '"') return FailSyntax(s, p, "a key").p;
  p = SkipString(s, p + 1);
  if (p == nullptr) return nullptr;
  p = SkipSpace(s, p);
  if (Peek(s, p) != ':') return FailSyntax(s, p, "':'").p;
  return SkipSpace(s, p + 1);
}

// Checks the value at p and returns what follows it; null after a failure.
[[gnu::noinline]] const char* SkipValue(State& s, const char* p) {
  const char first = Peek(s, p);
  switch (first) {
    case '"':
      return SkipString(s, p + 1);
    case 't':
      return IsWord(s, p, "true", 4) ? p + 4 : FailWord(s, p).p;
    case 'f':
      return IsWord(s, p, "false", 5) ? p + 5 : FailWord(s, p).p;
    case 'n':
      return IsWord(s, p, "null", 4) ? p + 4 : FailWord(s, p).p;
    case '{':
    case '[':
      break;
    default: {
      if (first != '-' && !IsDigit(first)) return FailSyntax(s, p, "a value").p;
      const char* stop = p;
      const char* const after = NumberEnd(p, s.end, &stop);
      if (after == nullptr) return FailSyntax(s, stop, "a number").p;
      // One that is no double would be refused wherever a number is known.
      if (!ReadDouble(p, s.end, &stop).fits) {
        return Fail(s, p, "the number is out of range", "a double").p;
      }
      return after;
    }
  }
  if (--s.depth < 0) return FailDepth(s, p).p;
  const bool object = first == '{';
  const char close = object ? '}' : ']';
  p = SkipSpace(s, p + 1);
  if (Peek(s, p) != close) {
    for (;;) {
      if (object && (p = SkipKey(s, p)) == nullptr) return nullptr;
      if ((p = SkipValue(s, p)) == nullptr) return nullptr;
      p = SkipSpace(s, p);
      if (Peek(s, p) == close) break;
      if (Peek(s, p) != ',') return FailSyntax(s, p, object ? "',' or '}'" : "',' or ']'").p;
      p = SkipSpace(s, p + 1);
    }
  }
  ++s.depth;
  return p + 1;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
