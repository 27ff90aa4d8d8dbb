#include "server/metadata.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace transcode::server {
namespace {

using std::chrono::nanoseconds;

template <size_t N>
bool IsOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct TimeUnit {
  char letter;
  int64_t nanos;
};
constexpr std::array<TimeUnit, 6> kUnits{{{'n', 1},
                                          {'u', 1'000},
                                          {'m', 1'000'000},
                                          {'S', 1'000'000'000},
                                          {'M', 60'000'000'000},
                                          {'H', 3'600'000'000'000}}};

// std::from_chars takes a sign, too.
template <class Number>
bool ReadDigits(std::string_view text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return !text.starts_with('-') && read.ec == std::errc() && read.ptr == end;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Either alphabet, padding optional; ends at the first other character.
std::string DecodeBase64(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    int digit = -1;
    if (c >= 'A' && c <= 'Z') digit = c - 'A';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
    if (c >= '0' && c <= '9') digit = c - '0' + 52;
    if (c == '+' || c == '-') digit = 62;
    if (c == '/' || c == '_') digit = 63;
    if (digit < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count));
    }
  }
  return out;
}

// An order of names without case. Any will do; of most names the size tells.
bool NameIsLess(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size();
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  for (size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return lower(a[i]) < lower(b[i]);
  }
  return false;
}

// What the fields "connection" name. Sorted, because a head has room for thousands of options and
// of fields that each would have to be compared with.
void FindOptions(const Headers& fields, std::vector<std::string_view>& options) {
  options.clear();
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != "connection") continue;
    std::string_view list = fields[i].value;
    while (!list.empty()) {
      const size_t end = std::min(list.find(','), list.size());
      std::string_view option = list.substr(0, end);
      list.remove_prefix(std::min(end + 1, list.size()));
      option.remove_prefix(std::min(option.find_first_not_of(" \t"), option.size()));
      option = option.substr(0, option.find_last_not_of(" \t") + 1);
      if (!option.empty()) options.push_back(option);
    }
  }
  if (options.size() > 1) std::sort(options.begin(), options.end(), NameIsLess);
}

bool IsRequestMetadata(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kOfThisHop{"accept",
                                                               "accept-encoding",
                                                               "connection",
                                                               "content-encoding",
                                                               "content-length",
                                                               "content-type",
                                                               "expect",
                                                               "host",
                                                               "keep-alive",
                                                               "proxy-connection",
                                                               "te",
                                                               "trailer",
                                                               "transfer-encoding",
                                                               "upgrade"};
  return !name.starts_with("grpc-") && !name.starts_with(':') && name != "http2-settings" &&
         !IsOneOf(name, kOfThisHop);
}

bool IsResponseMetadata(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kOfThisHop{
      "connection", "content-encoding", "content-length",    "content-type", "date",
      "keep-alive", "trailer",          "transfer-encoding", "upgrade"};
  return !name.starts_with("grpc-") && !name.starts_with(':') && !IsOneOf(name, kOfThisHop);
}

}  // namespace

void AddRequestMetadata(const Headers& fields, Headers& to) {
  thread_local std::vector<std::string_view> kept;  // for its memory
  FindOptions(fields, kept);
  const std::span<const std::string_view> options = kept;
  for (size_t i = 0; i < fields.size(); ++i) {
    const HeaderField field = fields[i];
    if (!IsRequestMetadata(field.name)) continue;
    if (!options.empty() &&
        std::binary_search(options.begin(), options.end(), field.name, NameIsLess)) {
      continue;
    }
    to.Add(field.name, field.value);
  }
}

void AddResponseMetadata(const Headers& metadata, Headers& to) {
  for (size_t i = 0; i < metadata.size(); ++i) {
    const HeaderField field = metadata[i];
    if (IsResponseMetadata(field.name)) to.Add(field.name, field.value);
  }
}

std::optional<nanoseconds> ParseTimeout(std::string_view text) {
  if (text.size() < 2 || text.size() > 9) return std::nullopt;
  int64_t value = 0;
  if (!ReadDigits(text.substr(0, text.size() - 1), value)) return std::nullopt;
  for (const TimeUnit& unit : kUnits) {
    if (unit.letter != text.back()) continue;
    // 99999999 hours are more than a time_point holds; a century is as good.
    constexpr int64_t kCentury = int64_t{100} * 365 * 24 * 3600 * 1'000'000'000;
    return nanoseconds(value > kCentury / unit.nanos ? kCentury : value * unit.nanos);
  }
  return std::nullopt;
}

std::string FormatTimeout(nanoseconds timeout) {
  const int64_t nanos = std::max<int64_t>(timeout.count(), 1);
  for (const TimeUnit& unit : kUnits) {
    const int64_t value = (nanos + unit.nanos - 1) / unit.nanos;
    if (value < 100'000'000) return std::to_string(value) + unit.letter;
  }
  return "99999999H";
}

std::string EncodeGrpcMessage(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 0x20 && c < 0x7f && c != '%') {
      out.push_back(c);
    } else {
      const auto byte = static_cast<uint8_t>(c);
      out.append({'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]});
    }
  }
  return out;
}

std::string DecodeGrpcMessage(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low < 0) {
      out.push_back(text[i]);
    } else {
      out.push_back(static_cast<char>(high << 4 | low));
      i += 2;
    }
  }
  return out;
}

std::optional<GrpcStatus> StatusOfTrailers(const Headers& fields) {
  const auto code = fields.Find("grpc-status");
  if (!code) return std::nullopt;
  GrpcStatus status;
  if (!ReadDigits(*code, status.code)) status.code = static_cast<int>(Code::kUnknown);
  if (status.ok()) return status;
  if (const auto message = fields.Find("grpc-message"))
    status.message = DecodeGrpcMessage(*message);
  if (const auto details = fields.Find("grpc-status-details-bin")) {
    status.details = DecodeBase64(*details);
  }
  return status;
}

GrpcStatus StatusOfReset(uint32_t http2_error) {
  Code code = Code::kInternal;
  if (http2_error == NGHTTP2_REFUSED_STREAM) code = Code::kUnavailable;
  if (http2_error == NGHTTP2_CANCEL) code = Code::kCancelled;
  if (http2_error == NGHTTP2_ENHANCE_YOUR_CALM) code = Code::kResourceExhausted;
  if (http2_error == NGHTTP2_INADEQUATE_SECURITY) code = Code::kPermissionDenied;
  GrpcStatus status;
  status.code = static_cast<int>(code);
  status.message = http2_error == NGHTTP2_NO_ERROR ? "the server ended the call without a status"
                                                   : std::string("the server reset the call: ") +
                                                         nghttp2_http2_strerror(http2_error);
  return status;
}

}  // namespace transcode::server
