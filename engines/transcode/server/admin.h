// The admin listener: GET /healthz and GET /debug/routes.
#pragma once

#include <atomic>

#include "http/router.h"
#include "server/client.h"

namespace transcode::server {

class Admin final : public RequestHandler {
 public:
  // `draining` becomes true when the server shuts down; /healthz then answers 503, so that load
  // balancers look elsewhere.
  Admin(const Router& router, const std::atomic<bool>& draining)
      : router_(router), draining_(draining) {}

  RequestSink* OnRequest(const RequestHead& head, ClientStream& client) override;

 private:
  const Router& router_;
  const std::atomic<bool>& draining_;
};

// [{"verb":"GET","path":"/v1/{name=shelves/*}","body":"","response_body":"","method":"/pkg.S/M",
//   "client_streaming":false,"server_streaming":false}, ...]
void AppendRoutesJson(const Router& router, Buffer& out);

}  // namespace transcode::server
