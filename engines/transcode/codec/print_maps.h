#pragma once

// Maps, google.protobuf.Struct among them. Part of print_isa.cc.
//
// The entries are first gathered (two scratch words each: start and end), because of equal keys
// the last entry wins. Keys are compared by a table of hashes that starts from the address of the
// output, so that no input can make all keys collide.

#include "codec/print_lists.h"

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr uint32_t kKeyNumber = 1;
constexpr uint32_t kValueNumber = 2;

// Any legal entry. False after a failure.
[[gnu::noinline]] bool Printer::ReadAnyEntry(char*& p, const Field& field, const uint8_t* s,
                                             const uint8_t* end, Entry& entry) {
  const Field& key = field.message->fields[0];
  const Field& value = field.message->fields[1];
  entry = {};
  return ForEachRecord({s, end, 0, 0},
                       [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
                         if (number == kKeyNumber && FormOf(key, wire) == Form::kOne)
                           entry.key = raw;
                         if (number != kValueNumber || FormOf(value, wire) != Form::kOne) return;
                         if (value.is_message()) {
                           AddPiece(p, entry.pieces, raw.s, raw.s + raw.bits);
                         } else {
                           entry.value = raw;
                         }
                       });
}

// The common form: a key, a value, nothing else.
bool Printer::ReadEntry(char*& p, const Field& field, const uint8_t* s, const uint8_t* end,
                        Entry& entry) {
  const Field& key = field.message->fields[0];
  const Field& value = field.message->fields[1];
  const uint8_t* at = s;
  if (at < end && *at == static_cast<uint8_t>(key.tag.bytes[0])) [[likely]] {
    at = ReadRaw(at + 1, end, *at, entry.key);
    if (at != nullptr && at < end && *at == static_cast<uint8_t>(value.tag.bytes[0])) [[likely]] {
      at = ReadRaw(at + 1, end, *at, entry.value);
      if (at == end) [[likely]] {
        entry.pieces = {entry.value.s, at, 0, 0};
        return true;
      }
    }
  }
  return ReadAnyEntry(p, field, s, end, entry);
}

// Pushes the start and the end of every entry from `s` on; ends as ListRun does.
[[gnu::noinline]] bool Printer::GatherEntries(char*& p, const Field& field, const uint8_t*& s,
                                              const uint8_t* end) {
  const uint8_t* at = s;
  while (at < end) {
    const uint8_t* const record = at;
    uint32_t tag = 0;
    Raw raw;
    at = ReadTag(at, end, tag);
    if (at != nullptr) {
      const Field* const found = field.parent->FindNumber(tag >> 3);
      if (found != nullptr && found != &field && FormOf(*found, tag) != Form::kOther) {
        s = record;
        return true;
      }
      at = ReadRaw(at, end, tag, raw);
      if (at != nullptr && found == &field && FormOf(field, tag) == Form::kOne) {
        const size_t word = PushWords(p, 2);
        Word(word) = reinterpret_cast<uintptr_t>(raw.s);
        Word(word + 1) = reinterpret_cast<uintptr_t>(raw.s + raw.bits);
      }
    }
    if (at == nullptr) {
      FailRecord(record, end);
      return false;
    }
  }
  s = at;
  return true;
}

[[gnu::always_inline]] inline uint64_t Mix(uint64_t a, uint64_t b) {
  const Uint128 product = Uint128{a} * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

[[gnu::always_inline]] inline uint64_t HashKey(const Raw& key, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = Mix(key.bits ^ seed, kOdd);
  if (key.s == nullptr) return hash;  // a number
  const uint8_t* s = key.s;
  size_t left = key.bits;
  for (; left >= 8; left -= 8, s += 8) {
    uint64_t word;
    std::memcpy(&word, s, 8);
    hash = Mix(word ^ hash, seed | kOdd);
  }
  uint64_t word = 0;
  std::memcpy(&word, s, left);
  return Mix(word ^ hash, seed | kOdd);
}

// Sets the start of every entry to 0 whose key comes again. (Entries that cannot be read stay: to
// print them fails.)
[[gnu::noinline]] void Printer::DropDuplicates(char*& p, const Field& field, size_t at,
                                               size_t count) {
  const Scratch scratch(*this);
  size_t slots = 4;
  while (slots < count * 2) slots *= 2;
  const size_t table = PushWords(p, slots);
  // A slot: the upper half of the hash, and the number of the entry plus one; 0 is free.
  uint64_t* const lowest = &Word(table + slots - 1);
  std::memset(lowest, 0, slots * 8);
  const uint64_t seed = reinterpret_cast<uintptr_t>(base_) ^ reinterpret_cast<uintptr_t>(&count);
  const bool text = field.message->fields[0].type == Type::kString;
  const bool narrow = field.message->fields[0].type == Type::kInt32 ||
                      field.message->fields[0].type == Type::kUint32 ||
                      field.message->fields[0].type == Type::kSint32;
  const bool flag = field.message->fields[0].type == Type::kBool;
  const auto key_of = [&](size_t i, Raw& key) {
    Entry entry;
    const auto* const s = reinterpret_cast<const uint8_t*>(Word(at + 2 * i));
    const auto* const end = reinterpret_cast<const uint8_t*>(Word(at + 2 * i + 1));
    const Scratch pieces(*this);
    const PrintFailure before = job_.failure;
    const bool read = ReadEntry(p, field, s, end, entry);
    job_.failure = before;
    key = entry.key;
    if (!text) {
      key.s = nullptr;
    } else if (key.bits == 0) {
      key.s = reinterpret_cast<const uint8_t*>("");
    }
    if (narrow) key.bits = static_cast<uint32_t>(key.bits);
    if (flag) key.bits = key.bits != 0 ? 1 : 0;
    return read;
  };
  for (size_t i = 0; i < count; ++i) {
    Raw key;
    if (!key_of(i, key)) continue;
    const uint64_t hash = HashKey(key, seed);
    constexpr uint64_t kNumber = 0xffffffff;
    for (size_t slot = hash & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
      const uint64_t word = Word(table + slot);
      if (word == 0) {
        Word(table + slot) = (hash & ~kNumber) | (i + 1);
        break;
      }
      if ((word ^ hash) > kNumber) continue;
      const size_t other = (word & kNumber) - 1;
      Raw earlier;
      key_of(other, earlier);
      if (earlier.bits != key.bits ||
          (key.s != nullptr && std::memcmp(earlier.s, key.s, key.bits) != 0)) {
        continue;
      }
      Word(at + 2 * other) = 0;
      Word(table + slot) = (hash & ~kNumber) | (i + 1);
      break;
    }
  }
}

// ,"key":value
char* Printer::MapEntry(char* p, const Field& field, const uint8_t* s, const uint8_t* end) {
  const Field& key = field.message->fields[0];
  const Field& value = field.message->fields[1];
  const Scratch scratch(*this);
  Entry entry;
  if (!ReadEntry(p, field, s, end, entry)) return In(field);
  if (Ignored(value, entry.value)) return p;
  p = Comma(Room(p, 64));
  if (key.type == Type::kString) {
    p = String(p, entry.key.s, entry.key.bits);
    if (p == nullptr) return In(field);
  } else {
    // Numbers of 64 bits may have their quotes already. (With the room for a number Scalar does not
    // move the text.)
    p = Room(p, 64);
    *p = '"';
    char* const text = p + 1;
    p = Scalar(text, key, entry.key);
    if (*text == '"') {
      std::memmove(text - 1, text, static_cast<size_t>(p - text));
      --p;
    } else {
      *p++ = '"';
    }
  }
  p = Room(p, 8);
  *p++ = ':';
  if (whitespace_) [[unlikely]]
    *p++ = ' ';
  p = value.is_message() ? Value(p, *value.message, entry.pieces) : Scalar(p, value, entry.value);
  if (p == nullptr) [[unlikely]] {
    if (key.type == Type::kString) {
      TraceKey(job_, {reinterpret_cast<const char*>(entry.key.s), entry.key.bits});
    }
    return In(field);
  }
  return p;
}

char* Printer::MapEntries(char* p, const Field& field, size_t at, size_t count) {
  if (count > 1) DropDuplicates(p, field, at, count);
  for (size_t i = 0; i < count; ++i) {
    const auto* const s = reinterpret_cast<const uint8_t*>(Word(at + 2 * i));
    const auto* const end = reinterpret_cast<const uint8_t*>(Word(at + 2 * i + 1));
    if (s == nullptr) continue;
    p = MapEntry(p, field, s, end);
    if (p == nullptr) return nullptr;
  }
  return p;
}

[[gnu::noinline]] char* Printer::Map(char* p, const Field& field, const uint8_t*& s,
                                     const uint8_t* end) {
  const Scratch scratch(*this);
  p = Key(p, field);
  const size_t start = Offset(p);
  const size_t at = words_;
  if (!GatherEntries(p, field, s, end)) return In(field);
  if (whitespace_) ++indent_;
  p = MapEntries(p, field, at, (words_ - at) / 2);
  if (p == nullptr) return nullptr;
  p = Close(p, start, '{', '}');
  if (whitespace_) --indent_;
  return p;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
