#pragma once

// The well-known types whose JSON form is a string: Timestamp, Duration, FieldMask.
// Each writes the content of the message.

#include "codec/scalars_in.h"

namespace transcode::TRANSCODE_ISA {
namespace {

constexpr int64_t kMinTimestamp = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMaxTimestamp = 253402300799;  // 9999-12-31T23:59:59Z
constexpr int64_t kMaxDuration = 315576000000;   // 10,000 years
constexpr char kTimestampForm[] = "a time as \"2006-01-02T15:04:05.999Z\", years 0001 to 9999";
constexpr char kDurationForm[] = "a duration as \"-1.5s\", up to 315576000000 s";
constexpr char kMaskForm[] = "paths as \"fooBar,baz.qux\"";

// The number of `count` digits at p, or a negative one.
TRANSCODE_INLINE int Digits(const char* p, int count) {
  int value = 0;
  for (int i = 0; i < count; ++i) {
    if (!IsDigit(p[i])) return -1;
    value = value * 10 + (p[i] - '0');
  }
  return value;
}

// Days since 1970-01-01 in the proleptic Gregorian calendar. Years start in March, so that the
// leap day is the last one; 400 of them have 146097 days.
TRANSCODE_INLINE int64_t DaysOf(int year, int month, int day) {
  year -= month <= 2;
  const int era = year / 400;  // years are not negative here
  const int of_era = year - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return int64_t{era} * 146097 + days - 719468;
}

TRANSCODE_INLINE bool LeapYear(int year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

// Reads ".123" (1 to 9 digits) at p if it stands there. Null: wrong.
TRANSCODE_INLINE const char* Fraction(const char* p, const char* end, int32_t* nanos) {
  *nanos = 0;
  if (p == end || *p != '.') return p;
  const char* const first = ++p;
  int32_t value = 0;
  while (p < end && IsDigit(*p) && p - first < 9) value = value * 10 + (*p++ - '0');
  if (p == first) return nullptr;
  for (ptrdiff_t i = p - first; i < 9; ++i) value *= 10;
  *nanos = value;
  return p;
}

// The content of Timestamp and Duration alike.
TRANSCODE_INLINE char* WriteSecondsNanos(char* o, int64_t seconds, int32_t nanos) {
  if (seconds != 0) {
    *o = 0x08;
    o = WriteVarint(o + 1, static_cast<uint64_t>(seconds));
  }
  if (nanos != 0) {
    *o = 0x10;
    o = WriteVarint(o + 1, static_cast<uint64_t>(int64_t{nanos}));
  }
  return o;
}

TRANSCODE_INLINE bool ReadTimestamp(std::string_view text, int64_t* seconds, int32_t* nanos) {
  constexpr size_t kShortest = 20;  // 2006-01-02T15:04:05Z
  const char* p = text.data();
  const char* const end = p + text.size();
  if (text.size() < kShortest) return false;
  const int year = Digits(p, 4), month = Digits(p + 5, 2), day = Digits(p + 8, 2);
  const int hour = Digits(p + 11, 2), minute = Digits(p + 14, 2), second = Digits(p + 17, 2);
  if ((year | month | day | hour | minute | second) < 0) return false;
  if (p[4] != '-' || p[7] != '-' || p[10] != 'T' || p[13] != ':' || p[16] != ':') return false;
  constexpr int8_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) {
    return false;
  }
  if (day > kDays[month - 1] + (month == 2 && LeapYear(year))) return false;
  p = Fraction(p + 19, end, nanos);
  if (p == nullptr || p == end) return false;
  int64_t offset = 0;
  if (*p == 'Z') {
    ++p;
  } else {
    if ((*p != '+' && *p != '-') || end - p != 6 || p[3] != ':') return false;
    const int hours = Digits(p + 1, 2), minutes = Digits(p + 4, 2);
    if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return false;
    offset = (hours * 60 + minutes) * 60;
    if (*p == '-') offset = -offset;
    p += 6;
  }
  *seconds = DaysOf(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  return p == end && *seconds >= kMinTimestamp && *seconds <= kMaxTimestamp;
}

TRANSCODE_INLINE bool ReadDuration(std::string_view text, int64_t* seconds, int32_t* nanos) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  p += negative;
  const char* const first = p;
  int64_t value = 0;
  while (p < end && IsDigit(*p) && p - first < 13) value = value * 10 + (*p++ - '0');
  if (p == first) return false;
  p = Fraction(p, end, nanos);
  if (p == nullptr || end - p != 1 || *p != 's') return false;
  if (value > kMaxDuration) return false;
  *seconds = negative ? -value : value;
  if (negative) *nanos = -*nanos;
  return true;
}

// lowerCamelCase paths to snake_case.
[[gnu::noinline]] Cursor WriteFieldMask(State& s, Cursor c, const char* text, size_t size,
                                        const char* at) {
  const char* p = text;
  const char* const end = text + size;
  char* o = c.o;
  while (p < end) {
    const char* const path = p;
    size_t capitals = 0;
    for (; p < end && *p != ','; ++p) {
      if (*p == '_' && !(s.lenient && p + 1 < end && p[1] >= 'a' && p[1] <= 'z')) {
        return Fail(s, at, "the string is not a field mask", kMaskForm);
      }
      capitals += *p >= 'A' && *p <= 'Z';
    }
    if (p == path) return Fail(s, at, "the string is not a field mask", kMaskForm);
    const size_t length = static_cast<size_t>(p - path) + capitals;
    o = Room(s, o, length + 16);
    *o = 0x0a;
    o = WriteVarint(o + 1, length);
    for (const char* q = path; q < p; ++q) {
      if (*q >= 'A' && *q <= 'Z') {
        *o++ = '_';
        *o++ = static_cast<char>(*q | 0x20);
      } else {
        *o++ = *q;
      }
    }
    if (p < end && ++p == end) return Fail(s, at, "the string is not a field mask", kMaskForm);
  }
  return {c.p, Room(s, o)};
}

// Writes one of the three from its text, which may stand at c.o.
TRANSCODE_INLINE Cursor WriteTextForm(State& s, Cursor c, std::string_view text, WellKnown kind,
                                      const char* at) {
  int64_t seconds;
  int32_t nanos;
  switch (kind) {
    case WellKnown::kTimestamp:
      if (!ReadTimestamp(text, &seconds, &nanos)) {
        return Fail(s, at, "the string is not a timestamp", kTimestampForm);
      }
      return {c.p, WriteSecondsNanos(c.o, seconds, nanos)};
    case WellKnown::kDuration:
      if (!ReadDuration(text, &seconds, &nanos)) {
        return Fail(s, at, "the string is not a duration", kDurationForm);
      }
      return {c.p, WriteSecondsNanos(c.o, seconds, nanos)};
    default: {
      char* const copy = GrowOutput(*s.job->text, 0, text.size());
      std::memcpy(copy, text.data(), text.size());
      return WriteFieldMask(s, c, copy, text.size(), at);
    }
  }
}

[[gnu::noinline]] Cursor ParseTextForm(State& s, Cursor c, WellKnown kind) {
  const char* const at = c.p;
  if (Peek(s, at) != '"') {
    return FailAt(s, at, "the value is not right for the field",
                  kind == WellKnown::kTimestamp  ? kTimestampForm
                  : kind == WellKnown::kDuration ? kDurationForm
                                                 : kMaskForm,
                  nullptr, at >= s.end, Code::kInvalidArgument);
  }
  const Text text = ReadText(s, {at + 1, c.o});
  if (text.after == nullptr) return {nullptr, nullptr};
  return WriteTextForm(s, {text.after, text.o}, text.view(), kind, at);
}

}  // namespace
}  // namespace transcode::TRANSCODE_ISA
