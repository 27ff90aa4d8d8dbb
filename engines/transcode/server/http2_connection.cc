#include "server/http2_connection.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "server/error_body.h"

namespace transcode::server {

// Streams are reused with their memory.
struct Http2Connection::Stream final : Http2Stream, ClientStream {
  explicit Stream(Http2Connection& owner) : connection(owner) {}

  void Respond(int status, const Headers& fields, Buffer& body) override {
    done = true;
    out_ended = true;
    const bool empty = body.empty() || head_only;
    if (!empty) out.Swap(body);
    connection.SubmitHead(*this, status, fields, empty);
    StopBody();
  }
  void Start(int status, const Headers& fields) override {
    connection.SubmitHead(*this, status, fields, false);
  }
  void Write(std::string_view bytes) override {
    if (!head_only) connection.Send(*this, bytes);
  }
  void Finish(const Headers& fields) override {
    done = true;
    trailers = fields;
    connection.End(*this);
    StopBody();
  }
  void Abort() override {
    done = true;
    abort_when_sent = true;
    sink = nullptr;
    if (Http2Stream::unsent() == 0) connection.Reset(*this, NGHTTP2_INTERNAL_ERROR);
  }
  size_t unsent() const override { return Http2Stream::unsent(); }
  void Hold(bool hold) override { connection.Http2Session::Hold(*this, hold); }
  void Continue() override {
    if (!expect_continue) return;
    const nghttp2_nv status = MakeNv(":status", "100");
    nghttp2_submit_headers(connection.session(), NGHTTP2_FLAG_NONE, id, nullptr, &status, 1,
                           nullptr);
    connection.QueueFlush();
  }

  // The rest of a body that nobody wants is let in and dropped.
  void StopBody() {
    sink = nullptr;
    Hold(false);
  }

  Http2Connection& connection;
  size_t slot = 0;
  RequestSink* sink = nullptr;
  std::string method, target, authority;
  bool head_only = false;
  bool expect_continue = false;
  bool done = false;
  bool started = false;
  bool too_large = false;
  bool abort_when_sent = false;
  uint64_t seen_taken = 0;  // the output when CheckTime() last saw a step
  Clock::time_point stepped;
};

Http2Connection::Http2Connection(EventLoop& loop, int fd, const ConnectionContext& context,
                                 std::string peer)
    : Http2Session(loop, fd, Role::kServer,
                   {.max_streams = context.limits->streams,
                    .max_header_bytes = static_cast<uint32_t>(context.limits->header_bytes)}),
      context_(context),
      peer_(std::move(peer)),
      since_(loop.now()) {}

void Http2Connection::OnBeginHeaders(const nghttp2_frame& frame) {
  head_since_ = loop().now();
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) {  // trailers
    auto* of = nghttp2_session_get_stream_user_data(session(), frame.hd.stream_id);
    open_head_ = static_cast<Stream*>(static_cast<Http2Stream*>(of));
    return;
  }
  if (active_ == streams_.size()) streams_.push_back(std::make_unique<Stream>(*this));
  Stream& stream = *streams_[active_];
  stream.slot = active_++;
  open_head_ = &stream;
  stream.Http2Stream::Reset();
  stream.id = frame.hd.stream_id;
  stream.method.clear();
  stream.target.clear();
  stream.authority.clear();
  stream.head_only = stream.done = stream.started = false;
  stream.too_large = stream.abort_when_sent = false;
  stream.seen_taken = 0;
  stream.stepped = loop().now();
  nghttp2_session_set_stream_user_data(session(), stream.id, static_cast<Http2Stream*>(&stream));
}

void Http2Connection::OnHeader(int32_t, Http2Stream* base, std::string_view name,
                               std::string_view value) {
  if (base == nullptr) return;
  auto& stream = static_cast<Stream&>(*base);
  if (stream.started) return;  // trailers of a request: gRPC has none
  if (stream.in.cost() + Headers::CostOf(name, value) > context_.limits->header_bytes) {
    stream.too_large = true;
    return;
  }
  if (!name.starts_with(':')) {
    stream.in.Add(name, value);
  } else if (name == ":method") {
    stream.method = value;
  } else if (name == ":path") {
    stream.target = value;
  } else if (name == ":authority") {
    stream.authority = value;
  }
}

void Http2Connection::OnHeadersEnd(const nghttp2_frame&, Http2Stream& base, bool end_stream) {
  open_head_ = nullptr;
  auto& stream = static_cast<Stream&>(base);
  if (stream.started) {
    if (end_stream) OnDataEnd(stream);
    return;
  }
  stream.started = true;
  StartRequest(stream, end_stream);
}

void Http2Connection::StartRequest(Stream& stream, bool end_stream) {
  if (stream.too_large) {
    Headers fields;
    Buffer body;
    MakeErrorBody(431, "the header is too large", fields, body);
    return stream.Respond(431, fields, body);
  }
  RequestHead head;
  head.method = stream.method;
  head.target = stream.target;
  head.authority = stream.authority;
  head.peer = peer_;
  head.fields = &stream.in;
  head.http2 = true;
  head.has_body = !end_stream;
  if (const auto length = stream.in.Find("content-length")) {
    uint64_t value = 0;  // nghttp2 has checked its form
    std::from_chars(length->data(), length->data() + length->size(), value);
    head.content_length = value;
  }
  if (head.authority.empty()) head.authority = stream.in.Find("host").value_or("");
  stream.head_only = stream.method == "HEAD";
  stream.expect_continue =
      EqualsIgnoringCase(stream.in.Find("expect").value_or(""), "100-continue");
  RequestSink* sink = context_.handler->OnRequest(head, stream);
  if (stream.done) return;
  stream.sink = sink;
  if (end_stream) sink->OnBodyEnd();
}

void Http2Connection::OnData(Http2Stream& base, std::string_view bytes) {
  auto& stream = static_cast<Stream&>(base);
  if (stream.sink != nullptr) stream.sink->OnBody(bytes);
}

void Http2Connection::OnDataEnd(Http2Stream& base) {
  auto& stream = static_cast<Stream&>(base);
  if (stream.sink != nullptr) stream.sink->OnBodyEnd();
}

void Http2Connection::OnStreamClose(Http2Stream& base, uint32_t) {
  auto& stream = static_cast<Stream&>(base);
  if (&stream == open_head_) open_head_ = nullptr;
  if (RequestSink* sink = std::exchange(stream.sink, nullptr)) sink->OnClientGone();
  std::swap(streams_[stream.slot], streams_[--active_]);
  streams_[stream.slot]->slot = stream.slot;
  stream.slot = active_;
  since_ = loop().now();
}

void Http2Connection::OnOutputTaken(Http2Stream& base) {
  auto& stream = static_cast<Stream&>(base);
  if (stream.abort_when_sent && stream.Http2Stream::unsent() == 0) {
    Reset(stream, NGHTTP2_INTERNAL_ERROR);
  } else if (stream.sink != nullptr) {
    stream.sink->OnClientWritable();
  }
}

void Http2Connection::OnClose() {
  for (size_t i = 0; i < active_; ++i) {
    streams_[i]->id = 0;
    if (RequestSink* sink = std::exchange(streams_[i]->sink, nullptr)) sink->OnClientGone();
  }
  active_ = 0;
  context_.on_close(this);
}

void Http2Connection::SubmitHead(Stream& stream, int status, const Headers& fields, bool end) {
  char text[8];
  const auto text_end = std::to_chars(text, text + sizeof text, status).ptr;
  nvs_.clear();
  nvs_.push_back(MakeNv(":status", {text, static_cast<size_t>(text_end - text)}));
  for (size_t i = 0; i < fields.size(); ++i)
    nvs_.push_back(MakeNv(fields[i].name, fields[i].value));
  const nghttp2_data_provider provider = Provider(stream);
  nghttp2_submit_response(session(), stream.id, nvs_.data(), nvs_.size(),
                          end ? nullptr : &provider);
  QueueFlush();
}

void Http2Connection::Shutdown() {
  nghttp2_session_terminate_session2(session(), nghttp2_session_get_last_proc_stream_id(session()),
                                     NGHTTP2_NO_ERROR);
  QueueFlush();
}

void Http2Connection::CheckTime(Clock::time_point now) {
  // A header block that does not end lets no other frame come.
  if (open_head_ != nullptr && now - head_since_ >= context_.limits->header_time) return Close();
  const auto limit = context_.limits->idle_time;
  if (Stalled(now, limit)) return Close();
  // A client that does not take an answer, or does not end a request that has its answer.
  for (size_t i = 0; i < active_; ++i) {
    Stream& stream = *streams_[i];
    const bool waits = stream.done || stream.Http2Stream::unsent() != 0;
    if (!waits || stream.taken != stream.seen_taken) {
      stream.seen_taken = stream.taken;
      stream.stepped = now;
    }
    if (now - stream.stepped >= limit) Reset(stream, NGHTTP2_CANCEL);
  }
  if (active_ == 0) streams_.clear();  // they keep memory for the next ones
  if (active_ == 0 && now - since_ >= limit) Shutdown();
}

Clock::time_point Http2Connection::LastStep() const {
  Clock::time_point last = since_;
  for (size_t i = 0; i < active_; ++i) {
    const Stream& stream = *streams_[i];
    last = std::max(last, stream.sink != nullptr ? stream.sink->moved() : stream.stepped);
  }
  return last;
}

}  // namespace transcode::server
