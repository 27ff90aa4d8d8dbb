// Calls to a gRPC server over a pool of HTTP/2 connections: multiplexed, opened on demand, each
// call with bounded queues both ways.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "server/http2_session.h"

namespace transcode::server {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;  // host:port as given
};

class UpstreamConnection;

// What a call tells its owner. Not called after Detach(), and nothing after OnUpstreamClosed().
class UpstreamEvents {
 public:
  // The response's head; with `end` it is all there is (its fields are then trailers too).
  virtual void OnUpstreamHead(const Headers& fields, bool end) = 0;
  virtual void OnUpstreamData(std::string_view bytes) = 0;
  virtual void OnUpstreamTrailers(const Headers& fields) = 0;
  // `connected`: false if the server could not be reached at all.
  virtual void OnUpstreamClosed(std::optional<uint32_t> http2_error, bool connected) = 0;
  // Part of what was sent has left the queue.
  virtual void OnUpstreamWritable() = 0;

 protected:
  ~UpstreamEvents() = default;
};

struct UpstreamCall : Http2Stream {
  UpstreamConnection* connection = nullptr;
  UpstreamEvents* events = nullptr;
  size_t slot = 0;
  bool head_seen = false;
  bool too_large = false;  // a header block

  void Send(std::string_view bytes);
  void SendSwap(Buffer& bytes);
  void End();
  // While held, the server may send what is left of the stream's window.
  void Hold(bool hold);
  // Tells its owner nothing any more. The call must not be used afterwards.
  void Detach();
  // Detach(), and resets the stream.
  void Cancel();
};

class UpstreamPool {
 public:
  struct Options {
    size_t max_connections = 8;
    std::chrono::milliseconds connect_time{5000};
    Http2Session::Settings http2;
  };

  UpstreamPool(EventLoop& loop, Address address, const Options& options);
  ~UpstreamPool();

  // Starts a call. `fields` begin with the pseudo fields. Null: no connection can be made; the
  // reason is in errno.
  UpstreamCall* Start(const Headers& fields, UpstreamEvents* events);
  // Ends idle connections, and the others with their last call.
  void Shutdown();

  const Address& address() const { return address_; }

 private:
  friend class UpstreamConnection;
  UpstreamConnection* Pick();
  UpstreamConnection* Connect();

  EventLoop& loop_;
  Address address_;
  Options options_;
  std::vector<UpstreamConnection*> connections_;  // owned by the loop until they close
  std::vector<std::unique_ptr<UpstreamCall>> free_;
  std::vector<nghttp2_nv> nvs_;
};

}  // namespace transcode::server
