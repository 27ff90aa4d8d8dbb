#include "server/http1_connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <cstring>
#include <ctime>
#include <limits>
#include <utility>

#include "server/error_body.h"

namespace transcode::server {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string_view ReasonOf(int status) {
  if (status == 499) return "Client Closed Request";
  const auto reason = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return {reason.data(), reason.size()};
}

std::string_view ToView(boost::beast::string_view text) { return {text.data(), text.size()}; }

// "Sun, 06 Nov 1994 08:49:37 GMT", made once a second.
std::string_view HttpDate() {
  thread_local std::time_t made = 0;
  thread_local std::array<char, 40> text{};
  thread_local size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != made) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    made = now;
  }
  return {text.data(), size};
}

template <class Number>
void AppendNumber(Buffer& out, Number number, int base = 10) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, number, base).ptr;
  out.Append(std::string_view(text, static_cast<size_t>(end - text)));
}

}  // namespace

// --- the parser ---

void Http1Connection::Parser::on_request_impl(http::verb, View method, View target, int version,
                                              Error&) {
  connection_.method_ = ToView(method);
  connection_.target_ = ToView(target);
  connection_.version_ = version;
}

void Http1Connection::Parser::on_response_impl(int, View, int, Error&) {}

void Http1Connection::Parser::on_field_impl(http::field, View name, View value, Error&) {
  connection_.fields_.AddLowered(ToView(name), ToView(value));
}

void Http1Connection::Parser::on_header_impl(Error&) {}
void Http1Connection::Parser::on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) {}

std::size_t Http1Connection::Parser::on_body_impl(View body, Error&) {
  if (connection_.sink_ != nullptr) connection_.sink_->OnBody(ToView(body));
  return body.size();
}

void Http1Connection::Parser::on_chunk_header_impl(std::uint64_t, View, Error&) {}

std::size_t Http1Connection::Parser::on_chunk_body_impl(std::uint64_t, View body, Error& error) {
  return on_body_impl(body, error);
}

void Http1Connection::Parser::on_finish_impl(Error&) {}

// --- input ---

Http1Connection::Http1Connection(EventLoop& loop, int fd, const ConnectionContext& context,
                                 std::string peer)
    : Connection(loop, fd), context_(context), peer_(std::move(peer)), since_(loop.now()) {}

void Http1Connection::OnBytes(std::string_view bytes) {
  if (failing_) return;
  if (responding_ && IsBetweenParts()) since_ = loop().now();
  if (in_.empty()) return Process(bytes);
  in_.append(bytes);
  Process(std::exchange(in_, {}));
}

// The end of a chunk waits for the line of the next one.
bool Http1Connection::IsBetweenParts() const { return std::string_view("\r\n").starts_with(in_); }

// True: this is HTTP/1.1.
bool Http1Connection::Sniff(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, kPreface.size());
  if (!kPreface.starts_with(start)) return true;
  if (start.size() < kPreface.size()) {
    in_.assign(bytes);
    starved_ = true;
    return false;
  }
  if (context_.on_http2 == nullptr) return true;
  const auto on_http2 = context_.on_http2;
  context_.on_close(this);
  on_http2(Release(), peer_, bytes);
  return false;
}

void Http1Connection::Process(std::string_view bytes) {
  starved_ = false;
  if (first_) {
    if (!Sniff(bytes)) return;
    first_ = false;
  }
  parsing_ = true;
  const size_t used = Parse(bytes);
  parsing_ = false;
  if (closed()) return;
  if (responding_ && used != 0) since_ = loop().now();
  if (used < bytes.size() && !failing_) in_.assign(bytes.substr(used));
  // The parser limits a head, but neither what stands beside the size of a chunk nor trailers.
  if (starved_ && in_.size() > context_.limits->header_bytes) {
    return Fail(431, "the line of a chunk or the trailers are too large");
  }
  UpdateReading();
}

size_t Http1Connection::Parse(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && !failing_ && !closed()) {
    if (!parser_) {
      // The next request waits for the response of this one.
      if (responding_ || !keep_alive_ || has_tail()) break;
      // Some clients end a body with a line more.
      const std::string_view next = bytes.substr(used);
      if (next.starts_with("\r\n")) {
        used += 2;
        continue;
      }
      if (next == "\r") {
        starved_ = true;
        break;
      }
      parser_.emplace(*this);
      since_ = loop().now();
      head_done_ = false;
      parser_->header_limit(static_cast<std::uint32_t>(context_.limits->header_bytes));
      // Limits are kept elsewhere. Boost 1.74 takes "no limit" for a limit of 0.
      parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
      fields_.Clear();
    }
    Parser::Error error;
    const std::string_view rest = bytes.substr(used);
    used += parser_->put(boost::asio::const_buffer(rest.data(), rest.size()), error);
    if (closed()) break;
    if (error == http::error::need_more) {
      starved_ = true;
      break;
    }
    if (error == http::error::header_limit) {
      Fail(431, "the header is too large");
      break;
    }
    if (error) {
      Fail(400, "not HTTP/1.1: " + error.message());
      break;
    }
    // Once a request: its answer may be complete before its body is.
    if (!head_done_ && parser_->is_header_done()) {
      head_done_ = true;
      if (!StartRequest()) break;
      parser_->eager(true);
    }
    if (parser_->is_done()) {
      request_done_ = true;
      if (sink_ != nullptr) sink_->OnBodyEnd();
      parser_.reset();
    }
  }
  return used;
}

bool Http1Connection::StartRequest() {
  if (fields_.cost() > context_.limits->header_bytes) {
    return Fail(431, "the header is too large"), false;
  }
  keep_alive_ = parser_->keep_alive() && !shutdown_;
  RequestHead head;
  head.method = method_;
  head.target = target_;
  head.peer = peer_;
  head.fields = &fields_;
  bool has_host = false;
  expect_continue_ = false;
  for (size_t i = 0; i < fields_.size(); ++i) {
    const HeaderField field = fields_[i];
    if (field.name == "host") {
      if (has_host) return Fail(400, "more than one host field"), false;
      head.authority = field.value;
      has_host = true;
    } else if (field.name == "expect") {
      expect_continue_ = EqualsIgnoringCase(field.value, "100-continue");
    } else if (field.name == "transfer-encoding") {
      if (version_ == 10) return Fail(400, "a transfer-encoding in HTTP/1.0"), false;
      if (!EqualsIgnoringCase(field.value, "chunked")) {
        return Fail(501, "a transfer-encoding other than chunked"), false;
      }
    }
  }
  if (version_ == 11 && !has_host) return Fail(400, "no host field"), false;
  if (const auto length = parser_->content_length()) head.content_length = *length;
  head.has_body = parser_->chunked() || head.content_length.value_or(0) != 0;
  responding_ = true;
  request_done_ = false;
  started_ = chunked_ = hold_ = false;
  head_only_ = method_ == "HEAD";
  sink_ = nullptr;
  RequestSink* sink = context_.handler->OnRequest(head, *this);
  if (responding_) sink_ = sink;
  return !closed();
}

// Answers what is not a request; the connection cannot be used any further.
void Http1Connection::Fail(int status, std::string_view message) {
  failing_ = true;
  in_.clear();
  if (responding_ && sink_ != nullptr) {
    // The body of a request that is already being answered.
    RequestSink* sink = std::exchange(sink_, nullptr);
    sink->OnClientGone();
    if (started_) return CloseAfterWrite(false);
  }
  responding_ = true;
  request_done_ = started_ = false;
  keep_alive_ = head_only_ = false;
  version_ = 11;
  Headers fields;
  Buffer body;
  MakeErrorBody(status, message, fields, body);
  Respond(status, fields, body);
}

// A client that ends its side gets no answer to what it still waits for: with HTTP/1.1 it cannot be
// told from one that is gone.
void Http1Connection::OnEnd() { Close(); }

void Http1Connection::OnClose() {
  if (RequestSink* sink = std::exchange(sink_, nullptr)) sink->OnClientGone();
  context_.on_close(this);
}

void Http1Connection::UpdateReading() {
  // While a response is under way, one more read of pipelined requests is kept, and no more.
  const bool wanted = !hold_ && (in_.empty() || !responding_ || !request_done_);
  if (wanted != reading()) SetReading(wanted);
}

// --- output ---

void Http1Connection::AppendHead(int status, const Headers& fields, std::optional<size_t> length) {
  if (!request_done_ && parser_ && !parser_->is_done()) keep_alive_ = false;
  if (shutdown_) keep_alive_ = false;
  Buffer& to = out();
  to.Append(version_ == 10 ? "HTTP/1.0 " : "HTTP/1.1 ");
  AppendNumber(to, status);
  to.Append(' ');
  to.Append(ReasonOf(status));
  to.Append("\r\ndate: ");
  to.Append(HttpDate());
  for (size_t i = 0; i < fields.size(); ++i) {
    to.Append("\r\n");
    to.Append(fields[i].name);
    to.Append(": ");
    to.Append(fields[i].value);
  }
  if (length) {
    to.Append("\r\ncontent-length: ");
    AppendNumber(to, *length);
  } else if (version_ == 11) {
    to.Append("\r\ntransfer-encoding: chunked");
    chunked_ = true;
  } else {
    keep_alive_ = false;  // HTTP/1.0: the end of the connection is the end of the body
  }
  if (!keep_alive_) {
    to.Append("\r\nconnection: close");
  } else if (version_ == 10) {
    to.Append("\r\nconnection: keep-alive");
  }
  to.Append("\r\n\r\n");
  started_ = true;
}

void Http1Connection::Respond(int status, const Headers& fields, Buffer& body) {
  AppendHead(status, fields, body.size());
  constexpr size_t kCopied = size_t{16} << 10;  // below, a copy is cheaper than a second part
  if (!head_only_) {
    if (body.size() <= kCopied) {
      out().Append(body.view());
    } else {
      SetTail(body);
    }
  }
  ResponseDone();
}

void Http1Connection::Start(int status, const Headers& fields) {
  AppendHead(status, fields, std::nullopt);
  QueueFlush();
}

void Http1Connection::Write(std::string_view bytes) {
  if (head_only_ || bytes.empty()) return;
  if (chunked_) {
    AppendNumber(out(), bytes.size(), 16);
    out().Append("\r\n");
  }
  out().Append(bytes);
  if (chunked_) out().Append("\r\n");
  QueueFlush();
}

void Http1Connection::Finish(const Headers&) {
  if (chunked_ && !head_only_) out().Append("0\r\n\r\n");
  ResponseDone();
}

void Http1Connection::Abort() {
  sink_ = nullptr;
  responding_ = keep_alive_ = false;
  failing_ = true;
  CloseAfterWrite(!request_done_);
}

void Http1Connection::ResponseDone() {
  sink_ = nullptr;
  responding_ = false;
  hold_ = false;
  since_ = loop().now();
  QueueFlush();  // Fill() goes on with the next request
  if (keep_alive_) return;
  failing_ = true;  // no more input
  CloseAfterWrite(!request_done_);
}

bool Http1Connection::Fill() {
  // Not from inside Parse(), which goes on by itself.
  if (parsing_ || responding_ || failing_ || starved_ || in_.empty()) return false;
  const size_t before = unsent();
  Process(std::exchange(in_, {}));
  return !closed() && unsent() != before;
}

void Http1Connection::OnDrained() {
  if (sink_ != nullptr) sink_->OnClientWritable();
  if (!responding_ && !in_.empty() && !failing_ && !starved_) QueueFlush();
}

void Http1Connection::Hold(bool hold) {
  hold_ = hold;
  if (!parsing_) UpdateReading();
}

void Http1Connection::Continue() {
  if (!std::exchange(expect_continue_, false) || version_ != 11) return;
  out().Append("HTTP/1.1 100 Continue\r\n\r\n");
  QueueFlush();
}

void Http1Connection::Shutdown() {
  shutdown_ = true;
  if (!responding_) {
    failing_ = true;
    CloseAfterWrite(false);
  }
}

void Http1Connection::CheckTime(Clock::time_point now) {
  if (Stalled(now, context_.limits->idle_time)) return Close();
  if (responding_) {
    // A slow body has the time of its request, but what waits in in_ is none of its bytes.
    if (hold_) since_ = now;
    if (request_done_ || IsBetweenParts()) return;
    if (now - since_ < context_.limits->header_time) return;
    return Fail(408, "the line of a chunk or the trailers take too long");
  }
  if (unsent() != 0) return;
  const bool idle = in_.empty() && !parser_;
  if (now - since_ >= (idle ? context_.limits->idle_time : context_.limits->header_time)) Close();
}

Clock::time_point Http1Connection::LastStep() const {
  return sink_ != nullptr ? sink_->moved() : since_;
}

}  // namespace transcode::server
