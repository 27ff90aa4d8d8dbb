#pragma once

// The gateway of the corpus: its schema, its routes, its proxy in a loop.

#include <cstdint>

#include "conformance/fuzz/wire.h"
#include "http/router.h"
#include "schema/schema.h"
#include "server/proxy.h"

namespace transcode::conformance {

const Schema& GatewaySchema();
const Router& GatewayRouter();

// Those of a server, or so small that short inputs reach them.
server::Limits LimitsFor(bool small);

// A proxy whose server is reached through `listener`.
class Gateway {
 public:
  Gateway(server::EventLoop& loop, const server::Limits& limits);
  // No request is under way any more.
  ~Gateway();

  Listener listener;

 private:
  server::ProxyOptions options_;
  server::UpstreamPool pool_;

 public:
  server::Proxy proxy;
};

}  // namespace transcode::conformance
