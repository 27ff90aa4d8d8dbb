#include "conformance/fuzz/conversation.h"

#include <functional>
#include <set>
#include <utility>

#include "conformance/fuzz/application.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/gateway.h"
#include "conformance/fuzz/wire.h"
#include "conformance/streams.h"
#include "server/http1_connection.h"
#include "server/http2_connection.h"

namespace transcode::conformance {
namespace {

using server::ClientStream;
using server::EventLoop;
using server::Http2Connection;
using server::Limits;

// A gRPC server in the loop of its proxy, which sends back the messages it got.
class EchoServer final : public server::RequestHandler {
 public:
  EchoServer(EventLoop& loop, const Listener& listener) : loop_(loop), listener_(listener) {
    limits_.header_bytes *= 2;  // what the proxy lets in arrives
    context_.handler = this;
    context_.limits = &limits_;
    context_.on_close = [this](server::Connection* connection) { connections_.erase(connection); };
  }
  ~EchoServer() override {
    while (!connections_.empty()) (*connections_.begin())->Close();
  }

  // Takes new connections. Whether anything came since the last call.
  bool Look() {
    for (int fd = listener_.Accept(); fd >= 0; fd = listener_.Accept()) {
      connections_.insert(new Http2Connection(loop_, fd, context_, "proxy"));
      moved_ = true;
    }
    return std::exchange(moved_, false);
  }

  server::RequestSink* OnRequest(const server::RequestHead& head, ClientStream& client) override {
    moved_ = true;
    REQUIRE(head.target.starts_with('/') || head.method != "POST", head.target);
    return new Call(*this, client);
  }

 private:
  struct Call final : server::RequestSink {
    Call(EchoServer& server, ClientStream& to) : echo(server), client(to) {}
    void OnBody(std::string_view bytes) override {
      echo.moved_ = true;
      body += bytes;
    }
    void OnBodyEnd() override {
      echo.moved_ = true;
      server::Headers head, trailers;
      head.Add("content-type", "application/grpc");
      trailers.Add("grpc-status", "0");
      client.Start(200, head);
      client.Write(body);
      client.Finish(trailers);
      delete this;
    }
    void OnClientGone() override {
      echo.moved_ = true;
      delete this;
    }
    void OnClientWritable() override {}
    server::Clock::time_point moved() const override { return {}; }

    EchoServer& echo;
    ClientStream& client;
    std::string body;
  };

  EventLoop& loop_;
  const Listener& listener_;
  Limits limits_;
  server::ConnectionContext context_;
  std::set<server::Connection*> connections_;
  bool moved_ = false;
};

// What a conversation needs to know of who answers.
struct Handler {
  server::RequestHandler& requests;
  std::function<bool()> moved;   // since the last question
  std::function<bool()> go_on;   // does what waited for all to be still
  std::function<bool()> at_end;  // of all input
};

// What the client read.
std::string Converse(EventLoop& loop, const Handler& handler, const ClientInput& input, bool http2,
                     const std::vector<size_t>& cuts) {
  const Limits limits = LimitsFor(input.small);
  const auto [near, far] = ConnectedPair(input.narrow);
  Peer client(far);
  bool open = true;
  server::ConnectionContext context;
  context.handler = &handler.requests;
  context.limits = &limits;
  context.on_close = [&](server::Connection*) { open = false; };
  if (http2) {
    context.on_http2 = [&](int fd, std::string_view peer, std::string_view begin) {
      open = true;
      (new Http2Connection(loop, fd, context, std::string(peer)))->Begin(begin);
    };
  }
  new server::Http1Connection(loop, near, context, "client");
  const std::vector<std::vector<char>> pieces = Pieces(input.bytes, cuts);
  size_t next = 0;
  bool ended = false;
  Patience read("input is left unread"), closed("the connection outlives its client");
  const auto step = [&] {
    if (handler.go_on() || !read.Until(client.IsRead())) return true;
    if (next < pieces.size()) {
      client.Send({pieces[next].data(), pieces[next].size()});
      return ++next, true;
    }
    if (handler.at_end()) return true;
    if (!std::exchange(ended, true)) return client.End(), true;
    return !closed.Until(!open);
  };
  const auto look = [&] {
    const bool took = client.Take();
    return handler.moved() || took;
  };
  Script(loop, look, step).Run();
  return client.received();
}

}  // namespace

ClientInput ReadClientInput(const uint8_t* data, size_t size) {
  if (size < 2) return {};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  return {(data[0] & 1) != 0,
          (data[0] & 2) != 0,
          (data[0] & 4) != 0,
          (data[0] & 8) != 0,
          data[1],
          bytes};
}

Served Serve(const ClientInput& input, bool http2, const std::vector<size_t>& cuts) {
  EventLoop loop;
  Application application(http2, LimitsFor(input.small).header_bytes);
  const Handler handler{application, [&] { return application.moved(); },
                        [&] { return application.GoOn(); },
                        [&] { return http2 && application.Answer(); }};
  const std::string answers = Converse(loop, handler, input, http2, cuts);
  return {application.seen(), answers};
}

void ServeGateway(const ClientInput& input, const std::vector<size_t>& cuts) {
  EventLoop loop;
  Gateway gateway(loop, LimitsFor(input.small));
  EchoServer echo(loop, gateway.listener);
  const auto nothing = [] { return false; };
  Converse(loop, {gateway.proxy, [&] { return echo.Look(); }, nothing, nothing}, input, true, cuts);
}

}  // namespace transcode::conformance
