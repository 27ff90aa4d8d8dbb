#include "conformance/fuzz/gateway.h"

#include "conformance/files.h"
#include "conformance/fuzz/check.h"

namespace transcode::conformance {

const Schema& GatewaySchema() {
  static const Result<Schema>& schema =
      *new Result<Schema>(Schema::Load(ReadTestData("corpus/transcode_gateway.desc")));
  REQUIRE(schema.ok(), "the schema does not load");
  return *schema;
}

const Router& GatewayRouter() {
  static const Result<Router>& router = *new Result<Router>(Router::Make(GatewaySchema()));
  REQUIRE(router.ok(), router.error().ToString());
  return *router;
}

server::Limits LimitsFor(bool small) {
  server::Limits limits;
  if (!small) return limits;
  limits.header_bytes = 512;
  limits.path_bytes = 64;
  limits.body_bytes = 256;
  limits.message_bytes = 256;
  limits.queue_bytes = 64;
  limits.streams = 3;
  return limits;
}

namespace {

server::ProxyOptions OptionsWith(const server::Limits& limits) {
  server::ProxyOptions options;
  options.limits = limits;
  return options;
}

}  // namespace

Gateway::Gateway(server::EventLoop& loop, const server::Limits& limits)
    : options_(OptionsWith(limits)),
      pool_(loop, listener.address(), {.http2 = {}}),
      proxy(loop, GatewaySchema(), GatewayRouter(), pool_, options_) {}

Gateway::~Gateway() { REQUIRE(proxy.active() == 0, "a request without a client is under way"); }

}  // namespace transcode::conformance
