#include "stream/response.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <utility>

#include "codec/proto_to_json.h"
#include "http/head.h"
#include "stream/http_body.h"

namespace transcode {

namespace {

std::string_view Trim(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return lower;
}

// Takes what stands before the next `separator` off the front of `text`.
std::string_view Take(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// The weight of a media range in thousandths: 1000 without q, or when q is no number.
int WeightOf(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = Take(parameters, ';');
    if (Lower(Take(value, '=')) != "q") continue;
    double weight = 1;
    const std::string_view text = Trim(value);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), weight);
    if (read.ec != std::errc() || !(weight >= 0 && weight <= 1)) return 1000;
    return static_cast<int>(weight * 1000 + 0.5);
  }
  return 1000;
}

// How exactly a media range matches the format: 0 not at all, 1 as */*, 2 as type/*, 3 by name.
int MatchOf(std::string_view range, StreamFormat format) {
  const std::string_view type = ContentTypeOf(format);
  if (range == type) return 3;
  if (format == StreamFormat::kNdjson &&
      (range == "application/ndjson" || range == "application/jsonl")) {
    return 3;
  }
  if (range == "*/*") return 1;
  const bool any = range.ends_with("/*") && type.starts_with(range.substr(0, range.size() - 1));
  return any ? 2 : 0;
}

struct Preference {
  int weight = 0;  // of the range that matches most exactly
  int match = 0;
  ptrdiff_t place = 0;  // the earlier, the greater

  auto operator<=>(const Preference&) const = default;
};

}  // namespace

StreamFormat FormatOf(std::string_view accept, StreamFormat otherwise) {
  constexpr std::array kFormats{StreamFormat::kArray, StreamFormat::kNdjson, StreamFormat::kSse};
  std::array<Preference, kFormats.size()> preferences;
  for (ptrdiff_t place = 0; !accept.empty(); --place) {
    std::string_view parameters = Take(accept, ',');
    const std::string range = Lower(Take(parameters, ';'));
    const int weight = WeightOf(parameters);
    for (size_t i = 0; i < kFormats.size(); ++i) {
      const int match = MatchOf(range, kFormats[i]);
      if (match > preferences[i].match) preferences[i] = {weight, match, place};
    }
  }
  StreamFormat best = otherwise;
  Preference most;
  for (size_t i = 0; i < kFormats.size(); ++i) {
    if (kFormats[i] == otherwise) most = preferences[i];
  }
  for (size_t i = 0; i < kFormats.size(); ++i) {
    if (preferences[i].weight > 0 && preferences[i] > most) {
      best = kFormats[i];
      most = preferences[i];
    }
  }
  return best;
}

std::string_view ContentTypeOf(StreamFormat format) {
  switch (format) {
    case StreamFormat::kNdjson:
      return "application/x-ndjson";
    case StreamFormat::kSse:
      return "text/event-stream";
    default:
      return "application/json";
  }
}

void ResponseTranscoder::Start(const Route& route, StreamFormat format,
                               const ResponseOptions& options) {
  Start(ResponseSource{route.method->output, route.response_body, route.raw_response}, format,
        options);
}

void ResponseTranscoder::Start(const ResponseSource& source, StreamFormat format,
                               const ResponseOptions& options) {
  source_ = source;
  format_ = format;
  options_ = options;
  if (format == StreamFormat::kNdjson || format == StreamFormat::kSse) {
    options_.print.whitespace = false;  // a new line would end the message
  }
  frames_.Start(options.gzip, options.max_message);
  unary_.Clear();
  content_type_ = source.raw ? std::string_view() : ContentTypeOf(format);  // that of the body
  messages_ = 0;
  failed_ = false;
}

Error ResponseTranscoder::Fail(Error error) {
  failed_ = true;
  error_ = error;
  return error;
}

Result<bool> ResponseTranscoder::Next(Buffer& text) {
  if (failed_) return error_;
  std::string_view message;
  while (true) {
    Result<bool> read = frames_.Next(message);
    if (!read.ok()) return Fail(std::move(read).error());
    if (!*read) return false;
    const bool unary = format_ == StreamFormat::kUnary;
    if (unary && messages_ > 0) {
      return Fail(MakeError(Code::kInternal, "a second message in the answer to a unary call"));
    }
    Buffer& out = unary ? unary_ : text;
    out.Clear();
    if (!source_.raw && format_ == StreamFormat::kArray) out.Append(messages_ == 0 ? '[' : ',');
    if (!source_.raw && format_ == StreamFormat::kSse) out.Append("data: ");
    if (Result<> printed = Print(message, out); !printed.ok()) {
      out.Clear();
      Error error = std::move(printed).error();
      error.code = Code::kInternal;  // of the server behind, not of the request
      error.message = "the response cannot be printed: " + error.message;
      return Fail(std::move(error));
    }
    if (!source_.raw && format_ == StreamFormat::kNdjson) out.Append('\n');
    if (!source_.raw && format_ == StreamFormat::kSse) out.Append("\n\n");
    ++messages_;
    if (!unary) return true;
  }
}

Result<> ResponseTranscoder::Push(std::string_view piece, Buffer& text) {
  Push(piece);
  while (true) {
    Result<bool> next = Next(next_);
    if (!next.ok()) return std::move(next).error();
    if (!*next) return {};
    text.Append(next_.view());
  }
}

void ResponseTranscoder::Release() {
  frames_.Release();
  for (Buffer* buffer : {&unary_, &inner_, &other_, &next_}) buffer->Recycle();
}

// The message, or the part of it that is sent.
Result<> ResponseTranscoder::Print(std::string_view message, Buffer& text) {
  std::span<const Field* const> path = source_.response_body;
  const size_t opened = source_.raw || path.empty() ? path.size() : path.size() - 1;
  for (size_t i = 0; i < opened; ++i) {
    Buffer& inner = i % 2 == 0 ? inner_ : other_;
    if (Result<> read = ReadMessageField(message, *path[i], inner); !read.ok()) return read;
    message = inner.view();
  }
  if (!source_.raw) {
    if (path.empty()) return AppendProtoToJson(*source_.message, message, text, options_.print);
    return AppendFieldToJson(*path.back(), message, text, options_.print);
  }
  Result<HttpBody> body = ReadHttpBody(message);
  if (!body.ok()) return std::move(body).error();
  if (messages_ == 0) {
    if (!IsFieldValue(body->content_type)) {
      return MakeError(Code::kInternal,
                       "the content_type of the HttpBody cannot be a header field");
    }
    content_type_ = body->content_type;
  }
  text.Append(body->data);
  return {};
}

ResponseTranscoder::End ResponseTranscoder::Finish(const GrpcStatus& status, Buffer& text) {
  text.Clear();
  const bool unary = format_ == StreamFormat::kUnary;
  GrpcStatus failure = status;
  if (failed_) {
    failure = StatusOf(error_);
  } else if (status.ok()) {
    if (Result<> finished = frames_.Finish(); !finished.ok()) {
      failure = StatusOf(finished.error());
    } else if (unary && messages_ == 0) {
      failure = StatusOf(MakeError(Code::kInternal, "no message in the answer to a unary call"));
    }
  }
  End end;
  if (failure.ok()) {
    if (unary) text.Swap(unary_);
    if (!source_.raw && format_ == StreamFormat::kArray) text.Append(messages_ == 0 ? "[]" : "]");
    return end;
  }
  if (unary || messages_ == 0) {
    end.http_status = HttpStatusOf(failure.code);
    content_type_ = "application/json";
    AppendStatusJson(failure, options_.schema, text, options_.print);
    return end;
  }
  end.broken = true;
  if (source_.raw) return end;  // bytes of any type have no place for it
  if (format_ == StreamFormat::kSse) {
    text.Append("event: error\ndata: ");
  } else {
    text.Append(format_ == StreamFormat::kArray ? ",{\"error\":" : "{\"error\":");
  }
  AppendStatusJson(failure, options_.schema, text, options_.print);
  text.Append(format_ == StreamFormat::kSse     ? "\n\n"
              : format_ == StreamFormat::kArray ? "}]"
                                                : "}\n");
  return end;
}

}  // namespace transcode
