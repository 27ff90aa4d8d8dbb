#include "codec/proto_to_json.h"

#include <simdutf.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "codec/print_job.h"

namespace transcode {

size_t GrowOutput(Buffer& out, size_t used, size_t need, size_t scratch) {
  const size_t old_room = out.capacity() & ~size_t{7};
  out.SetSize(used);
  out.Reserve(std::max(need + scratch + 8, out.capacity() - used + 1));
  const size_t room = out.capacity() & ~size_t{7};
  if (scratch != 0) {
    std::memmove(out.data() + room - scratch, out.data() + old_room - scratch, scratch);
  }
  return room;
}

bool IsUtf8(const uint8_t* text, size_t size) {
  return simdutf::validate_utf8(reinterpret_cast<const char*>(text), size);
}

size_t EncodeBase64(const uint8_t* bytes, size_t size, char* p) {
  return simdutf::binary_to_base64(reinterpret_cast<const char*>(bytes), size, p);
}

char* WriteStd(char* p, double value) { return std::to_chars(p, p + 32, value).ptr; }

char* WriteStd(char* p, float value) { return std::to_chars(p, p + 32, value).ptr; }

namespace {

PrintJob::Details& DetailsOf(PrintJob& job) {
  if (job.details == nullptr) job.details = std::make_unique<PrintJob::Details>();
  return *job.details;
}

}  // namespace

void TraceGot(PrintJob& job, std::string_view got) { DetailsOf(job).got = got.substr(0, 64); }

void TraceField(PrintJob& job, const Field& field) { DetailsOf(job).path.emplace_back(field.name); }

void TraceIndex(PrintJob& job, const Field& field, size_t index) {
  DetailsOf(job).path.push_back(std::string(field.name) + "[" + std::to_string(index) + "]");
}

void TraceKey(PrintJob& job, std::string_view key) {
  DetailsOf(job).path.push_back("[\"" + std::string(key) + "\"]");
}

namespace {

[[gnu::cold]] Error ErrorOf(const PrintJob& job) {
  Error error;
  error.code = Code::kInvalidArgument;
  error.offset = job.at;
  if (job.details != nullptr) {
    error.got = job.details->got;
    const std::vector<std::string>& path = job.details->path;
    for (auto piece = path.rbegin(); piece != path.rend(); ++piece) {
      if (!error.path.empty() && piece->front() != '[') error.path += '.';
      error.path += *piece;
    }
  }
  switch (job.failure) {
    case PrintFailure::kNone:
    case PrintFailure::kTruncated:
      error.message = "the message ends inside a value";
      break;
    case PrintFailure::kLongVarint:
      error.message = "varint of more than 10 bytes";
      break;
    case PrintFailure::kTag:
      error.message = "not a legal tag";
      error.expected = "a field number of 1 to 536870911 and a wire type of 0 to 5";
      break;
    case PrintFailure::kGroup:
      error.message = "group without its end, or end without its group";
      break;
    case PrintFailure::kDepth:
      error.message = "messages are nested too deep";
      error.expected = "at most " + std::to_string(job.options.depth) + " levels";
      break;
    case PrintFailure::kUtf8:
      error.message = "string is not UTF-8";
      break;
    case PrintFailure::kTimestamp:
      error.message = "timestamp out of range";
      error.expected = "0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z";
      break;
    case PrintFailure::kDuration:
      error.message = "duration out of range, or seconds and nanos of different sign";
      error.expected = "-315576000000s to 315576000000s";
      break;
    case PrintFailure::kFieldMask:
      error.message = "path of a field mask that does not come back the same from JSON";
      error.expected = "snake_case names joined by dots";
      break;
    case PrintFailure::kNumberValue:
      error.message = "google.protobuf.Value cannot hold NaN or Infinity in JSON";
      break;
    case PrintFailure::kAnyUrl:
      error.message = "type URL of an Any";
      error.expected = "host/full.name";
      break;
    case PrintFailure::kAnyType:
      error.message = "unknown type in an Any";
      break;
    case PrintFailure::kMessageSet:
      error.message = "a message set cannot be printed";
      break;
  }
  return error;
}

Result<> Run(PrintJob& job) {
  if (job.wire.size() > INT32_MAX) {
    return MakeError(Code::kResourceExhausted, "a message is 2 GiB at most");
  }
  if (TRANSCODE_DISPATCH(job.options.isa, Print, job)) return {};
  return ErrorOf(job);
}

}  // namespace

Result<> AppendProtoToJson(const Message& message, std::string_view wire, Buffer& out,
                           const PrintOptions& options) {
  PrintJob job(options, out);
  job.wire = wire;
  job.message = &message;
  job.types = message.types;
  return Run(job);
}

Result<> ProtoToJson(const Message& message, std::string_view wire, Buffer& out,
                     const PrintOptions& options) {
  out.Clear();
  return AppendProtoToJson(message, wire, out, options);
}

Result<> AppendFieldToJson(const Field& field, std::string_view wire, Buffer& out,
                           const PrintOptions& options) {
  PrintJob job(options, out);
  job.what = PrintJob::What::kField;
  job.wire = wire;
  job.field = &field;
  job.types = field.parent->types;
  return Run(job);
}

namespace {

// The details of a google.rpc.Status, one by one; stops where it is broken.
class Details {
 public:
  explicit Details(std::string_view status) : s_(status) {}

  bool Next(std::string_view& detail) {
    uint64_t tag = 0;
    while (Varint(tag)) {
      const uint64_t wire = tag & 7;
      uint64_t size = 0;
      if (wire == 0 ? !Varint(size) : wire != 2 || !Varint(size) || size > s_.size()) return false;
      if (wire == 0) continue;
      detail = s_.substr(0, size);
      s_.remove_prefix(size);
      if (tag >> 3 == 3) return true;
    }
    return false;
  }

  // The last length-delimited value of a field of a small message.
  static std::string_view Find(std::string_view message, uint64_t number) {
    Details reader(message);
    std::string_view found;
    uint64_t tag = 0;
    uint64_t size = 0;
    while (reader.Varint(tag) && (tag & 7) == 2 && reader.Varint(size) &&
           size <= reader.s_.size()) {
      if (tag >> 3 == number) found = reader.s_.substr(0, size);
      reader.s_.remove_prefix(size);
    }
    return found;
  }

 private:
  bool Varint(uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !s_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(s_.front());
      s_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  std::string_view s_;
};

// With U+FFFD for every byte that is not UTF-8.
std::string Repaired(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto valid = simdutf::validate_utf8_with_errors(text.data(), text.size());
    const size_t good = valid.error == simdutf::SUCCESS ? text.size() : valid.count;
    result += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    result += "\xef\xbf\xbd";
    text.remove_prefix(1);
  }
  return result;
}

void AppendText(std::string_view text, Buffer& out, const PrintOptions& options) {
  PrintJob job(options, out);
  job.what = PrintJob::What::kText;
  job.wire = text;
  if (Run(job).ok()) return;
  const std::string repaired = Repaired(text);
  job.wire = repaired;
  static_cast<void>(Run(job));
}

void AppendDetail(const TypeIndex& types, std::string_view detail, Buffer& out,
                  const PrintOptions& options) {
  PrintJob job(options, out);
  job.what = PrintJob::What::kAny;
  job.wire = detail;
  job.types = &types;
  if (Run(job).ok()) return;
  const std::string_view value = Details::Find(detail, 2);
  out.Append("{\"@type\":");
  AppendText(Details::Find(detail, 1), out, options);
  out.Append(",\"value\":\"");
  char* const p = out.Reserve(simdutf::base64_length_from_binary(value.size()));
  out.SetSize(out.size() +
              EncodeBase64(reinterpret_cast<const uint8_t*>(value.data()), value.size(), p));
  out.Append("\"}");
}

}  // namespace

void AppendStatusToJson(const TypeIndex& types, int code, std::string_view message,
                        std::string_view details, Buffer& out, const PrintOptions& options) {
  PrintOptions one_line = options;
  one_line.whitespace = false;
  out.Append("{\"code\":");
  out.Append(std::to_string(code));
  out.Append(",\"message\":");
  AppendText(message, out, one_line);
  out.Append(",\"details\":[");
  Details reader(details);
  std::string_view detail;
  for (bool first = true; reader.Next(detail); first = false) {
    if (!first) out.Append(',');
    AppendDetail(types, detail, out, one_line);
  }
  out.Append("]}");
}

}  // namespace transcode
