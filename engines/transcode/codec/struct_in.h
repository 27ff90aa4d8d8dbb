#pragma once

// google.protobuf.Struct, Value and ListValue: any JSON. Each function writes the content of the
// message, whose fields are these.
//   Struct { map<string, Value> fields = 1; }    ListValue { repeated Value values = 1; }
//   Value { null_value = 1; number_value = 2; string_value = 3; bool_value = 4; struct_value = 5;
//           list_value = 6; }

#include "codec/keys_in.h"
#include "codec/skip_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr char kTag1 = 0x0a, kTag2 = 0x12;  // lengths
constexpr char kNullTag = 0x08, kNumberTag = 0x11, kStringTag = 0x1a, kBoolTag = 0x20,
               kStructTag = 0x2a, kListTag = 0x32;

Cursor ParseStruct(State& s, Cursor c);
Cursor ParseListValue(State& s, Cursor c);

[[gnu::noinline]] Cursor FailValueNumber(State& s, const char* at, const char* stop,
                                         bool is_number) {
  const char first = Peek(s, at);
  if (is_number) return Fail(s, at, "the number is out of range", "a double");
  if (first == '-' || IsDigit(first)) return FailSyntax(s, stop, "a number");
  return FailSyntax(s, at, "a value");
}

TRANSCODE_INLINE Cursor ParseValue(State& s, Cursor c) {
  const char* const at = c.p;
  char* o = c.o;
  switch (Peek(s, at)) {
    case '"':
      *o = kStringTag;
      c = ParseString(s, {at + 1, o + 1});
      if (c.p != nullptr) c.o = Room(s, c.o);
      return c;
    case '{': {
      *o++ = kStructTag;
      const OpenLength open = Open(s, o);
      c = ParseStruct(s, {at, o});
      if (c.p != nullptr) c.o = Close(s, c.o, open);
      return c;
    }
    case '[': {
      *o++ = kListTag;
      const OpenLength open = Open(s, o);
      c = ParseListValue(s, {at, o});
      if (c.p != nullptr) c.o = Close(s, c.o, open);
      return c;
    }
    case 't':
      if (!IsWord(s, at, "true", 4)) return FailWord(s, at);
      o[0] = kBoolTag;
      o[1] = 1;
      return {at + 4, o + 2};
    case 'f':
      if (!IsWord(s, at, "false", 5)) return FailWord(s, at);
      o[0] = kBoolTag;
      o[1] = 0;
      return {at + 5, o + 2};
    case 'n':
      if (!IsWord(s, at, "null", 4)) return FailWord(s, at);
      o[0] = kNullTag;
      o[1] = 0;
      return {at + 4, o + 2};
    default: {
      const char* stop = at;
      const Real real = ReadDouble(at, s.end, &stop);
      if (real.after == nullptr || !real.fits) {
        return FailValueNumber(s, at, stop, real.after != nullptr);
      }
      *o = kNumberTag;
      Store(o + 1, real.value);
      return {real.after, o + 9};
    }
  }
}

Cursor ParseStruct(State& s, Cursor c) {
  if (Peek(s, c.p) != '{') {
    return FailAt(s, c.p, "the value is not right for the field", "an object", nullptr,
                  c.p >= s.end, Code::kInvalidArgument);
  }
  if (--s.depth < 0) return FailDepth(s, c.p);
  const char* p = SkipSpace(s, c.p + 1);
  char* o = c.o;
  if (Peek(s, p) == '}') {
    ++s.depth;
    return {p + 1, o};
  }
  KeySet keys(s);
  const bool unique = s.options->duplicate_keys == DuplicateKeys::kReject;
  for (;;) {
    const char* const key = p;
    if (Peek(s, p) != '"') return FailSyntax(s, p, "a key");
    o = Room(s, o);
    *o++ = kTag1;
    const OpenLength entry = Open(s, o);
    *o++ = kTag1;
    const size_t key_start = static_cast<size_t>(o - s.base);
    c = ParseString(s, {p + 1, o});
    if (c.p == nullptr) return c;
    const char* const key_end = c.p;
    const size_t key_size = static_cast<size_t>(c.o - s.base) - key_start;
    p = SkipSpace(s, c.p);
    if (Peek(s, p) != ':') return FailSyntax(s, p, "':'");
    p = SkipSpace(s, p + 1);
    o = Room(s, c.o);
    *o++ = kTag2;
    const OpenLength value = Open(s, o);
    c = ParseValue(s, {p, o});
    if (c.p == nullptr) return UnwindKey(s, key, key_end);
    o = Close(s, c.o, value);
    const size_t before = static_cast<size_t>(o - s.base);
    o = Close(s, o, entry);
    // The key moves with the entry.
    const size_t moved = static_cast<size_t>(o - s.base) - before;
    if (unique && !keys.Add(s, key_start + moved, key_size)) {
      Fail(s, key, "the key stands twice");
      return UnwindKey(s, key, key_end);
    }
    p = SkipSpace(s, c.p);
    if (Peek(s, p) != ',') break;
    p = SkipSpace(s, p + 1);
  }
  if (Peek(s, p) != '}') return FailSyntax(s, p, "',' or '}'");
  ++s.depth;
  return {p + 1, o};
}

Cursor ParseListValue(State& s, Cursor c) {
  if (Peek(s, c.p) != '[') {
    return FailAt(s, c.p, "the value is not right for the field", "an array", nullptr, c.p >= s.end,
                  Code::kInvalidArgument);
  }
  if (--s.depth < 0) return FailDepth(s, c.p);
  const char* p = SkipSpace(s, c.p + 1);
  char* o = c.o;
  if (Peek(s, p) == ']') {
    ++s.depth;
    return {p + 1, o};
  }
  for (size_t index = 0;; ++index) {
    o = Room(s, o);
    *o++ = kTag1;
    const OpenLength value = Open(s, o);
    c = ParseValue(s, {p, o});
    if (c.p == nullptr) return UnwindIndex(s, index);
    o = Close(s, c.o, value);
    p = SkipSpace(s, c.p);
    if (Peek(s, p) != ',') break;
    p = SkipSpace(s, p + 1);
  }
  if (Peek(s, p) != ']') return FailSyntax(s, p, "',' or ']'");
  ++s.depth;
  return {p + 1, o};
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
