#pragma once

// Messages: the fields in order, or put in order first. Part of print_isa.cc.

#include <algorithm>

#include "codec/print_maps.h"

namespace transcode::TRANSCODE_ISA {
namespace {

[[gnu::always_inline]] inline bool IsPlain(const Message& message) {
  return message.well_known == WellKnown::kNone || message.well_known == WellKnown::kEmpty;
}

// One level of nesting; `print` writes the members.
template <class Print>
char* Printer::Object(char* p, const uint8_t* at, Print print) {
  if (--depth_ < 0) [[unlikely]]
    return Fail(PrintFailure::kDepth, at);
  const size_t start = Offset(p);
  if (whitespace_) [[unlikely]]
    ++indent_;
  p = print(p);
  if (p == nullptr) [[unlikely]]
    return nullptr;
  p = Close(p, start, '{', '}');
  if (whitespace_) [[unlikely]]
    --indent_;
  ++depth_;
  return p;
}

char* Printer::Value(char* p, const Message& message, const uint8_t* s, const uint8_t* end) {
  if (IsPlain(message)) [[likely]] {
    return Object(p, s, [&](char* q) { return Fields(q, message, s, end); });
  }
  if (message.well_known == WellKnown::kStruct) return Struct(p, message, s, end);
  return WellKnownValue(p, message, {s, end, 0, 0});
}

[[gnu::noinline]] char* Printer::Value(char* p, const Message& message, const Pieces& pieces) {
  if (pieces.more == 0) return Value(p, message, pieces.s, pieces.end);
  if (!IsPlain(message)) return WellKnownValue(p, message, pieces);
  return Object(p, pieces.s, [&](char* q) { return OutOfOrder(q, message, pieces); });
}

// ,"name":value for every field.
char* Printer::Fields(char* p, const Message& message, const uint8_t* s, const uint8_t* end) {
  const size_t start = Offset(p);
  p = InOrder(p, message, s, end);
  if (p != &restart_) [[likely]]
    return p;
  return OutOfOrder(base_ + start, message, s, end);
}

// Prints while it reads. Gives up (&restart_) where a field comes too late or again.
[[gnu::noinline]] char* Printer::InOrder(char* p, const Message& message, const uint8_t* s,
                                         const uint8_t* end) {
  Chain chain;
  chain.message = &message;
  chain.s = s;
  chain.end = end;
  p = InOrderChain(p, chain);
  if (chain.size == 0) return p;
  if (p == &restart_) [[unlikely]]
    p = OutOfOrder(base_ + chain.start, *chain.message, chain.s, chain.end);
  depth_ += chain.size;
  if (p == nullptr) [[unlikely]] {
    while (chain.size != 0) In(*chain.fields[--chain.size]);
    return nullptr;
  }
  p = Close(p, chain.start, '{', '}');
  const auto outer = static_cast<size_t>(chain.size) - 1;
  p = Room(p, outer);
  std::memset(p, '}', outer);
  return p + outer;
}

// Goes into a message that ends its message in place, without a call. Before the first message in
// it is printed, the rest is checked, so that no message is printed twice: at a depth of n it would
// be 2^n times.
char* Printer::InOrderChain(char* p, Chain& chain) {
  const Message* message = chain.message;
  const uint8_t* s = chain.s;
  const uint8_t* end = chain.end;
  uint32_t next = 0;  // fields below it may not come any more
  int oneof = Field::kNoOneof;
  bool checked = message->fields.size() == 1;
  while (s < end) {
    const uint8_t* const record = s;
    uint32_t tag = 0;
    s = ReadTag(s, end, tag);
    if (s == nullptr) [[unlikely]]
      return FailRecord(record, end);
    const Field* const found = message->FindNumber(tag >> 3);
    const Form form = found == nullptr ? Form::kOther : FormOf(*found, tag);
    if (form == Form::kOther) [[unlikely]] {
      Raw raw;
      s = ReadRaw(s, end, tag, raw);
      if (s == nullptr) return FailRecord(record, end);
      continue;
    }
    const Field& field = *found;
    if (field.index < next) [[unlikely]]
      return &restart_;
    if (field.oneof != Field::kNoOneof) {
      if (field.oneof == oneof) [[unlikely]]
        return &restart_;
      oneof = field.oneof;
    }
    if (unpopulated_ != Unset::kNone) [[unlikely]]
      p = UnsetFields(p, *message, next, field.index);
    next = field.index + 1;
    if (field.repeated) {
      if (field.message != nullptr && !checked &&
          (!field.map || field.message->fields[1].message != nullptr)) {
        if (!RestInOrder(*message, record, end, field.index, Field::kNoOneof)) return &restart_;
        checked = true;
      }
      s = record;
      p = field.map ? Map(p, field, s, end) : List(p, field, s, end);
      if (p == nullptr) [[unlikely]]
        return nullptr;
      continue;
    }
    Raw raw;
    s = ReadRaw(s, end, tag, raw);
    if (s == nullptr) [[unlikely]]
      return FailRecord(record, end);
    if (field.message != nullptr) {
      if (s < end && !checked) {
        if (!RestInOrder(*message, s, end, next, oneof)) return &restart_;
        checked = true;
      }
      p = Key(p, field);
      if (s == end && chain.size < Chain::kMost && depth_ > 0 && IsPlain(*field.message) &&
          unpopulated_ == Unset::kNone && !whitespace_) {
        --depth_;
        if (chain.size != 0) base_[chain.start] = '{';
        chain.fields[chain.size++] = &field;
        chain.start = Offset(p);
        message = chain.message = field.message;
        s = raw.s;
        end = chain.end = raw.s + raw.bits;
        if (field.parent == field.message) p = Alike(p, field, s, chain);
        chain.s = s;
        next = 0;
        oneof = Field::kNoOneof;
        checked = message->fields.size() == 1;
        continue;
      }
      p = Value(p, *field.message, raw.s, raw.s + raw.bits);
    } else {
      if (Ignored(field, raw)) continue;
      if (IsLeftOut(field, raw)) continue;
      p = Scalar(Key(p, field), field, raw);
    }
    if (p == nullptr) [[unlikely]]
      return In(field);
  }
  if (unpopulated_ != Unset::kNone) [[unlikely]] {
    p = UnsetFields(p, *message, next, static_cast<uint32_t>(message->fields.size()));
  }
  return p;
}

// Goes on through messages that hold nothing but one of their own kind in the same field: nothing
// has to be looked up, so one need not wait for the other.
char* Printer::Alike(char* p, const Field& field, const uint8_t*& s, Chain& chain) {
  int size = chain.size;
  const int most = std::min(Chain::kMost, size + depth_);
  while (size < most && StartsWith(s, chain.end, field.tag)) {
    uint64_t rest = 0;
    const uint8_t* const value = ReadVarint(s + field.tag.size, chain.end, rest);
    if (value == nullptr || rest != static_cast<size_t>(chain.end - value)) break;
    p = Key(p, field);
    base_[chain.start] = '{';
    chain.start = Offset(p);
    chain.fields[size++] = &field;
    s = value;
  }
  depth_ -= size - chain.size;
  chain.size = size;
  return p;
}

// Whether InOrder would get to the end without giving up. What cannot be read it will find, too.
bool Printer::RestInOrder(const Message& message, const uint8_t* s, const uint8_t* end,
                          uint32_t next, int oneof) const {
  const Field* last = nullptr;
  while (s < end) {
    uint32_t tag = 0;
    s = ReadTag(s, end, tag);
    if (s == nullptr) return true;
    Raw raw;
    s = ReadRaw(s, end, tag, raw);
    if (s == nullptr) return true;
    const Field* const field = message.FindNumber(tag >> 3);
    if (field == nullptr || FormOf(*field, tag) == Form::kOther) continue;
    if (field == last && field->repeated) continue;
    if (field->index < next) return false;
    if (field->oneof != Field::kNoOneof) {
      if (field->oneof == oneof) return false;
      oneof = field->oneof;
    }
    next = field->index + 1;
    last = field;
  }
  return true;
}

// The records of known fields, two scratch words each, in the order of their fields; records of
// one field stay in the order of the wire.
[[gnu::noinline]] char* Printer::OutOfOrder(char* p, const Message& message, const Pieces& pieces) {
  const Scratch scratch(*this);
  const size_t at = words_;
  if (!IndexRecords(p, message, pieces)) return nullptr;
  const size_t count = (words_ - at) / 2;
  SortRecords(p, at, count, message.fields.size());
  const auto field_of = [&](size_t i) -> const Field& {
    return message.fields[Word(at + 2 * i) & 0xffffffff];
  };
  uint32_t next = 0;
  for (size_t i = 0; i < count;) {
    // The records of one field, or of one oneof.
    const int oneof = field_of(i).oneof;
    const auto same = [&](size_t j) {
      return &field_of(j) == &field_of(i) ||
             (oneof != Field::kNoOneof && field_of(j).oneof == oneof);
    };
    size_t stop = i + 1;
    while (stop < count && same(stop)) ++stop;
    size_t first = i;
    size_t last = stop - 1;
    if (&field_of(first) != &field_of(last)) {
      // The last one on the wire says which member is set, and what came before another member of
      // the oneof is lost.
      for (size_t j = i; j < stop; ++j) {
        if (Word(at + 2 * j + 1) > Word(at + 2 * last + 1)) last = j;
      }
      uint64_t lost = 0;
      for (size_t j = i; j < stop; ++j) {
        if (&field_of(j) != &field_of(last)) {
          const uint64_t place = Word(at + 2 * j + 1);
          lost = lost < place ? place : lost;
        }
      }
      first = last;
      while (first > i && &field_of(first - 1) == &field_of(last) &&
             Word(at + 2 * first - 1) > lost) {
        --first;
      }
    }
    const Field& field = field_of(last);
    if (unpopulated_ != Unset::kNone) p = UnsetFields(p, message, next, field.index);
    next = field.index + 1;
    p = Records(p, field, at + 2 * first, last + 1 - first);
    if (p == nullptr) return nullptr;
    i = stop;
  }
  if (unpopulated_ != Unset::kNone) {
    p = UnsetFields(p, message, next, static_cast<uint32_t>(message.fields.size()));
  }
  return p;
}

[[gnu::noinline]] char* Printer::OutOfOrder(char* p, const Message& message, const uint8_t* s,
                                            const uint8_t* end) {
  return OutOfOrder(p, message, Pieces{s, end, 0, 0});
}

// Pushes for every record of a known field the index of the field with, in the upper half, the size
// of the record; then the place of the record.
bool Printer::IndexRecords(char*& p, const Message& message, const Pieces& pieces) {
  for (size_t i = 0; i <= pieces.more; ++i) {
    const uint8_t* s = PieceStart(pieces, i);
    const uint8_t* const end = PieceEnd(pieces, i);
    while (s < end) {
      const uint8_t* const record = s;
      uint32_t tag = 0;
      Raw raw;
      s = ReadTag(s, end, tag);
      if (s != nullptr) s = ReadRaw(s, end, tag, raw);
      if (s == nullptr) {
        FailRecord(record, end);
        return false;
      }
      const Field* const field = message.FindNumber(tag >> 3);
      if (field == nullptr || FormOf(*field, tag) == Form::kOther || Ignored(*field, raw)) continue;
      const size_t word = PushWords(p, 2);
      Word(word) = static_cast<uint64_t>(s - record) << 32 | field->index;
      Word(word + 1) = reinterpret_cast<uintptr_t>(record);
    }
  }
  return true;
}

// By insertion if there are few, else by the bytes of the index, the lowest first.
void Printer::SortRecords(char*& p, size_t at, size_t count, size_t field_count) {
  constexpr uint64_t kIndex = 0xffffffff;
  if (count <= 24) {
    for (size_t i = 1; i < count; ++i) {
      const uint64_t word = Word(at + 2 * i);
      const uint64_t place = Word(at + 2 * i + 1);
      size_t j = i;
      for (; j > 0 && (Word(at + 2 * j - 2) & kIndex) > (word & kIndex); --j) {
        Word(at + 2 * j) = Word(at + 2 * j - 2);
        Word(at + 2 * j + 1) = Word(at + 2 * j - 1);
      }
      Word(at + 2 * j) = word;
      Word(at + 2 * j + 1) = place;
    }
    return;
  }
  const Scratch scratch(*this);
  const size_t copy = PushWords(p, 2 * count);
  for (unsigned shift = 0; shift < 32 && field_count > size_t{1} << shift; shift += 8) {
    size_t places[256] = {};
    for (size_t i = 0; i < count; ++i) {
      Word(copy + 2 * i) = Word(at + 2 * i);
      Word(copy + 2 * i + 1) = Word(at + 2 * i + 1);
      ++places[Word(at + 2 * i) >> shift & 0xff];
    }
    size_t sum = 0;
    for (size_t& place : places) {
      const size_t here = place;
      place = sum;
      sum += here;
    }
    for (size_t i = 0; i < count; ++i) {
      const size_t to = places[Word(copy + 2 * i) >> shift & 0xff]++;
      Word(at + 2 * to) = Word(copy + 2 * i);
      Word(at + 2 * to + 1) = Word(copy + 2 * i + 1);
    }
  }
}

// One field from the `count` records at scratch word `at`.
char* Printer::Records(char* p, const Field& field, size_t at, size_t count) {
  const auto start_of = [&](size_t i) {
    return reinterpret_cast<const uint8_t*>(Word(at + 2 * i + 1));
  };
  const auto end_of = [&](size_t i) { return start_of(i) + (Word(at + 2 * i) >> 32); };
  const auto raw_of = [&](size_t i) {
    uint32_t tag = 0;
    Raw raw;
    const uint8_t* const value = ReadTag(start_of(i), end_of(i), tag);
    ReadRaw(value, end_of(i), tag, raw);
    return raw;
  };
  const Scratch scratch(*this);
  if (field.repeated) {
    const size_t before = Offset(p);
    p = Key(p, field);
    const size_t start = Offset(p);
    if (whitespace_) ++indent_;
    if (field.map) {
      const size_t entries = words_;
      for (size_t i = 0; i < count; ++i) {
        const uint8_t* s = start_of(i);
        if (!GatherEntries(p, field, s, end_of(i))) return In(field);
      }
      p = MapEntries(p, field, entries, (words_ - entries) / 2);
      if (p != nullptr) p = Close(p, start, '{', '}');
    } else {
      size_t index = 0;
      for (size_t i = 0; i < count && p != nullptr; ++i) {
        const uint8_t* s = start_of(i);
        p = ListRun(p, field, s, end_of(i), index);
      }
      if (p != nullptr) p = CloseList(p, field, before, start);
    }
    if (whitespace_) --indent_;
    return p;
  }
  if (field.message != nullptr) {
    Pieces pieces;
    for (size_t i = 0; i < count; ++i) {
      const Raw raw = raw_of(i);
      AddPiece(p, pieces, raw.s, raw.s + raw.bits);
    }
    p = Value(Key(p, field), *field.message, pieces);
  } else {
    const Raw raw = raw_of(count - 1);
    if (IsLeftOut(field, raw)) return p;
    p = Scalar(Key(p, field), field, raw);
  }
  return p == nullptr ? In(field) : p;
}

// The fields with index [from, to), as far as the options want them.
[[gnu::noinline]] char* Printer::UnsetFields(char* p, const Message& message, uint32_t from,
                                             uint32_t to) {
  for (uint32_t i = from; i < to; ++i) {
    const Field& field = message.fields[i];
    if (field.extension || field.oneof != Field::kNoOneof) continue;
    if (field.repeated) {
      p = Key(p, field);
      std::memcpy(p, field.map ? "{}" : "[]", 2);
      p += 2;
    } else if (!field.has_presence) {
      p = Scalar(Key(p, field), field, {});
    } else if (unpopulated_ == Unset::kAll) {
      p = Key(p, field);
      std::memcpy(p, "null", 4);
      p += 4;
    }
  }
  return p;
}

// Only the value of one field of the message at `s`.
char* Printer::OneField(char* p, const Field& field, const uint8_t* s, const uint8_t* end) {
  const Scratch scratch(*this);
  const size_t at = words_;
  while (s < end) {
    const uint8_t* const record = s;
    uint32_t tag = 0;
    Raw raw;
    s = ReadTag(s, end, tag);
    if (s != nullptr) s = ReadRaw(s, end, tag, raw);
    if (s == nullptr) return FailRecord(record, end);
    const Field* const found = field.parent->FindNumber(tag >> 3);
    if (found == nullptr || FormOf(*found, tag) == Form::kOther || Ignored(*found, raw)) continue;
    if (found != &field) {
      // Another member of its oneof unsets it.
      if (field.oneof != Field::kNoOneof && found->oneof == field.oneof) {
        limit_ += 8 * (words_ - at);
        words_ = at;
      }
      continue;
    }
    const size_t word = PushWords(p, 2);
    Word(word) = static_cast<uint64_t>(s - record) << 32 | field.index;
    Word(word + 1) = reinterpret_cast<uintptr_t>(record);
  }
  const size_t start = Offset(p);
  const size_t count = (words_ - at) / 2;
  bare_ = odd_key_ = true;
  if (count != 0) p = Records(p, field, at, count);
  if (p == nullptr || Offset(p) != start) return p;
  p = Room(p, 64);
  if (field.message == nullptr && !field.repeated) return Scalar(p, field, {});
  const std::string_view text = field.map ? "{}" : field.repeated ? "[]" : "null";
  std::memcpy(p, text.data(), text.size());
  return p + text.size();
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
