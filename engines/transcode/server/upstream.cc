#include "server/upstream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace transcode::server {

class UpstreamConnection final : public Http2Session {
 public:
  UpstreamConnection(UpstreamPool& pool, int fd)
      : Http2Session(pool.loop_, fd, Role::kClient, pool.options_.http2, true),
        pool_(&pool),
        connect_timer_(pool.loop_, [this] { Close(); }) {
    connect_timer_.Arm(pool.loop_.now() + pool.options_.connect_time);
  }

  size_t calls() const { return calls_.size(); }
  bool full() {
    return calls_.size() >=
           nghttp2_session_get_remote_settings(session(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  }
  bool usable() { return !draining_ && nghttp2_session_check_request_allowed(session()) != 0; }

  UpstreamCall* Start(const std::vector<nghttp2_nv>& fields, std::unique_ptr<UpstreamCall> call) {
    call->Reset();
    call->connection = this;
    call->head_seen = call->too_large = false;
    const nghttp2_data_provider provider = Provider(*call);
    call->id = nghttp2_submit_request(session(), nullptr, fields.data(), fields.size(), &provider,
                                      static_cast<Http2Stream*>(call.get()));
    call->slot = calls_.size();
    calls_.push_back(std::move(call));
    QueueFlush();
    return calls_.back().get();
  }

  void Shutdown() override {
    draining_ = true;
    if (calls_.empty()) Close();
  }

 private:
  void OnConnected() override {
    connected_ = true;
    connect_timer_.Cancel();
    QueueFlush();
  }
  void OnBeginHeaders(const nghttp2_frame& frame) override {
    auto* stream = static_cast<Http2Stream*>(
        nghttp2_session_get_stream_user_data(session(), frame.hd.stream_id));
    if (stream != nullptr) stream->in.Clear();
  }
  void OnHeader(int32_t, Http2Stream* stream, std::string_view name,
                std::string_view value) override {
    if (stream == nullptr) return;
    auto& call = static_cast<UpstreamCall&>(*stream);
    call.too_large |=
        call.in.cost() + Headers::CostOf(name, value) > pool_->options_.http2.max_header_bytes;
    if (!call.too_large) call.in.Add(name, value);
  }
  void OnHeadersEnd(const nghttp2_frame&, Http2Stream& stream, bool end) override {
    auto& call = static_cast<UpstreamCall&>(stream);
    if (call.events == nullptr) return;
    if (call.too_large) {
      Reset(call, NGHTTP2_CANCEL);
      call.in.Clear();
      if (!call.head_seen) call.in.Add(":status", "200");
      call.in.Add("grpc-status", std::to_string(static_cast<int>(Code::kInternal)));
      call.in.Add("grpc-message", "the metadata of the server is too large");
      end = true;
    }
    if (call.head_seen) return call.events->OnUpstreamTrailers(call.in);
    const std::string_view status = call.in.Find(":status").value_or("");
    if (status.starts_with('1')) return;  // informational
    call.head_seen = true;
    call.events->OnUpstreamHead(call.in, end);
  }
  void OnData(Http2Stream& stream, std::string_view bytes) override {
    auto& call = static_cast<UpstreamCall&>(stream);
    if (call.events != nullptr) call.events->OnUpstreamData(bytes);
  }
  void OnDataEnd(Http2Stream&) override {}  // OnStreamClose says it too
  void OnStreamClose(Http2Stream& stream, uint32_t error_code) override {
    auto& call = static_cast<UpstreamCall&>(stream);
    UpstreamEvents* events = std::exchange(call.events, nullptr);
    std::unique_ptr<UpstreamCall> freed = std::move(calls_[call.slot]);
    if (call.slot + 1 != calls_.size()) {
      calls_[call.slot] = std::move(calls_.back());
      calls_[call.slot]->slot = call.slot;
    }
    calls_.pop_back();
    if (events != nullptr) events->OnUpstreamClosed(error_code, true);
    constexpr size_t kKept = 256;
    if (pool_->free_.size() < kKept) pool_->free_.push_back(std::move(freed));
    if (draining_ && calls_.empty()) QueueFlush();
  }
  bool Fill() override {
    const bool filled = Http2Session::Fill();
    if (draining_ && calls_.empty() && !closed()) CloseAfterWrite(false);
    return filled;
  }
  void OnGoaway() override { draining_ = true; }
  void OnOutputTaken(Http2Stream& stream) override {
    auto& call = static_cast<UpstreamCall&>(stream);
    if (call.events != nullptr) call.events->OnUpstreamWritable();
  }
  void OnClose() override {
    connect_timer_.Cancel();
    std::erase(pool_->connections_, this);
    for (const auto& call : calls_) {
      call->id = 0;
      UpstreamEvents* events = std::exchange(call->events, nullptr);
      if (events != nullptr) events->OnUpstreamClosed(std::nullopt, connected_);
    }
  }

  UpstreamPool* pool_;
  EventLoop::Timer connect_timer_;
  std::vector<std::unique_ptr<UpstreamCall>> calls_;
  bool connected_ = false;
  bool draining_ = false;
};

void UpstreamCall::Send(std::string_view bytes) { connection->Send(*this, bytes); }
void UpstreamCall::SendSwap(Buffer& bytes) { connection->SendSwap(*this, bytes); }
void UpstreamCall::End() { connection->End(*this); }
void UpstreamCall::Hold(bool hold) { connection->Hold(*this, hold); }

void UpstreamCall::Detach() {
  events = nullptr;
  Hold(false);
}

void UpstreamCall::Cancel() {
  Detach();
  connection->Reset(*this, NGHTTP2_CANCEL);
}

UpstreamPool::UpstreamPool(EventLoop& loop, Address address, const Options& options)
    : loop_(loop), address_(std::move(address)), options_(options) {}

UpstreamPool::~UpstreamPool() {
  while (!connections_.empty()) connections_.back()->Close();
}

UpstreamConnection* UpstreamPool::Connect() {
  const int fd = socket(address_.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return nullptr;
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  const auto* to = reinterpret_cast<const sockaddr*>(&address_.storage);
  if (connect(fd, to, address_.size) != 0 && errno != EINPROGRESS) {
    const int error = errno;
    close(fd);
    errno = error;
    return nullptr;
  }
  connections_.push_back(new UpstreamConnection(*this, fd));
  return connections_.back();
}

// The connection with the fewest calls; a new one only when all are full.
UpstreamConnection* UpstreamPool::Pick() {
  UpstreamConnection* best = nullptr;
  size_t usable = 0;
  for (UpstreamConnection* connection : connections_) {
    if (!connection->usable()) continue;
    ++usable;
    if (best == nullptr || connection->calls() < best->calls()) best = connection;
  }
  if (best != nullptr && (!best->full() || usable >= options_.max_connections)) return best;
  UpstreamConnection* fresh = Connect();
  return fresh != nullptr ? fresh : best;
}

UpstreamCall* UpstreamPool::Start(const Headers& fields, UpstreamEvents* events) {
  UpstreamConnection* connection = Pick();
  if (connection == nullptr) return nullptr;
  std::unique_ptr<UpstreamCall> call;
  if (free_.empty()) {
    call = std::make_unique<UpstreamCall>();
  } else {
    call = std::move(free_.back());
    free_.pop_back();
  }
  nvs_.clear();
  for (size_t i = 0; i < fields.size(); ++i)
    nvs_.push_back(MakeNv(fields[i].name, fields[i].value));
  UpstreamCall* started = connection->Start(nvs_, std::move(call));
  started->events = events;
  return started;
}

void UpstreamPool::Shutdown() {
  const auto connections = connections_;
  for (UpstreamConnection* connection : connections) connection->Shutdown();
}

}  // namespace transcode::server
