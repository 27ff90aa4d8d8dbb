#pragma once

// Reading the wire format. Functions return the byte behind what they read, or null where it is
// not complete or not legal; ReadFailure then tells what is wrong at `s`.
//
// For the sources that are compiled once for each instruction set.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/print_job.h"

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr size_t kMaxVarint = 10;
constexpr size_t kMaxGroups = 100;  // groups in groups that can be skipped

[[gnu::noinline]] const uint8_t* ReadLongVarint(const uint8_t* s, const uint8_t* end,
                                                uint64_t& value) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 70 && s < end; shift += 7) {
    const uint64_t byte = *s++;
    result |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = result;
      return s;
    }
  }
  return nullptr;
}

[[gnu::always_inline]] inline const uint8_t* ReadVarint(const uint8_t* s, const uint8_t* end,
                                                        uint64_t& value) {
  if (s < end && *s < 0x80) [[likely]] {
    value = *s;
    return s + 1;
  }
  if (end - s >= 2 && s[1] < 0x80) {
    value = (*s & 0x7fu) | uint32_t{s[1]} << 7;
    return s + 2;
  }
  return ReadLongVarint(s, end, value);
}

[[gnu::noinline]] PrintFailure VarintFailure(const uint8_t* s, const uint8_t* end) {
  return end - s >= static_cast<ptrdiff_t>(kMaxVarint) ? PrintFailure::kLongVarint
                                                       : PrintFailure::kTruncated;
}

// Null also for number 0 and numbers above 2^29 - 1.
[[gnu::always_inline]] inline const uint8_t* ReadTag(const uint8_t* s, const uint8_t* end,
                                                     uint32_t& tag) {
  uint64_t value = 0;
  s = ReadVarint(s, end, value);
  if (s == nullptr || value < 8 || value > UINT32_MAX) [[unlikely]]
    return nullptr;
  tag = static_cast<uint32_t>(value);
  return s;
}

// One value: of a varint the number, of fixed ones the bits, of the rest the size of what is at
// `s`.
struct Raw {
  uint64_t bits = 0;
  const uint8_t* s = nullptr;
};

const uint8_t* ReadGroup(const uint8_t* s, const uint8_t* end, uint32_t number, Raw& raw);

// The value behind a tag; of a group what is between its start and its end.
[[gnu::always_inline]] inline const uint8_t* ReadRaw(const uint8_t* s, const uint8_t* end,
                                                     uint32_t tag, Raw& raw) {
  if ((tag & 7) == 2) {
    s = ReadVarint(s, end, raw.bits);
    if (s == nullptr || raw.bits > static_cast<size_t>(end - s)) return nullptr;
    raw.s = s;
    return s + raw.bits;
  }
  switch (tag & 7) {
    case 0:
      return ReadVarint(s, end, raw.bits);
    case 1:
      if (end - s < 8) return nullptr;
      std::memcpy(&raw.bits, s, 8);
      return s + 8;
    case 3:
      return ReadGroup(s, end, tag >> 3, raw);
    case 5: {
      if (end - s < 4) return nullptr;
      uint32_t bits;
      std::memcpy(&bits, s, 4);
      raw.bits = bits;
      return s + 4;
    }
    default:
      return nullptr;
  }
}

[[gnu::noinline]] const uint8_t* ReadGroup(const uint8_t* s, const uint8_t* end, uint32_t number,
                                           Raw& raw) {
  uint32_t open[kMaxGroups];
  size_t depth = 0;
  open[depth++] = number;
  raw.s = s;
  while (true) {
    const uint8_t* const at = s;
    uint32_t tag = 0;
    s = ReadTag(s, end, tag);
    if (s == nullptr) return nullptr;
    if ((tag & 7) == 3) {
      if (depth == kMaxGroups) return nullptr;
      open[depth++] = tag >> 3;
    } else if ((tag & 7) == 4) {
      if (open[--depth] != tag >> 3) return nullptr;
      if (depth == 0) {
        raw.bits = static_cast<size_t>(at - raw.s);
        return s;
      }
    } else {
      Raw skipped;
      s = ReadRaw(s, end, tag, skipped);
      if (s == nullptr) return nullptr;
    }
  }
}

// Why the record at `s` cannot be read.
[[gnu::noinline]] PrintFailure RecordFailure(const uint8_t* s, const uint8_t* end) {
  uint64_t tag = 0;
  const uint8_t* value = ReadVarint(s, end, tag);
  if (value == nullptr) return VarintFailure(s, end);
  if (tag < 8 || tag > UINT32_MAX || (tag & 7) > 5) return PrintFailure::kTag;
  if ((tag & 7) == 3 || (tag & 7) == 4) return PrintFailure::kGroup;
  uint64_t number = 0;
  if ((tag & 7) == 0 || ((tag & 7) == 2 && ReadVarint(value, end, number) == nullptr)) {
    return VarintFailure(value, end);
  }
  return PrintFailure::kTruncated;
}

[[gnu::always_inline]] inline bool StartsWith(const uint8_t* s, const uint8_t* end,
                                              const Tag& tag) {
  if (tag.size == 1) return s < end && *s == static_cast<uint8_t>(tag.bytes[0]);
  return tag.size != 0 && end - s >= tag.size && std::memcmp(s, tag.bytes.data(), tag.size) == 0;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
