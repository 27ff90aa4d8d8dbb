#pragma once

// The messages whose JSON is special. Part of print_isa.cc.

#include "codec/print_messages.h"

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr int64_t kMinTimestamp = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMaxTimestamp = 253402300799;  // 9999-12-31T23:59:59Z
constexpr int64_t kMaxDuration = 315576000000;   // 10,000 years

// The numbers of google.protobuf.Value.
enum : uint8_t { kNumber = 2, kString = 3, kBool = 4, kStruct = 5, kList = 6 };

char* Printer::WellKnownValue(char* p, const Message& message, const Pieces& pieces) {
  p = Room(p, 64);
  switch (message.well_known) {
    case WellKnown::kValue:
      return pieces.more == 0 ? DynamicValue(p, message, pieces.s, pieces.end)
                              : AnyDynamicValue(p, message, pieces);
    case WellKnown::kStruct:
      return Object(p, pieces.s, [&](char* q) { return Entries(q, message, pieces); });
    case WellKnown::kListValue:
      return ListValue(p, message, pieces);
    case WellKnown::kTimestamp:
      return TimestampText(p, pieces);
    case WellKnown::kDuration:
      return DurationText(p, pieces);
    case WellKnown::kFieldMask:
      return FieldMaskText(p, pieces);
    case WellKnown::kAny:
      return Any(p, pieces);
    case WellKnown::kMessageSet:
      return Fail(PrintFailure::kMessageSet, pieces.s);
    default:
      return Wrapper(p, message, pieces);
  }
}

// ".5" as 0, 3, 6 or 9 digits, with the point.
[[gnu::always_inline]] inline char* WriteFraction(char* p, uint32_t nanos) {
  if (nanos == 0) return p;
  *p++ = '.';
  *p = static_cast<char>('0' + nanos / 100000000);
  Write8(p + 1, nanos % 100000000);
  return p + (nanos % 1000000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : 9);
}

char* Printer::TimestampText(char* p, const Pieces& pieces) {
  int64_t seconds = 0;
  int32_t nanos = 0;
  const bool read =
      ForEachRecord(pieces, [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
        if (number == 1 && wire == 0) seconds = static_cast<int64_t>(raw.bits);
        if (number == 2 && wire == 0) nanos = static_cast<int32_t>(raw.bits);
      });
  if (!read) return nullptr;
  if (seconds < kMinTimestamp || seconds > kMaxTimestamp || nanos < 0 || nanos > 999999999) {
    return Fail(PrintFailure::kTimestamp, pieces.s);
  }
  // Days from 0000-03-01, so that a leap day ends its year.
  constexpr uint32_t kDaysTo1970 = 719468;
  constexpr uint32_t kDaysOf400Years = 146097;
  const auto from_march = static_cast<uint64_t>(seconds + int64_t{kDaysTo1970} * 86400);
  const auto days = static_cast<uint32_t>(from_march / 86400);
  const auto second = static_cast<uint32_t>(from_march % 86400);
  const uint32_t era = days / kDaysOf400Years;
  const uint32_t day_of_era = days % kDaysOf400Years;
  const uint32_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint32_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint32_t shifted_month = (5 * day_of_year + 2) / 153;  // March is 0
  const uint32_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const uint32_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const uint32_t year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
  // Two digits of the time and of the date at a time: YYYYMMDD, 00hhmmss.
  const uint64_t date = EightDigits(year * 10000 + month * 100 + day) | kZeros;
  const uint64_t time =
      EightDigits(second / 3600 * 10000 + second / 60 % 60 * 100 + second % 60) | kZeros;
  const auto two = [p](size_t at, uint64_t digits, unsigned first, char behind) {
    const auto text = static_cast<uint16_t>(digits >> 8 * first);
    std::memcpy(p + at, &text, 2);
    p[at + 2] = behind;
  };
  *p = '"';
  std::memcpy(p + 1, &date, 4);
  p[5] = '-';
  two(6, date, 4, '-');
  two(9, date, 6, 'T');
  two(12, time, 2, ':');
  two(15, time, 4, ':');
  two(18, time, 6, 'Z');
  p = WriteFraction(p + 20, static_cast<uint32_t>(nanos));
  p[0] = 'Z';
  p[1] = '"';
  return p + 2;
}

char* Printer::DurationText(char* p, const Pieces& pieces) {
  int64_t seconds = 0;
  int32_t nanos = 0;
  const bool read =
      ForEachRecord(pieces, [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
        if (number == 1 && wire == 0) seconds = static_cast<int64_t>(raw.bits);
        if (number == 2 && wire == 0) nanos = static_cast<int32_t>(raw.bits);
      });
  if (!read) return nullptr;
  if (seconds < -kMaxDuration || seconds > kMaxDuration || nanos < -999999999 ||
      nanos > 999999999 || (seconds < 0 && nanos > 0) || (seconds > 0 && nanos < 0)) {
    return Fail(PrintFailure::kDuration, pieces.s);
  }
  *p++ = '"';
  if (seconds < 0 || nanos < 0) *p++ = '-';
  p = WriteU64(p, static_cast<uint64_t>(seconds < 0 ? -seconds : seconds));
  p = WriteFraction(p, static_cast<uint32_t>(nanos < 0 ? -nanos : nanos));
  p[0] = 's';
  p[1] = '"';
  return p + 2;
}

char* Printer::FieldMaskText(char* p, const Pieces& pieces) {
  *p++ = '"';
  size_t paths = 0;
  bool empty = false;
  const bool read =
      ForEachRecord(pieces, [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
        if (number != 1 || wire != 2 || p == nullptr) return;
        empty |= raw.bits == 0;
        // An empty path alone is an empty text; beside others it would be a comma too many.
        if (++paths > 1 && empty) {
          p = Fail(PrintFailure::kFieldMask, raw.s);
          return;
        }
        p = Room(p, 2 * raw.bits);
        if (paths > 1) *p++ = ',';
        p = MaskPath(p, raw.s, raw.bits);
      });
  if (!read || p == nullptr) return nullptr;
  p = Room(p, 1);
  *p++ = '"';
  return p;
}

// foo_bar.baz to fooBar.baz. A path that would not come back the same is refused; other characters
// stay as they are ("*", which means all fields, among them).
char* Printer::MaskPath(char* p, const uint8_t* s, size_t size) {
  bool ascii = true;
  for (size_t i = 0; i < size; ++i) {
    const uint8_t c = s[i];
    if (c == '_') {
      if (++i == size || s[i] < 'a' || s[i] > 'z') break;
      *p++ = static_cast<char>(s[i] - 'a' + 'A');
    } else if (c >= ' ' && c < 0x7f && !(c >= 'A' && c <= 'Z') && c != ',' && c != '"' &&
               c != '\\' && c != '<' && c != '>' && c != '&') {
      *p++ = static_cast<char>(c);
    } else if (c >= 0x80) {
      ascii = false;
      *p++ = static_cast<char>(c);
    } else if ((c >= 'A' && c <= 'Z') || c == ',') {
      break;
    } else {
      p = Room(p, 6 + 2 * (size - i));
      std::memcpy(p, "\\u00", 4);
      p[4] = static_cast<char>('0' + (c >> 4));
      p[5] = "0123456789abcdef"[c & 15];
      p += 6;
    }
    if (i + 1 == size) {
      return ascii || !check_utf8_ || IsUtf8(s, size) ? p : Fail(PrintFailure::kUtf8, s);
    }
  }
  if (size == 0) return p;
  return Fail(PrintFailure::kFieldMask, s, {reinterpret_cast<const char*>(s), size});
}

// The entries of a Struct.
[[gnu::noinline]] char* Printer::Entries(char* p, const Message& message, const Pieces& pieces) {
  const Field& field = message.fields[0];
  const Scratch scratch(*this);
  const size_t at = words_;
  for (size_t i = 0; i <= pieces.more; ++i) {
    const uint8_t* s = PieceStart(pieces, i);
    if (!GatherEntries(p, field, s, PieceEnd(pieces, i))) return In(field);
  }
  return MapEntries(p, field, at, (words_ - at) / 2);
}

constexpr uint8_t kEntryTag = 0x0a;  // of Struct.fields, and of the key in an entry
constexpr uint8_t kValueTag = 0x12;

// ,"key":value of the common form of an entry, without a call for each part of it.
char* Printer::StructEntry(char* p, const Field& field, const uint8_t* s, const uint8_t* end) {
  uint64_t key_size = 0;
  if (s < end && *s == kEntryTag) [[likely]] {
    const uint8_t* const key = ReadVarint(s + 1, end, key_size);
    if (key != nullptr && key_size < static_cast<size_t>(end - key)) [[likely]] {
      const uint8_t* const value = key + key_size;
      uint64_t size = 0;
      const uint8_t* const at = *value == kValueTag ? ReadVarint(value + 1, end, size) : nullptr;
      if (at != nullptr && size == static_cast<size_t>(end - at)) [[likely]] {
        p = Comma(Room(p, 64));
        p = String(p, key, key_size);
        if (p == nullptr) return In(field);
        p = Room(p, 64);
        *p++ = ':';
        if (whitespace_) [[unlikely]]
          *p++ = ' ';
        p = DynamicValue(p, *field.message->fields[1].message, at, end);
        if (p != nullptr) [[likely]]
          return p;
        TraceKey(job_, {reinterpret_cast<const char*>(key), key_size});
        return In(field);
      }
    }
  }
  return MapEntry(p, field, s, end);
}

[[gnu::noinline]] char* Printer::Struct(char* p, const Message& message, const uint8_t* s,
                                        const uint8_t* end) {
  return Object(p, s, [&](char* q) {
    // One entry needs no list of entries.
    if (s < end && *s == kEntryTag) [[likely]] {
      uint64_t size = 0;
      const uint8_t* const entry = ReadVarint(s + 1, end, size);
      if (entry != nullptr && size == static_cast<size_t>(end - entry)) {
        return StructEntry(q, message.fields[0], entry, end);
      }
    }
    return Entries(q, message, {s, end, 0, 0});
  });
}

char* Printer::ListValue(char* p, const Message& message, const Pieces& pieces) {
  if (--depth_ < 0) return Fail(PrintFailure::kDepth, pieces.s);
  const size_t start = Offset(p);
  if (whitespace_) [[unlikely]]
    ++indent_;
  size_t index = 0;
  for (size_t i = 0; i <= pieces.more; ++i) {
    const uint8_t* s = PieceStart(pieces, i);
    p = ListRun(p, message.fields[0], s, PieceEnd(pieces, i), index);
    if (p == nullptr) return nullptr;
  }
  p = Close(p, start, '[', ']');
  if (whitespace_) [[unlikely]]
    --indent_;
  ++depth_;
  return p;
}

char* Printer::DynamicValue(char* p, const Message& message, const uint8_t* s, const uint8_t* end) {
  p = Room(p, 64);
  // The common form: one of the kinds, nothing else.
  if (end - s >= 2) [[likely]] {
    const uint8_t tag = *s;
    if (tag == (kStruct << 3 | 2) || tag == (kString << 3 | 2) || tag == (kList << 3 | 2)) {
      uint64_t size = 0;
      const uint8_t* const at = ReadVarint(s + 1, end, size);
      if (at != nullptr && size == static_cast<size_t>(end - at)) [[likely]] {
        if (tag == (kStruct << 3 | 2)) return Struct(p, *message.fields[4].message, at, end);
        if (tag == (kString << 3 | 2)) return String(p, at, size);
        return ListValue(p, *message.fields[5].message, {at, end, 0, 0});
      }
    } else if (tag == (kNumber << 3 | 1) && end - s == 9) {
      Raw raw;
      std::memcpy(&raw.bits, s + 1, 8);
      raw.s = s + 1;
      return DynamicKind(p, message, kNumber, raw, {});
    }
  }
  return AnyDynamicValue(p, message, {s, end, 0, 0});
}

[[gnu::noinline]] char* Printer::AnyDynamicValue(char* p, const Message& message,
                                                 const Pieces& pieces) {
  // The last kind wins; structs and lists are merged as long as no other kind comes between.
  uint32_t kind = 0;
  Raw last;
  Pieces merged;
  const Scratch scratch(*this);
  const size_t words = words_;
  const bool read =
      ForEachRecord(pieces, [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
        const Field* const field = message.FindNumber(number);
        if (field == nullptr || FormOf(*field, wire) != Form::kOne) return;
        if (number != kind) {
          limit_ += 8 * (words_ - words);
          words_ = words;
          merged = {};
        }
        kind = number;
        last = raw;
        if (last.s == nullptr) last.s = pieces.s;
        if (field->message != nullptr) AddPiece(p, merged, raw.s, raw.s + raw.bits);
      });
  if (!read) return nullptr;
  return DynamicKind(p, message, kind, last, merged);
}

char* Printer::DynamicKind(char* p, const Message& message, uint32_t number, const Raw& raw,
                           const Pieces& pieces) {
  p = Room(p, 64);
  switch (number) {
    case kNumber: {
      const auto value = std::bit_cast<double>(raw.bits);
      if ((raw.bits >> 52 & 0x7ff) == 0x7ff) {
        return Fail(PrintFailure::kNumberValue, raw.s);
      }
      return FloatText(p, value);
    }
    case kString:
      return String(p, raw.s, raw.bits);
    case kBool:
      return WriteBool(p, raw.bits != 0);
    case kStruct:
      return Object(p, pieces.s,
                    [&](char* q) { return Entries(q, *message.fields[4].message, pieces); });
    case kList:
      return ListValue(p, *message.fields[5].message, pieces);
    default:  // null, or nothing set
      std::memcpy(p, "null", 4);
      return p + 4;
  }
}

char* Printer::Wrapper(char* p, const Message& message, const Pieces& pieces) {
  const Field& field = message.fields[0];
  Raw last;
  const bool read =
      ForEachRecord(pieces, [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
        if (number == 1 && FormOf(field, wire) == Form::kOne) last = raw;
      });
  if (!read) return nullptr;
  return Scalar(p, field, last);
}

char* Printer::Any(char* p, const Pieces& pieces) {
  if (--depth_ < 0) return Fail(PrintFailure::kDepth, pieces.s);
  Raw url;
  Raw value;
  const bool read =
      ForEachRecord(pieces, [&](uint32_t number, uint32_t wire, const Raw& raw, const uint8_t*) {
        if (number == 1 && wire == 2) url = raw;
        if (number == 2 && wire == 2) value = raw;
      });
  if (!read) return nullptr;
  ++depth_;
  if (url.bits == 0) {
    if (value.bits != 0) return Fail(PrintFailure::kAnyUrl, pieces.s);
    p[0] = '{';
    p[1] = '}';
    return p + 2;
  }
  const std::string_view text(reinterpret_cast<const char*>(url.s), url.bits);
  const void* const slash = memrchr(text.data(), '/', text.size());
  if (slash == nullptr) return Fail(PrintFailure::kAnyUrl, url.s, text);
  const char* const begin = static_cast<const char*>(slash) + 1;
  const std::string_view name(begin, static_cast<size_t>(text.data() + text.size() - begin));
  const Message* const message = job_.types->Find(name);
  if (message == nullptr) return Fail(PrintFailure::kAnyType, url.s, name);
  --depth_;
  const size_t start = Offset(p);
  if (whitespace_) [[unlikely]]
    ++indent_;
  p = Room(Comma(p), 16);
  std::memcpy(p, "\"@type\": ", 9);
  p = String(p + (whitespace_ ? 9 : 8), url.s, url.bits);
  if (p == nullptr) return nullptr;
  const Pieces inner{value.s, value.s + value.bits, 0, 0};
  if (message->well_known == WellKnown::kNone || message->well_known == WellKnown::kEmpty) {
    p = Fields(p, *message, inner.s, inner.end);
  } else {
    p = Room(Comma(Room(p, 1)), 16);
    std::memcpy(p, "\"value\": ", 9);
    p = Value(p + (whitespace_ ? 9 : 8), *message, inner);
  }
  if (p == nullptr) return nullptr;
  p = Close(p, start, '{', '}');
  if (whitespace_) [[unlikely]]
    --indent_;
  ++depth_;
  return p;
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
