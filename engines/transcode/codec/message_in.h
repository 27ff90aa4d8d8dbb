#pragma once

// Messages: objects of JSON by their tables, lists, maps and Any.

#include "codec/number_list_in.h"
#include "codec/struct_in.h"
#include "codec/wellknown_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

Cursor ParseMessage(State& s, Cursor c, const Message& message);

TRANSCODE_COLD Cursor FailObject(State& s, const char* at, const char* expected) {
  return FailAt(s, at, "the value is not right for the field", expected, nullptr, at >= s.end,
                Code::kInvalidArgument);
}

// Writes tag, length (or end of group) and content of a message at c.p. Needs room.
TRANSCODE_INLINE Cursor ParseMessageField(State& s, Cursor c, const Field& field) {
  char* o = WriteTag(c.o, field.tag);
  if (field.type == Type::kGroup) [[unlikely]] {
    c = ParseMessage(s, {c.p, o}, *field.message);
    if (c.p == nullptr) return c;
    return {c.p, WriteTag(Room(s, c.o), field.end_tag)};
  }
  const OpenLength open = Open(s, o);
  c = ParseMessage(s, {c.p, o}, *field.message);
  if (c.p == nullptr) return c;
  return {c.p, Close(s, c.o, open)};
}

// Whether a null is a value of the field and not its absence.
TRANSCODE_INLINE bool TakesNull(const Field& field) {
  if (field.type == Type::kEnum) return field.enum_type->null_value;
  return field.is_message() && !field.map && field.message->well_known == WellKnown::kValue;
}

// Without its brackets: one element, which lenient syntax takes for a list.
Cursor ParseLoneElement(State& s, Cursor c, const Field& field) {
  if (field.is_message()) return ParseMessageField(s, c, field);
  Wrote wrote;
  const size_t start = static_cast<size_t>(c.o - s.base);
  c = ParseScalar(s, {c.p, WriteTag(c.o, field.tag)}, field, wrote);
  if (c.p != nullptr && wrote == Wrote::kDropped) c.o = s.base + start;
  return c;
}

[[gnu::noinline]] Cursor ParseList(State& s, Cursor c, const Field& field) {
  if (Peek(s, c.p) != '[') {
    return s.lenient ? ParseLoneElement(s, c, field) : FailObject(s, c.p, "an array");
  }
  if (--s.depth < 0) return FailDepth(s, c.p);
  const char* p = SkipSpace(s, c.p + 1);
  char* o = Room(s, c.o);
  if (Peek(s, p) == ']') {
    ++s.depth;
    return {p + 1, o};
  }
  const bool message = field.is_message();
  // Lists in lists, which are as one, do not know how many there will be.
  const bool packed = field.packed && !s.lenient;
  const size_t start = static_cast<size_t>(o - s.base);
  OpenLength open{};
  if (packed) {
    o = WriteTag(o, field.packed_tag);
    open = Open(s, o);
  }
  PlainRun run;
  for (size_t others = 0;; ++others) {
    if (packed) {
      c = ParsePlainNumbers(s, {p, o}, field.type, &run);
      o = Room(s, c.o);
      if (run.closed) {
        p = c.p;
        break;
      }
      p = SkipSpace(s, c.p);
    } else {
      o = Room(s, o);
    }
    const char* const at = p;
    if (Peek(s, p) == 'n' && !TakesNull(field)) {
      if (!IsWord(s, p, "null", 4)) {
        FailWord(s, p);
        return UnwindIndex(s, run.count + others);
      }
      if (s.options->null_in_repeated == NullInRepeated::kReject) {
        Fail(s, at, "null is no element of a list");
        return UnwindIndex(s, run.count + others);
      }
      p += 4;
    } else {
      if (message) {
        c = ParseMessageField(s, {p, o}, field);
      } else if (s.lenient && Peek(s, p) == '[') {
        c = ParseList(s, {p, o}, field);
      } else {
        Wrote wrote;
        char* const value = packed ? o : WriteTag(o, field.tag);
        const size_t before = static_cast<size_t>(o - s.base);
        c = ParseScalar(s, {p, value}, field, wrote);
        if (c.p != nullptr && wrote == Wrote::kDropped) c.o = s.base + before;
      }
      if (c.p == nullptr) return UnwindIndex(s, run.count + others);
      p = c.p;
      o = c.o;
    }
    p = SkipSpace(s, p);
    const char next = Peek(s, p);
    if (next == ',') {
      p = SkipSpace(s, p + 1);
      continue;
    }
    if (next != ']') return FailSyntax(s, p, "',' or ']'");
    ++p;
    break;
  }
  if (packed) {
    if (o == s.base + open.position + 1) {
      o = s.base + start;
    } else {
      o = Close(s, o, open);
    }
  }
  ++s.depth;
  return {p, o};
}

// The key of a map entry, which is always a string in JSON: its tag and bytes.
TRANSCODE_INLINE Cursor ParseMapKey(State& s, Cursor c, const Field& key) {
  char* o = WriteTag(c.o, key.tag);
  Wrote wrote;
  switch (key.type) {
    case Type::kString:
      c = ParseString(s, {c.p + 1, o});
      if (c.p != nullptr) c.o = Room(s, c.o);
      return c;
    case Type::kBool: {
      const Text text = ReadText(s, {c.p + 1, o});
      if (text.after == nullptr) return {nullptr, nullptr};
      const int value = BoolOfText(s, text.view());
      if (value < 0) return FailType(s, c.p, key);
      *text.o = static_cast<char>(value);
      return {text.after, text.o + 1};
    }
    default:
      return ParseIntegerScalar(s, {c.p, o}, key, wrote);
  }
}

[[gnu::noinline]] Cursor ParseMap(State& s, Cursor c, const Field& field) {
  if (Peek(s, c.p) != '{') return FailObject(s, c.p, "an object");
  if (--s.depth < 0) return FailDepth(s, c.p);
  const char* p = SkipSpace(s, c.p + 1);
  char* o = c.o;
  if (Peek(s, p) == '}') {
    ++s.depth;
    return {p + 1, o};
  }
  const Field& key_field = field.message->fields[0];
  const Field& value_field = field.message->fields[1];
  KeySet keys(s);
  const bool unique = s.options->duplicate_keys == DuplicateKeys::kReject;
  for (;;) {
    const char* const key = p;
    if (Peek(s, p) != '"') return FailSyntax(s, p, "a key");
    o = Room(s, o);
    const size_t start = static_cast<size_t>(o - s.base);
    o = WriteTag(o, field.tag);
    const OpenLength entry = Open(s, o);
    const size_t key_start = static_cast<size_t>(o - s.base);
    c = ParseMapKey(s, {p, o}, key_field);
    if (c.p == nullptr) return c;
    const char* const key_end = c.p;
    const size_t key_size = static_cast<size_t>(c.o - s.base) - key_start;
    p = SkipSpace(s, c.p);
    if (Peek(s, p) != ':') return FailSyntax(s, p, "':'");
    p = SkipSpace(s, p + 1);
    o = Room(s, c.o);
    Wrote wrote = Wrote::kValue;
    if (Peek(s, p) == 'n' && !TakesNull(value_field)) {
      if (!IsWord(s, p, "null", 4)) return FailWord(s, p);
      if (s.options->null_in_repeated == NullInRepeated::kReject) {
        Fail(s, p, "null is no value of a map");
        return UnwindKey(s, key, key_end);
      }
      // Without its value on the wire an entry has the default.
      c = {p + 4, o};
    } else if (value_field.is_message()) {
      c = ParseMessageField(s, {p, o}, value_field);
    } else {
      c = ParseScalar(s, {p, WriteTag(o, value_field.tag)}, value_field, wrote);
    }
    if (c.p == nullptr) return UnwindKey(s, key, key_end);
    if (wrote == Wrote::kDropped) {
      o = s.base + start;
    } else {
      const size_t before = static_cast<size_t>(c.o - s.base);
      o = Close(s, c.o, entry);
      const size_t moved = static_cast<size_t>(o - s.base) - before;
      if (unique && !keys.Add(s, key_start + moved, key_size)) {
        Fail(s, key, "the key stands twice");
        return UnwindKey(s, key, key_end);
      }
    }
    p = SkipSpace(s, c.p);
    if (Peek(s, p) != ',') break;
    p = SkipSpace(s, p + 1);
  }
  if (Peek(s, p) != '}') return FailSyntax(s, p, "',' or '}'");
  ++s.depth;
  return {p + 1, Room(s, o)};
}

// Writes a field whose value, not null, stands at c.p.
TRANSCODE_INLINE Cursor ParseField(State& s, Cursor c, const Field& field) {
  if (field.repeated) return field.map ? ParseMap(s, c, field) : ParseList(s, c, field);
  if (field.is_message()) return ParseMessageField(s, c, field);
  Wrote wrote;
  const size_t start = static_cast<size_t>(c.o - s.base);
  c = ParseScalar(s, {c.p, WriteTag(c.o, field.tag)}, field, wrote);
  if (c.p == nullptr) return c;
  if (wrote != Wrote::kValue && (wrote == Wrote::kDropped || (s.skip_zeros && !field.write_zero))) {
    c.o = s.base + start;
  }
  return c;
}

// Which fields and oneofs an object has had.
class SeenFields {
 public:
  // `words` is for messages of more than 64 fields and oneofs together.
  TRANSCODE_INLINE explicit SeenFields(uint64_t* words) : words_(words) {}

  // True: it was there already.
  TRANSCODE_INLINE bool Add(uint32_t index) {
    uint64_t& word = words_ == nullptr ? word_ : words_[index / 64];
    const uint64_t bit = uint64_t{1} << (index % 64);
    const bool seen = (word & bit) != 0;
    word |= bit;
    return seen;
  }

 private:
  uint64_t word_ = 0;
  uint64_t* words_;
};

// The next key of an object at c.p, to a field or to null if it is unknown. Behind the colon. The
// output is where it was, and may have moved: a key that is not plain is read at its end.
[[gnu::noinline]] Cursor FindKey(State& s, Cursor c, const Message& message, const Field** field) {
  if (Peek(s, c.p) != '"') return FailSyntax(s, c.p, "a key");
  const Text text = ReadText(s, {c.p + 1, c.o});
  if (text.after == nullptr) return {nullptr, nullptr};
  *field = message.FindField(text.view());
  const char* p = SkipSpace(s, text.after);
  if (Peek(s, p) != ':') return FailSyntax(s, p, "':'");
  return {p + 1, text.o};
}

TRANSCODE_INLINE bool SameOneof(const Field& a, const Field& b) {
  return a.oneof != Field::kNoOneof && a.oneof == b.oneof;
}

// Notes which watched paths the field is on. Paths that go on are watched in its message.
struct Watch {
  uint64_t paths;  // through the message that the field is of
  size_t level;

  [[gnu::noinline]] uint64_t Enter(State& s, const Field* field) const {
    uint64_t ending = 0;
    for (uint64_t left = paths; left != 0; left &= left - 1) {
      const int at = std::countr_zero(left);
      WatchedPath& path = s.job->watched.data()[at];
      const Field* const on = path.fields.data()[level];
      if (on != field && !SameOneof(*on, *field)) continue;
      const bool last = path.fields.size() == level + 1;
      path.excluded = on != field || (!last && field->message->well_known != WellKnown::kNone);
      if (last || path.excluded) {
        ending |= uint64_t{1} << at;
      } else {
        s.watching |= uint64_t{1} << at;
        s.watch_level = level + 1;
      }
    }
    return ending;
  }

  [[gnu::noinline]] static void Leave(State& s, uint64_t ending, const char* begin,
                                      const char* end) {
    s.watching = 0;
    for (; ending != 0; ending &= ending - 1) {
      WatchedPath& path = s.job->watched.data()[std::countr_zero(ending)];
      path.seen = true;
      path.begin = static_cast<size_t>(begin - s.job->begin);
      path.end = static_cast<size_t>(end - s.job->begin);
    }
  }
};

// A key of an Any, as most texts write it.
constexpr std::string_view kTypeKey = "\"@type\"";
constexpr std::string_view kValueKey = "\"value\"";

// Whether the key at p is the `quoted` one, written with escapes.
[[gnu::noinline]] bool EscapedKeyIs(State& s, const char* p, std::string_view quoted) {
  std::string_view name = quoted.substr(1, quoted.size() - 2);
  for (++p; Peek(s, p) != '"';) {
    char text[8];
    size_t size = 1;
    if (*p == '\\') {
      const Cursor c = ParseEscape(s, {p, text});
      if (c.p == nullptr) return false;  // who reads the key says it
      size = static_cast<size_t>(c.o - text);
      p = c.p;
    } else {
      text[0] = *p++;
    }
    if (size > name.size() || std::memcmp(text, name.data(), size) != 0) return false;
    name.remove_prefix(size);
  }
  return name.empty();
}

// Whether the key at p is the `quoted` one, also where it is written with escapes.
TRANSCODE_INLINE bool KeyIs(State& s, const char* p, std::string_view quoted) {
  if (s.end - p < static_cast<ptrdiff_t>(quoted.size())) return false;  // escapes are longer
  if (std::memcmp(p, quoted.data(), quoted.size()) == 0) return true;
  if (*p != '"') return false;
  // Behind what is the same, another byte than the first of an escape is another key.
  size_t same = 1;
  while (p[same] == quoted[same]) ++same;
  return p[same] == '\\' && EscapedKeyIs(s, p, quoted);
}

// The fields of an object. kAny: it is the content of an Any, whose key @type is skipped.
template <bool kAny>
TRANSCODE_INLINE Cursor ParseObject(State& s, Cursor c, const Message& message) {
  if (Peek(s, c.p) != '{') return FailObject(s, c.p, "an object");
  if (--s.depth < 0) return FailDepth(s, c.p);
  const char* p = SkipSpace(s, c.p + 1);
  char* o = c.o;
  if (Peek(s, p) == '}') {
    ++s.depth;
    return {p + 1, o};
  }
  const Watch watch{s.watching, s.watch_level};
  s.watching = 0;
  const size_t bits = message.fields.size() + message.oneof_count;
  uint64_t* words = nullptr;
  if (bits > 64) {
    const size_t size = (bits + 63) / 64 * sizeof(uint64_t);
    words = static_cast<uint64_t*>(__builtin_alloca(size));
    std::memset(words, 0, size);
  }
  SeenFields seen(words);
  const Field* const fields = message.fields.data();
  const Field* const fields_end = fields + message.fields.size();
  const Field* expected = fields;
  [[maybe_unused]] bool type_seen = false;
  for (;;) {
    const char* const key = p;
    o = Room(s, o);
    const Field* field = expected;
    // Most texts have the fields in the order of the schema, written as we would write them.
    if (expected<fields_end&& static_cast<size_t>(s.end - p)> expected->json_key.size() &&
        SameKey(p, expected->json_key.data(), expected->json_key.size())) [[likely]] {
      p += expected->json_key.size();
    } else {
      if (kAny && KeyIs(s, p, kTypeKey)) {
        if (type_seen && s.options->duplicate_keys == DuplicateKeys::kReject) {
          return Fail(s, p, "the field stands twice");
        }
        type_seen = true;
        p = SkipKey(s, p);
        if (p != nullptr) p = SkipValue(s, p);
        if (p == nullptr) return {nullptr, nullptr};
        goto next;
      }
      c = FindKey(s, {p, o}, message, &field);
      if (c.p == nullptr) return c;
      p = c.p;
      o = c.o;
    }
    p = SkipSpace(s, p);
    if (field == nullptr) [[unlikely]] {
      if (s.options->unknown_fields == UnknownFields::kReject) {
        return Fail(s, key, "the message has no such field");
      }
      p = SkipValue(s, p);
      if (p == nullptr) return {nullptr, nullptr};
    } else {
      if (seen.Add(field->index) && s.options->duplicate_keys == DuplicateKeys::kReject) {
        Fail(s, key, "the field stands twice");
        return UnwindField(s, *field);
      }
      const bool null = Peek(s, p) == 'n' && (field->repeated || !TakesNull(*field));
      if (null) {
        if (!IsWord(s, p, "null", 4)) {
          FailWord(s, p);
          return UnwindField(s, *field);
        }
        p += 4;
      } else {
        if (field->oneof >= 0 && seen.Add(static_cast<uint32_t>(message.fields.size()) +
                                          static_cast<uint32_t>(field->oneof))) {
          Fail(s, key, "another member of the oneof stands before it");
          return UnwindField(s, *field);
        }
        const char* const value = p;
        uint64_t ending = 0;
        if (watch.paths != 0) [[unlikely]]
          ending = watch.Enter(s, field);
        c = ParseField(s, {p, o}, *field);
        if (c.p == nullptr) return UnwindField(s, *field);
        if (watch.paths != 0) [[unlikely]]
          Watch::Leave(s, ending, value, c.p);
        p = c.p;
        o = c.o;
      }
      expected = field + 1;
    }
  next:
    p = SkipSpace(s, p);
    if (Peek(s, p) != ',') break;
    p = SkipSpace(s, p + 1);
  }
  if (Peek(s, p) != '}') return FailSyntax(s, p, "',' or '}'");
  ++s.depth;
  return {p + 1, Room(s, o)};
}

// Any { type_url = 1; value = 2; }, of which JSON has the type under "@type" at any place and the
// fields of the value beside it, or under "value" if its JSON form is not a plain object.

struct AnyType {
  const char* at = nullptr;   // the string of "@type"
  const char* end = nullptr;  // behind the object
  bool empty = false;         // it has no key at all
};

// Looks for the key @type of the object at p.
[[gnu::noinline]] bool FindAnyType(State& s, const char* p, AnyType* found) {
  if (Peek(s, p) != '{') {
    FailObject(s, p, "an object with \"@type\"");
    return false;
  }
  const char* const object = p;
  p = SkipSpace(s, p + 1);
  // The usual place. The rest is then checked as it is parsed.
  if (KeyIs(s, p, kTypeKey)) {
    p = SkipKey(s, p);
    if (p == nullptr) return false;
    found->at = p;
    return true;
  }
  if (Peek(s, p) == '}') {
    if (s.depth < 1) return FailDepth(s, object).p != nullptr;
    found->empty = true;
    found->end = p + 1;
    return true;
  }
  if (--s.depth < 0) return FailDepth(s, object).p != nullptr;
  for (;;) {
    const bool type = KeyIs(s, p, kTypeKey);
    p = SkipKey(s, p);
    if (p == nullptr) return false;
    if (type) {
      found->at = p;
      ++s.depth;
      return true;
    }
    p = SkipValue(s, p);
    if (p == nullptr) return false;
    p = SkipSpace(s, p);
    if (Peek(s, p) != ',') break;
    p = SkipSpace(s, p + 1);
  }
  if (Peek(s, p) != '}') {
    FailSyntax(s, p, "',' or '}'");
  } else {
    Fail(s, object, "the Any has no \"@type\"", "a type as \"type.googleapis.com/pkg.Name\"");
  }
  return false;
}

TRANSCODE_COLD Cursor FailMessageSet(State& s, const char* at) {
  return Fail(s, at, "a message set cannot be read");
}

// The content of an Any of a well-known type: what stands under "value".
[[gnu::noinline]] Cursor ParseAnyValue(State& s, Cursor c, const Message& message) {
  const WellKnown kind = message.well_known;
  if (kind == WellKnown::kMessageSet) return FailMessageSet(s, c.p);
  if (--s.depth < 0) return FailDepth(s, c.p);
  const char* const object = c.p;
  const char* p = SkipSpace(s, c.p + 1);
  bool value_seen = false;
  bool empty = true;  // no value, or null
  bool type_seen = false;
  bool others = false;
  for (;;) {
    const bool value = KeyIs(s, p, kValueKey);
    const bool type = KeyIs(s, p, kTypeKey);
    const char* const key = p;
    p = SkipKey(s, p);
    if (p == nullptr) return {nullptr, nullptr};
    if ((value || type) && s.options->duplicate_keys == DuplicateKeys::kReject &&
        (value ? value_seen : type_seen)) {
      return Fail(s, key, "the field stands twice");
    }
    value_seen |= value;
    type_seen |= type;
    if (value) {
      const bool null = IsWord(s, p, "null", 4) && kind != WellKnown::kValue;
      empty &= null;
      c = null ? Cursor{p + 4, c.o} : ParseMessage(s, {p, Room(s, c.o)}, message);
      if (c.p == nullptr) return UnwindKey(s, key, SkipString(s, key + 1));
      p = c.p;
    } else {
      if (!type && s.options->unknown_fields == UnknownFields::kReject) {
        return Fail(s, key, "the message has no such field", "\"value\"");
      }
      others |= !type;
      p = SkipValue(s, p);
      if (p == nullptr) return {nullptr, nullptr};
    }
    p = SkipSpace(s, p);
    if (Peek(s, p) != ',') break;
    p = SkipSpace(s, p + 1);
  }
  if (Peek(s, p) != '}') return FailSyntax(s, p, "',' or '}'");
  // What else the object has is meant as the value, and would be lost.
  if (!value_seen && others && kind != WellKnown::kEmpty) {
    return Fail(s, object, "the Any of a well-known type has no \"value\"");
  }
  // It is printed with an empty value, which may be an object or an array.
  const bool nests =
      kind == WellKnown::kAny || kind == WellKnown::kStruct || kind == WellKnown::kListValue;
  if (empty && nests && s.depth < 1) return FailDepth(s, object);
  ++s.depth;
  return {p + 1, c.o};
}

[[gnu::noinline]] Cursor ParseAnyObject(State& s, Cursor c, const Message& message) {
  return ParseObject<true>(s, c, message);
}

[[gnu::noinline]] Cursor ParseAny(State& s, Cursor c, const Message& any) {
  AnyType found;
  if (!FindAnyType(s, c.p, &found)) return {nullptr, nullptr};
  if (found.empty) return {found.end, c.o};
  const char* const at = found.at;
  if (Peek(s, at) != '"') return FailObject(s, at, "a type as \"type.googleapis.com/pkg.Name\"");
  char* o = c.o;
  *o++ = kTag1;
  const size_t start = static_cast<size_t>(o - s.base);
  const Cursor url = ParseString(s, {at + 1, o});
  if (url.p == nullptr) return url;
  o = Room(s, url.o);
  const char* name = o;
  const char* const written = s.base + start;
  while (name > written && name[-1] != '/') --name;
  const Message* const message =
      name > written + 1 ? any.types->Find({name, static_cast<size_t>(o - name)}) : nullptr;
  if (message == nullptr) {
    return Fail(s, at, "the type is not known", "a type as \"type.googleapis.com/pkg.Name\"");
  }
  *o++ = kTag2;
  const OpenLength open = Open(s, o);
  const size_t content = static_cast<size_t>(o - s.base);
  const bool plain = message->well_known == WellKnown::kNone;
  c = plain ? ParseAnyObject(s, {c.p, o}, *message) : ParseAnyValue(s, {c.p, o}, *message);
  if (c.p == nullptr) return c;
  if (c.o == s.base + content) return {c.p, s.base + content - 2};
  return {c.p, Close(s, c.o, open)};
}

[[gnu::noinline]] Cursor ParseWrapper(State& s, Cursor c, const Message& message) {
  const Field& field = message.fields.data()[0];
  Wrote wrote;
  const size_t start = static_cast<size_t>(c.o - s.base);
  c = ParseScalar(s, {c.p, WriteTag(c.o, field.tag)}, field, wrote);
  if (c.p != nullptr && wrote == Wrote::kZero) c.o = s.base + start;
  return c;
}

[[gnu::noinline]] Cursor ParseLenientObject(State& s, Cursor c, const Message& message) {
  return ParseObject<false>(s, c, message);
}

[[gnu::noinline]] Cursor ParseWellKnown(State& s, Cursor c, const Message& message) {
  const WellKnown kind = message.well_known;
  if (s.lenient && Peek(s, c.p) == '{' && kind != WellKnown::kAny && kind != WellKnown::kStruct &&
      kind != WellKnown::kValue) {
    return ParseLenientObject(s, c, message);
  }
  switch (message.well_known) {
    case WellKnown::kAny:
      return ParseAny(s, c, message);
    case WellKnown::kTimestamp:
    case WellKnown::kDuration:
    case WellKnown::kFieldMask:
      return ParseTextForm(s, c, message.well_known);
    case WellKnown::kStruct:
      return ParseStruct(s, c);
    case WellKnown::kValue:
      return ParseValue(s, c);
    case WellKnown::kListValue:
      return ParseListValue(s, c);
    case WellKnown::kMessageSet:
      return FailMessageSet(s, c.p);
    case WellKnown::kEmpty:
      return ParseObject<false>(s, c, message);
    default:
      return ParseWrapper(s, c, message);
  }
}

// Writes the content of a message. Needs and leaves room.
Cursor ParseMessage(State& s, Cursor c, const Message& message) {
  if (message.well_known != WellKnown::kNone) [[unlikely]]
    return ParseWellKnown(s, c, message);
  return ParseObject<false>(s, c, message);
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
