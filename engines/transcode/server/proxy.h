// What the proxy does with requests: routes them, translates them to gRPC calls and the answers
// back. One object a thread.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "http/router.h"
#include "schema/schema.h"
#include "server/client.h"
#include "server/event_loop.h"
#include "server/limits.h"
#include "server/upstream.h"
#include "stream/request.h"
#include "stream/response.h"

namespace transcode::server {

struct ProxyOptions {
  Limits limits;
  RequestOptions request;    // format and content_type are set for each request
  ResponseOptions response;  // gzip and schema as well
  // Of a streaming response without a matching Accept.
  StreamFormat stream_format = StreamFormat::kArray;
  // A stream that fails after its first message ends as if it were complete, with the error in it.
  bool error_in_band_only = false;
  // Of a request that names none (grpc-timeout). 0: none.
  std::chrono::milliseconds timeout{0};
  bool log_requests = false;
};

class Exchange;

class Proxy final : public RequestHandler {
 public:
  // All must outlive the proxy.
  Proxy(EventLoop& loop, const Schema& schema, const Router& router, UpstreamPool& upstream,
        const ProxyOptions& options);
  ~Proxy() override;

  RequestSink* OnRequest(const RequestHead& head, ClientStream& client) override;

  // Ends requests whose bodies take too long or that stand still. Called about once a second.
  void CheckTime(Clock::time_point now);
  // Requests under way.
  size_t active() const { return active_; }

 private:
  friend class Exchange;
  void Release(Exchange* exchange);

  EventLoop& loop_;
  const Schema& schema_;
  const Router& router_;
  UpstreamPool& upstream_;
  const ProxyOptions& options_;
  std::vector<std::unique_ptr<Exchange>> all_;
  std::vector<Exchange*> free_;
  size_t active_ = 0;
};

}  // namespace transcode::server
