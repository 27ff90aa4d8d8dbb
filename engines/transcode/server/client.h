// What stands between the protocol of a client (HTTP/1.1 or HTTP/2) and what answers its requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "server/event_loop.h"
#include "server/headers.h"

namespace transcode::server {

// Valid during OnRequest only.
struct RequestHead {
  std::string_view method;
  std::string_view target;  // path and query
  std::string_view authority;
  std::string_view peer;  // address of the client
  const Headers* fields = nullptr;
  std::optional<uint64_t> content_length;
  bool has_body = false;  // as far as known: not yet ended
  bool http2 = false;
};

// One response. After Respond(), Finish() or Abort() the object is not used any more.
class ClientStream {
 public:
  // A whole response; takes the memory of `body`.
  virtual void Respond(int status, const Headers& fields, Buffer& body) = 0;

  // Or in parts.
  virtual void Start(int status, const Headers& fields) = 0;
  virtual void Write(std::string_view bytes) = 0;
  virtual void Finish(const Headers& trailers) = 0;
  // Ends a started response so that the client sees that it is cut short.
  virtual void Abort() = 0;

  // Bytes written that have not left: OnClientWritable() comes when they have.
  virtual size_t unsent() const = 0;
  // Stops the body of the request for a while.
  virtual void Hold(bool hold) = 0;
  // Sends 100 Continue if the client waits for it.
  virtual void Continue() {}

 protected:
  ~ClientStream() = default;
};

// What follows the head of a request.
class RequestSink {
 public:
  virtual void OnBody(std::string_view bytes) = 0;
  virtual void OnBodyEnd() = 0;
  // The client is gone before it had its response. Nothing else is called afterwards.
  virtual void OnClientGone() = 0;
  virtual void OnClientWritable() = 0;
  // When something of the request came, or something of its answer, for the last time.
  virtual Clock::time_point moved() const = 0;

 protected:
  ~RequestSink() = default;
};

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  // Null: the response is complete, and the body is of no interest.
  virtual RequestSink* OnRequest(const RequestHead& head, ClientStream& client) = 0;
};

}  // namespace transcode::server
