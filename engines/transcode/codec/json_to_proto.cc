#include "codec/json_to_proto.h"

#include <simdutf.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "codec/isa.h"
#include "codec/lenient.h"
#include "codec/parse_job.h"

namespace transcode {

TRANSCODE_DECLARE_ISA(bool ParseJson(ParseJob& job))
TRANSCODE_DECLARE_ISA(bool ParseText(ParseJob& job))
TRANSCODE_DECLARE_ISA(PlainCopy CopyPlain(const char* from, size_t size, char* to))

char* GrowOutput(Buffer& out, size_t used, size_t extra) {
  out.SetSize(used);
  out.Reserve(extra);
  return out.data();
}

void DeferLength(ParseJob& job, size_t position, uint64_t length) {
  const DeferredLength deferred{position, length};
  job.lengths->Append({reinterpret_cast<const char*>(&deferred), sizeof deferred});
}

namespace {

// Whether a number that from_chars found out of range is too small, and not too large: whether its
// first digit that is not 0 stands far behind the point.
bool IsTooSmall(const char* p, const char* end) {
  int64_t power = 0;  // of ten, of the first digit that is not 0, plus one
  bool point = false, found = false;
  for (p += *p == '-'; p < end && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    found = found || *p != '0';
    power += point ? (found ? 0 : -1) : found;
  }
  int64_t exponent = 0;
  if (p < end) {
    const bool negative = *++p == '-';
    for (p += *p == '-' || *p == '+'; p < end && exponent < int64_t{1} << 40; ++p) {
      exponent = exponent * 10 + (*p - '0');
    }
    if (negative) exponent = -exponent;
  }
  return power + exponent < 0;
}

template <class T>
bool SlowNumber(const char* begin, const char* end, T* value) {
  const auto result = std::from_chars(begin, end, *value);
  if (result.ec == std::errc()) return !std::isinf(*value);
  *value = *begin == '-' ? T{-0.0f} : T{0};
  return IsTooSmall(begin, end);
}

}  // namespace

bool SlowDouble(const char* begin, const char* end, double* value) {
  return SlowNumber(begin, end, value);
}

bool SlowFloat(const char* begin, const char* end, float* value) {
  return SlowNumber(begin, end, value);
}

bool LenientDouble(const char* begin, const char* end, double* value) {
  const std::string text(begin, end);
  if (text.empty() || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  if (std::isalpha(static_cast<unsigned char>(text.back())) != 0) return false;  // inf, nan
  char* stop = nullptr;
  *value = std::strtod(text.c_str(), &stop);
  return stop == text.c_str() + text.size() && std::isfinite(*value);
}

bool IsUtf8(const char* text, size_t size) { return simdutf::validate_utf8(text, size); }

Base64Result DecodeBase64(const char* text, size_t size, char* to, Base64 policy) {
  const bool strict = policy == Base64::kStrict;
  const simdutf::result result = simdutf::base64_to_binary(
      text, size, to, strict ? simdutf::base64_default : simdutf::base64_default_or_url,
      strict ? simdutf::last_chunk_handling_options::strict
             : simdutf::last_chunk_handling_options::loose);
  // simdutf skips white space, which the strict form has not.
  if (result.error != simdutf::error_code::SUCCESS ||
      (strict && (result.count + 2) / 3 * 4 != size)) {
    return {false, result.count};
  }
  return {true, result.count};
}

const uint64_t kHashSeed = std::random_device{}() * 0x9e3779b97f4a7c15u;

namespace {

// Moves the bytes behind each deferred length, once, from the end to the front.
void WriteLengths(Buffer& out, Buffer& lengths) {
  auto* const begin = reinterpret_cast<DeferredLength*>(lengths.data());
  auto* const end = begin + lengths.size() / sizeof(DeferredLength);
  std::sort(begin, end, [](const DeferredLength& a, const DeferredLength& b) {
    return a.position < b.position;
  });
  const auto width = [](uint64_t length) {
    return static_cast<size_t>((64 - std::countl_zero(length | 1)) * 9 + 64) / 64;
  };
  size_t extra = 0;
  for (const DeferredLength* it = begin; it != end; ++it) extra += width(it->length) - 1;
  out.Reserve(extra);
  char* const data = out.data();
  size_t moved_end = out.size();
  out.SetSize(out.size() + extra);
  for (const DeferredLength* it = end; it-- != begin;) {
    const size_t from = it->position + 1;
    std::memmove(data + from + extra, data + from, moved_end - from);
    moved_end = it->position;
    extra -= width(it->length) - 1;
    char* o = data + it->position + extra;
    uint64_t left = it->length;
    for (; left >= 0x80; left >>= 7) *o++ = static_cast<char>(left | 0x80);
    *o = static_cast<char>(left);
  }
}

std::string PathOf(const ParseFailure& failure) {
  std::string path;
  for (int i = failure.step_count - 1; i >= 0; --i) {
    const PathStep& step = failure.steps[i];
    switch (step.kind) {
      case PathStep::Kind::kField:
        if (!path.empty()) path += '.';
        path += step.field->name;
        break;
      case PathStep::Kind::kIndex:
        path += '[' + std::to_string(step.size) + ']';
        break;
      case PathStep::Kind::kKey:
        path.append("[").append(step.key, step.size).append("]");
        break;
    }
  }
  return path;
}

std::string ExpectedOf(const Field& field) {
  if (field.enum_type != nullptr) return "a value of " + std::string(field.enum_type->full_name);
  if (field.type == Type::kBytes) return "base64";
  return std::string(TypeName(field.type));
}

// A short piece of the text that went wrong, cut where UTF-8 allows it.
std::string GotAt(const char* at, const char* end) {
  constexpr ptrdiff_t kLongest = 24;
  if (at >= end) return "the end of the text";
  size_t size = static_cast<size_t>(std::min(end - at, kLongest));
  std::string_view text(at, size);
  const size_t stop = text.find_first_of(*at == '"' ? "\n\r" : " \n\r\t,]}", 1);
  text = text.substr(0, stop);
  if (*at == '"') {
    if (const size_t quote = text.find('"', 1); quote != text.npos)
      text = text.substr(0, quote + 1);
  }
  return std::string(text.substr(0, simdutf::trim_partial_utf8(text.data(), text.size())));
}

Error ErrorOf(const ParseJob& job) {
  const ParseFailure& failure = job.failure;
  Error error = MakeError(failure.code, failure.message);
  error.path = PathOf(failure);
  error.offset = static_cast<size_t>(failure.at - job.begin);
  if (failure.expected != nullptr) error.expected = failure.expected;
  if (failure.expected_of != nullptr) error.expected = ExpectedOf(*failure.expected_of);
  error.got = GotAt(failure.at, job.end);
  return error;
}

constexpr size_t kMaxMessage = 0x7fffffff;  // 2 GiB, the limit of protobuf

Error TooLong(size_t size, size_t limit) {
  Error error = MakeError(Code::kResourceExhausted, "the text is too long");
  error.expected = "at most " + std::to_string(limit) + " bytes";
  error.got = std::to_string(size);
  return error;
}

// Gives the job its buffers. What they hold is forgotten.
void Prepare(ParseJob& job, Buffer& out) {
  job.out = &out;
  job.tables = &out.scratch(0);
  job.lengths = &out.scratch(1);
  job.text = &out.scratch(2);
  job.tables->Clear();
  job.lengths->Clear();
}

// Runs the job behind what `out` holds. On a failure `out` is as before.
bool Run(ParseJob& job, Buffer& out) {
  const size_t before = out.size();
  Prepare(job, out);
  // What is wrong with a text the one-pass parser says for both.
  const bool whole =
      !job.prefix && job.body.empty() && job.watched.empty() && !job.lenient && job.cut == nullptr;
  if (job.options->parser == Parser::kOnDemand && whole && ParseOnDemand(job)) return true;
  out.SetSize(before);
  if (!TRANSCODE_DISPATCH(job.options->isa, ParseJson, job)) {
    out.SetSize(before);
    return false;
  }
  if (!job.lengths->empty()) WriteLengths(out, *job.lengths);
  return true;
}

// The second try of Syntax::kLenient, with the text made strict. Nothing: it failed too, for the
// reason in *error.
bool RunLenient(ParseJob job, Buffer& out, Parsed* parsed, Error* error) {
  const LenientText text = MakeStrict({job.value, static_cast<size_t>(job.end - job.value)});
  const size_t offset = static_cast<size_t>(job.value - job.begin);
  job.begin = job.value = text.json.data();
  job.end = job.begin + text.json.size();
  job.lenient = true;
  const bool done = Run(job, out);
  if (!done) {
    *error = ErrorOf(job);
    error->offset = offset + text.OffsetOf(error->offset);
    return false;
  }
  const auto move = [&](size_t at) { return offset + text.OffsetOf(at); };
  for (WatchedPath& path : job.watched) {
    if (path.seen) path.begin = move(path.begin), path.end = move(path.end);
  }
  *parsed = {move(static_cast<size_t>(job.value - job.begin)), false};
  return true;
}

}  // namespace

Result<Parsed> JsonPartToProto(const Message& type, std::string_view json, const ParsePart& part,
                               Buffer& out, const ParseOptions& options) {
  if (!part.append) out.Clear();
  for (WatchedPath& path : part.watched) path.seen = path.excluded = false;
  const size_t limit = options.max_bytes == 0 ? kMaxMessage : options.max_bytes;
  CutString* const cut = part.cut;
  const size_t behind = cut == nullptr ? 0 : cut->plain->size() - cut->front + cut->tail.size();
  const size_t size = json.size() - part.position + behind;
  if (!part.prefix && size > limit) return TooLong(size, limit);
  ParseJob job;
  job.type = &type;
  job.begin = json.data();
  job.end = json.data() + json.size();
  job.value = job.begin + part.position;
  job.prefix = part.prefix;
  job.options = &options;
  job.body = part.body;
  job.watched = part.watched;
  job.cut = cut;
  const size_t before = out.size();
  if (cut != nullptr) {
    const bool done = Run(job, out) && cut->taken_at != 0;
    if (!done) out.SetSize(before);
    return Parsed{json.size() + behind, !done};
  }
  if (!Run(job, out)) {
    if (part.more && job.failure.truncated) return Parsed{json.size(), true};
    Error error = ErrorOf(job);
    Parsed parsed;
    job.value = job.begin + part.position;
    if (options.syntax == Syntax::kLenient && RunLenient(job, out, &parsed, &error)) return parsed;
    return error;
  }
  if (part.more && job.value == job.end && job.end[-1] >= '0' && job.end[-1] <= '9') {
    out.SetSize(before);
    return Parsed{json.size(), true};
  }
  return Parsed{static_cast<size_t>(job.value - job.begin), false};
}

Result<> AppendJsonToProto(const Message& type, std::string_view json, Buffer& out,
                           const ParseOptions& options) {
  const size_t limit = options.max_bytes == 0 ? kMaxMessage : options.max_bytes;
  if (json.size() > limit) return TooLong(json.size(), limit);
  ParseJob job;
  job.type = &type;
  job.begin = json.data();
  job.end = json.data() + json.size();
  job.value = job.begin;
  job.options = &options;
  if (Run(job, out)) return {};
  Error error = ErrorOf(job);
  Parsed parsed;
  job.value = job.begin;
  if (options.syntax == Syntax::kLenient && RunLenient(job, out, &parsed, &error)) return {};
  return error;
}

Result<> JsonToProto(const Message& type, std::string_view json, Buffer& out,
                     const ParseOptions& options) {
  out.Clear();
  return AppendJsonToProto(type, json, out, options);
}

CopyBytes* ChooseCopyPlain(Isa isa) { return TRANSCODE_CHOOSE(isa, CopyPlain); }

Result<> TextToProto(const Field& field, std::string_view text, Buffer& out,
                     const ParseOptions& options) {
  if (text.data() == nullptr) text = "";  // copies of no bytes need a pointer too
  const Field* const body[] = {&field};
  const size_t before = out.size();
  ParseJob job;
  job.begin = job.value = text.data();
  job.end = text.data() + text.size();
  job.options = &options;
  job.body = body;
  Prepare(job, out);
  if (TRANSCODE_DISPATCH(options.isa, ParseText, job)) {
    if (!job.lengths->empty()) WriteLengths(out, *job.lengths);
    return {};
  }
  out.SetSize(before);
  Error error = ErrorOf(job);
  error.path = field.name;
  error.got = std::string(text.substr(0, 24));
  return error;
}

}  // namespace transcode
