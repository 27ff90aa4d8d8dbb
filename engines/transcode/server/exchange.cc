#include "server/exchange.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "http/status.h"
#include "server/error_body.h"
#include "server/log.h"
#include "server/metadata.h"

namespace transcode::server {
namespace {

// "application/json" of " Application/JSON ; charset=utf-8", in lower case.
std::string MediaType(std::string_view value) {
  std::string type;
  for (const char c : value.substr(0, value.find(';'))) {
    if (c != ' ' && c != '\t')
      type.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
  }
  return type;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

bool IsJson(std::string_view type) {
  return type == "application/json" ||
         (type.starts_with("application/") && type.ends_with("+json"));
}

bool IsNdjson(std::string_view type) {
  return type == "application/x-ndjson" || type == "application/ndjson" ||
         type == "application/jsonl";
}

bool IsGrpc(std::string_view content_type) {
  constexpr std::string_view kType = "application/grpc";
  if (!content_type.starts_with(kType)) return false;
  const std::string_view rest = content_type.substr(kType.size());
  return rest.empty() || rest[0] == '+' || rest[0] == ';';
}

// What the parsers of HTTP/1.1 and HTTP/2 leave unchecked in a head; null: nothing.
const char* FaultOf(const RequestHead& head) {
  const auto* authority = reinterpret_cast<const uint8_t*>(head.authority.data());
  if (nghttp2_check_authority(authority, head.authority.size()) == 0) return "the host is not one";
  size_t types = 0;
  for (size_t i = 0; i < head.fields->size(); ++i) {
    const HeaderField field = (*head.fields)[i];
    if (field.name == "content-type" && ++types > 1) return "more than one content-type field";
    if (field.name == "host" && field.value != head.authority) return "the host is not :authority";
  }
  return nullptr;
}

// The path of an absolute target ("http://host/path"), which clients of proxies send.
std::string_view PathOf(std::string_view target) {
  if (target.starts_with('/')) return target;
  const size_t scheme = target.find("://");
  if (scheme == std::string_view::npos) return target;
  const size_t path = target.find('/', scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

GrpcStatus MakeStatus(Code code, std::string message) {
  GrpcStatus status;
  status.code = static_cast<int>(code);
  status.message = std::move(message);
  return status;
}

int HttpStatusIn(const Headers& fields) {
  const std::string_view text = fields.Find(":status").value_or("");
  int status = 0;
  std::from_chars(text.data(), text.data() + text.size(), status);
  return status;
}

}  // namespace

Exchange::Exchange(Proxy& proxy)
    : proxy_(proxy),
      deadline_timer_(
          proxy.loop_,
          [this] {
            Fail(MakeStatus(Code::kDeadlineExceeded, "the deadline of the request has passed"));
          }),
      request_options_(proxy.options_.request),
      response_options_(proxy.options_.response) {
  request_options_.max_message = proxy.options_.limits.body_bytes;
  response_options_.max_message = proxy.options_.limits.message_bytes;
  response_options_.schema = &proxy.schema_;
}

// --- the request ---

bool Exchange::Begin(const RequestHead& head, ClientStream& client) {
  client_ = &client;
  call_ = nullptr;
  began_ = moved_ = proxy_.loop_.now();
  grpc_ = started_ = request_ended_ = response_ended_ = false;
  unsent_ = 0;
  deadline_.reset();
  target_ = PathOf(head.target);
  if (proxy_.options_.log_requests) {
    method_ = head.method;
    peer_ = head.peer;
  }
  if (!MayHold(head.fields->cost())) return FailFull(), false;
  if (target_.size() > proxy_.options_.limits.path_bytes) {
    FailHttp(414, "the path is too long");
    return false;
  }
  if (const char* fault = FaultOf(head)) {
    FailHttp(400, fault);
    return false;
  }
  const std::string_view content_type = head.fields->Find("content-type").value_or("");
  if (IsGrpc(content_type)) return BeginGrpc(head);
  SetDeadline(*head.fields);
  return BeginJson(head);
}

bool Exchange::BeginGrpc(const RequestHead& head) {
  if (!head.http2) {
    FailHttp(415, "gRPC needs HTTP/2");
    return false;
  }
  grpc_ = true;
  call_head_.Add(":method", head.method);
  call_head_.Add(":scheme", "http");
  call_head_.Add(":authority", head.authority.empty()
                                   ? std::string_view(proxy_.upstream_.address().text)
                                   : head.authority);
  call_head_.Add(":path", target_);
  for (size_t i = 0; i < head.fields->size(); ++i) {
    call_head_.Add((*head.fields)[i].name, (*head.fields)[i].value);
  }
  return StartCall();
}

bool Exchange::BeginJson(const RequestHead& head) {
  const Match::Outcome outcome = proxy_.router_.Find(head.method, target_, match_);
  if (outcome == Match::Outcome::kNotFound) {
    FailHttp(404, "no rule for this path");
    return false;
  }
  if (outcome == Match::Outcome::kMethodNotAllowed) {
    const std::string allow = proxy_.router_.Allow(target_);
    response_head_.Add("allow", allow);
    FailHttp(405, "this path has other methods: " + allow);
    return false;
  }
  const Route& route = *match_.route;
  if (!CheckContentType(head)) return false;
  if (!route.method->client_streaming &&
      head.content_length.value_or(0) > proxy_.options_.limits.body_bytes) {
    FailHttp(413, "the body is larger than " + std::to_string(proxy_.options_.limits.body_bytes) +
                      " bytes");
    return false;
  }
  format_ = StreamFormat::kUnary;
  if (route.method->server_streaming) {
    format_ = FormatOf(head.fields->Find("accept").value_or(""), proxy_.options_.stream_format);
  }
  MakeCallHead(head, route.method->path);
  if (auto result = request_.Start(match_, request_options_); !result.ok()) {
    Fail(StatusOf(result.error()));
    return false;
  }
  if (head.has_body) client_->Continue();
  return true;
}

bool Exchange::CheckContentType(const RequestHead& head) {
  const Route& route = *match_.route;
  const auto value = head.fields->Find("content-type");
  request_options_.content_type = route.raw_request ? value.value_or("") : "";
  request_options_.format = RequestFormat::kArray;
  if (!IsAscii(request_options_.content_type)) {  // which becomes a string, and that is UTF-8
    FailHttp(415, "the content-type must be ASCII");
    return false;
  }
  if (!head.has_body || !route.has_body) return true;
  for (size_t i = 0; i < head.fields->size(); ++i) {
    const HeaderField field = (*head.fields)[i];
    if (field.name == "content-encoding" && !EqualsIgnoringCase(field.value, "identity")) {
      FailHttp(415, "a compressed body is not supported");
      return false;
    }
  }
  if (route.raw_request || !value || *value == "application/json") return true;
  const std::string type = MediaType(*value);
  if (route.method->client_streaming && IsNdjson(type)) {
    request_options_.format = RequestFormat::kNdjson;
    return true;
  }
  if (IsJson(type)) return true;
  FailHttp(415, route.method->client_streaming
                    ? "the content-type must be application/json or application/x-ndjson"
                    : "the content-type must be application/json");
  return false;
}

void Exchange::MakeCallHead(const RequestHead& head, std::string_view path) {
  call_head_.Add(":method", "POST");
  call_head_.Add(":scheme", "http");
  call_head_.Add(":authority", head.authority.empty()
                                   ? std::string_view(proxy_.upstream_.address().text)
                                   : head.authority);
  call_head_.Add(":path", path);
  call_head_.Add("te", "trailers");
  call_head_.Add("content-type", "application/grpc");
  call_head_.Add("grpc-accept-encoding", "identity,gzip");
  AddRequestMetadata(*head.fields, call_head_);
}

void Exchange::SetDeadline(const Headers& fields) {
  std::optional<std::chrono::nanoseconds> timeout;
  if (const auto text = fields.Find("grpc-timeout")) timeout = ParseTimeout(*text);
  if (!timeout && proxy_.options_.timeout.count() != 0) timeout = proxy_.options_.timeout;
  if (!timeout) return;
  deadline_ = began_ + *timeout;
  deadline_timer_.Arm(*deadline_);
}

bool Exchange::StartCall() {
  if (deadline_ && !grpc_) {
    call_head_.Add("grpc-timeout", FormatTimeout(*deadline_ - Clock::now()));
  }
  call_ = proxy_.upstream_.Start(call_head_, this);
  if (call_ != nullptr) return true;
  Fail(MakeStatus(Code::kUnavailable, "no connection to " + proxy_.upstream_.address().text + ": " +
                                          std::strerror(errno)));
  return false;
}

// A stream of messages lasts as long as its client likes, if only something of it moves.
void Exchange::CheckTime(Clock::time_point now) {
  if (client_ == nullptr) return;
  const auto idle_time = proxy_.options_.limits.stream_idle_time;
  const size_t unsent = client_->unsent();
  if (std::exchange(unsent_, unsent) != unsent) moved_ = now;  // the client takes of the answer
  if (idle_time.count() != 0 && now - moved_ >= idle_time) {
    return FailHttp(request_ended_ ? 504 : 408, "nothing of the request or its answer moves");
  }
  if (grpc_ || request_ended_) return;
  if (match_.route->method->client_streaming) return;
  constexpr size_t kBytesPerSecond = size_t{16} << 10;
  const std::chrono::seconds more(request_.held() / kBytesPerSecond);
  if (now - began_ >= proxy_.options_.limits.body_time + more) {
    FailHttp(408, "the body takes too long");
  }
}

void Exchange::OnBody(std::string_view bytes) {
  moved_ = proxy_.loop_.now();
  const size_t unsent = call_ != nullptr ? call_->unsent() : 0;
  if (!MayHold((grpc_ ? 0 : request_.held()) + unsent + bytes.size())) return FailFull();
  if (grpc_) {
    call_->Send(bytes);
  } else {
    if (auto result = request_.Push(bytes); !result.ok()) {
      const bool large = result.error().code == Code::kResourceExhausted;
      return Fail(StatusOf(result.error()), large ? 413 : 0);
    }
    PumpRequest();
    if (client_ == nullptr) return;
  }
  if (call_ != nullptr && call_->unsent() > proxy_.options_.limits.queue_bytes) client_->Hold(true);
}

void Exchange::OnBodyEnd() {
  moved_ = proxy_.loop_.now();
  if (!grpc_) {
    if (!MayHold(request_.held())) return FailFull();
    request_.Finish();
    PumpRequest();
    if (client_ == nullptr) return;
    request_.Release();
    if (call_ == nullptr && !StartCall()) return;  // a stream of no messages
  }
  request_ended_ = true;
  call_->End();
}

void Exchange::PumpRequest() {
  for (;;) {
    const Result<bool> next = request_.Next(frame_);
    if (!next.ok()) {
      const bool large = next.error().code == Code::kResourceExhausted;
      return Fail(StatusOf(next.error()), large ? 413 : 0);
    }
    if (!*next) return;
    if (call_ == nullptr && !StartCall()) return;
    call_->SendSwap(frame_);
  }
}

void Exchange::OnUpstreamWritable() {
  if (!request_ended_ && call_->unsent() <= proxy_.options_.limits.queue_bytes / 2) {
    client_->Hold(false);
  }
}

// --- the response ---

void Exchange::OnUpstreamHead(const Headers& fields, bool end) {
  moved_ = proxy_.loop_.now();
  response_ended_ = end;
  const int http_status = HttpStatusIn(fields);
  if (grpc_) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].name.starts_with(':')) response_head_.Add(fields[i].name, fields[i].value);
    }
    if (end) {
      const GrpcStatus grpc = StatusOfTrailers(fields).value_or(GrpcStatus());
      text_.Clear();
      client_->Respond(http_status, response_head_, text_);
      return Done(http_status, grpc.code);
    }
    started_ = true;
    return client_->Start(http_status, response_head_);
  }
  const auto grpc_status = StatusOfTrailers(fields);
  const std::string_view content_type = fields.Find("content-type").value_or("");
  if (!grpc_status && (http_status != 200 || !IsGrpc(content_type))) {
    GrpcStatus error;
    error.code = http_status == 200 ? static_cast<int>(Code::kUnknown) : GrpcCodeOf(http_status);
    error.message = "the server's answer is not gRPC: HTTP status " + std::to_string(http_status) +
                    ", content-type \"" + std::string(content_type) + "\"";
    return Fail(error);
  }
  AddResponseMetadata(fields, response_head_);
  response_options_.gzip = fields.Find("grpc-encoding").value_or("") == "gzip";
  response_.Start(*match_.route, format_, response_options_);
  // Trailers alone: their metadata is in response_head_ already.
  if (end) {
    Complete(grpc_status.value_or(MakeStatus(Code::kUnknown, "the server sent no status")),
             nullptr);
  }
}

void Exchange::OnUpstreamData(std::string_view bytes) {
  moved_ = proxy_.loop_.now();
  const size_t held = (grpc_ ? 0 : response_.held()) + client_->unsent();
  if (!MayHold(held + bytes.size())) return FailFull();
  if (grpc_) {
    client_->Write(bytes);
  } else {
    response_.Push(bytes);
    PumpResponse();
  }
  if (call_ != nullptr && client_->unsent() > proxy_.options_.limits.queue_bytes) call_->Hold(true);
}

void Exchange::PumpResponse() {
  for (;;) {
    const Result<bool> next = response_.Next(text_);
    if (!next.ok()) {
      DropCall();
      return Complete(StatusOf(next.error()), nullptr);
    }
    if (!*next) return;
    if (!started_) StartResponse();
    client_->Write(text_.view());
  }
}

// An HttpBody may have none.
void Exchange::AddContentType() {
  const std::string_view type = response_.content_type();
  if (!type.empty()) response_head_.Add("content-type", type);
}

void Exchange::StartResponse() {
  started_ = true;
  AddContentType();
  client_->Start(200, response_head_);
}

void Exchange::OnUpstreamTrailers(const Headers& fields) {
  response_ended_ = true;
  if (grpc_) {
    const GrpcStatus status = StatusOfTrailers(fields).value_or(GrpcStatus());
    client_->Finish(fields);
    return Done(200, status.code);
  }
  const auto status = StatusOfTrailers(fields);
  Complete(status.value_or(MakeStatus(Code::kUnknown, "the server sent no status")), &fields);
}

void Exchange::OnUpstreamClosed(std::optional<uint32_t> http2_error, bool connected) {
  call_ = nullptr;
  if (http2_error) return Fail(StatusOfReset(*http2_error));
  Fail(MakeStatus(Code::kUnavailable,
                  "the server at " + proxy_.upstream_.address().text +
                      (connected ? " closed the connection" : " cannot be reached")));
}

void Exchange::OnClientWritable() {
  if (call_ != nullptr && client_->unsent() <= proxy_.options_.limits.queue_bytes / 2) {
    call_->Hold(false);
  }
}

void Exchange::OnClientGone() {
  client_ = nullptr;
  Done(499, static_cast<int>(Code::kCancelled));
}

// --- the end ---

void Exchange::Complete(const GrpcStatus& status, const Headers* trailers) {
  const ResponseTranscoder::End end = response_.Finish(status, text_);
  if (started_) {
    client_->Write(text_.view());
    if (end.broken && !proxy_.options_.error_in_band_only) {
      client_->Abort();
    } else {
      client_->Finish(Headers());
    }
    return Done(200, status.code);
  }
  if (trailers != nullptr) AddResponseMetadata(*trailers, response_head_);
  AddContentType();
  response_head_.Add("grpc-status", status.ok() ? "0" : std::to_string(status.code));
  if (!status.message.empty()) {
    response_head_.Add("grpc-message", EncodeGrpcMessage(status.message));
  }
  client_->Respond(end.http_status, response_head_, text_);
  Done(end.http_status, status.code);
}

void Exchange::Fail(const GrpcStatus& status, int http_status) {
  if (grpc_) return FailGrpc(status);
  if (started_) return Complete(status, nullptr);
  if (http_status == 0) http_status = HttpStatusOf(status.code);
  text_.Clear();
  AppendStatusJson(status, &proxy_.schema_, text_, proxy_.options_.response.print);
  response_head_.Add("content-type", "application/json");
  client_->Respond(http_status, response_head_, text_);
  Done(http_status, status.code);
}

void Exchange::FailHttp(int http_status, std::string_view message) {
  Fail(MakeStatus(static_cast<Code>(CodeOfHttpError(http_status)), std::string(message)),
       http_status);
}

void Exchange::FailGrpc(const GrpcStatus& status) {
  Headers fields;
  if (!started_) fields.Add("content-type", "application/grpc");
  fields.Add("grpc-status", std::to_string(status.code));
  fields.Add("grpc-message", EncodeGrpcMessage(status.message));
  if (started_) {
    client_->Finish(fields);
  } else {
    text_.Clear();
    client_->Respond(200, fields, text_);
  }
  Done(200, status.code);
}

bool Exchange::MayHold(size_t bytes) const {
  const size_t limit = proxy_.options_.limits.memory_bytes;
  if (bytes < Buffer::kLarge || Buffer::InUse() <= limit) return true;
  Buffer::FreeKept();  // it may be of other sizes than are needed
  return Buffer::InUse() <= limit;
}

void Exchange::FailFull() {
  Fail(MakeStatus(Code::kUnavailable, "the requests and answers under way take more than " +
                                          std::to_string(proxy_.options_.limits.memory_bytes) +
                                          " bytes"));
}

void Exchange::DropCall() {
  if (call_ == nullptr) return;
  UpstreamCall* call = std::exchange(call_, nullptr);
  if (request_ended_ && response_ended_ && call->unsent() == 0) {
    call->Detach();  // it closes by itself
  } else {
    call->Cancel();
  }
}

void Exchange::Done(int http_status, int grpc_code) {
  deadline_timer_.Cancel();
  client_ = nullptr;
  DropCall();
  if (proxy_.options_.log_requests) {
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_);
    LogLine line("request");
    line.Add("peer", peer_).Add("method", method_).Add("target", target_);
    line.Add("status", http_status).Add("grpc_status", grpc_code).Add("us", time.count());
    line.Write();
  }
  call_head_.Clear();
  response_head_.Clear();
  request_.Release();
  response_.Release();
  frame_.Recycle();
  text_.Recycle();
  proxy_.Release(this);
}

// --- the proxy ---

Proxy::Proxy(EventLoop& loop, const Schema& schema, const Router& router, UpstreamPool& upstream,
             const ProxyOptions& options)
    : loop_(loop), schema_(schema), router_(router), upstream_(upstream), options_(options) {}

Proxy::~Proxy() = default;

RequestSink* Proxy::OnRequest(const RequestHead& head, ClientStream& client) {
  if (free_.empty()) {
    all_.push_back(std::make_unique<Exchange>(*this));
    free_.push_back(all_.back().get());
  }
  Exchange* exchange = free_.back();
  free_.pop_back();
  ++active_;
  return exchange->Begin(head, client) ? exchange : nullptr;
}

void Proxy::CheckTime(Clock::time_point now) {
  for (const auto& exchange : all_) exchange->CheckTime(now);
}

void Proxy::Release(Exchange* exchange) {
  free_.push_back(exchange);
  --active_;
}

}  // namespace transcode::server
