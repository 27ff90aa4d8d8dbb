#include "stream/response.h"

#include <algorithm>
#include <utility>

#include "codec/proto_to_json.h"
#include "stream/http_body.h"

namespace transcode {

StreamFormat FormatOf(std::string_view accept) {
  // The first of the types that we have wins; quality values are not weighed.
  while (!accept.empty()) {
    const size_t end = std::min(accept.find(','), accept.size());
    std::string_view type = accept.substr(0, std::min(end, accept.find(';')));
    accept.remove_prefix(std::min(end + 1, accept.size()));
    while (!type.empty() && type.front() == ' ') type.remove_prefix(1);
    while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
    if (type == "text/event-stream") return StreamFormat::kSse;
    if (type == "application/x-ndjson" || type == "application/jsonl") return StreamFormat::kNdjson;
    if (type == "application/json") return StreamFormat::kArray;
  }
  return StreamFormat::kArray;
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
  content_type_ = ContentTypeOf(format);
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
  if (messages_ == 0) content_type_ = body->content_type;
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
