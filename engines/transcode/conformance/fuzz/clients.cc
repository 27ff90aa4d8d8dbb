// The bytes that a client of the server writes, over HTTP/1.1 and HTTP/2.

#include <functional>
#include <set>

#include "conformance/files.h"
#include "conformance/fuzz/application.h"
#include "conformance/fuzz/check.h"
#include "conformance/fuzz/gateway.h"
#include "conformance/fuzz/http2_frames.h"
#include "conformance/fuzz/targets.h"
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

// A byte of options, one that says where to cut, then what the client writes.
struct Input {
  bool gateway, small, raw, narrow;
  size_t step;
  std::string_view bytes;
};

Input Read(const uint8_t* data, size_t size) {
  if (size < 2) return {};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  return {(data[0] & 1) != 0,
          (data[0] & 2) != 0,
          (data[0] & 4) != 0,
          (data[0] & 8) != 0,
          data[1],
          bytes};
}

// One connection whose client writes the input in pieces, reads all, and ends. What it read.
// Each piece is read, and the end is the end.
std::string Converse(EventLoop& loop, const Handler& handler, const Input& input, bool http2,
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

// What the application and the client saw.
struct Served {
  std::string requests, answers;
  bool operator==(const Served&) const = default;
};

Served Serve(const Input& input, bool http2, const std::vector<size_t>& cuts) {
  EventLoop loop;
  // Streams that end while others go on would show how the input is cut.
  Application application(http2, LimitsFor(input.small).header_bytes);
  const Handler handler{application, [&] { return application.moved(); },
                        [&] { return application.GoOn(); },
                        [&] { return http2 && application.Answer(); }};
  const std::string answers = Converse(loop, handler, input, http2, cuts);
  return {application.seen(), answers};
}

// The same before a gateway; what comes back depends on what the server behind was told when.
void ServeGateway(const Input& input, const std::vector<size_t>& cuts) {
  EventLoop loop;
  Gateway gateway(loop, LimitsFor(input.small));
  EchoServer echo(loop, gateway.listener);
  const auto nothing = [] { return false; };
  Converse(loop, {gateway.proxy, [&] { return echo.Look(); }, nothing, nothing}, input, true, cuts);
}

// --- HTTP/1.1 ---

void RemoveDates(std::string* text) {
  constexpr std::string_view kField = "\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT";
  for (size_t at = 0; (at = text->find("\r\ndate: ", at)) != std::string::npos;) {
    text->erase(at, kField.size());
  }
}

void Http1Target(const uint8_t* data, size_t size) {
  const Input input = Read(data, size);
  const std::vector<size_t> cuts = CutEvery(input.step, input.bytes.size());
  if (input.gateway) return ServeGateway(input, cuts);
  Served whole = Serve(input, false, {});
  Served pieces = Serve(input, false, cuts);
  RemoveDates(&whole.answers);
  RemoveDates(&pieces.answers);
  // What waits for its end has a limit; what comes whole is never kept. And of a head that has no
  // end the mistakes are known early only where it comes whole.
  if (pieces.answers.find(" 431 ") != std::string::npos) return;
  if (pieces.requests == whole.requests && whole.answers.starts_with(pieces.answers) &&
      whole.answers.substr(pieces.answers.size()).starts_with("HTTP/1.1 400 ")) {
    return;
  }
  REQUIRE(pieces == whole, "whole:\n" + whole.requests + whole.answers + "\npieces:\n" +
                               pieces.requests + pieces.answers);
}

std::vector<std::string> Http1Seeds() {
  std::vector<std::string> seeds;
  const std::string direct = {'\0', '\7'}, gateway = {'\1', '\7'}, small = {'\3', '\7'};
  const std::string host = " HTTP/1.1\r\nhost: a\r\n";
  const std::string get = "GET /a" + host + "\r\n";
  const std::string chunked = host + "transfer-encoding: chunked\r\n\r\n";
  for (const char way : std::string("abcdef")) {
    seeds.push_back(direct + "POST /" + way + host + "content-length: 5\r\n\r\nhello" + get);
    seeds.push_back(direct + "POST /" + way + chunked +
                    "5;x=\"y\"\r\nhello\r\n0\r\nx-t: 1\r\n\r\n" + get);
    seeds.push_back(direct + "GET /" + way + " HTTP/1.0\r\nconnection: keep-alive\r\n\r\n" + get);
  }
  seeds.push_back(direct + "POST /f" + host + "expect: 100-continue\r\ncontent-length: 1\r\n\r\nx");
  const std::string narrow = {'\x08', '\7'};
  seeds.push_back(narrow + "GET /b" + host + "\r\n" + "GET /b" + host + "\r\n" + get);
  seeds.push_back(direct + "HEAD /d" + host + "connection: close\r\n\r\n" + get);
  seeds.push_back(direct + get + "\r\n\r\n" + get + "GARBAGE\r\n\r\n");
  const std::string json = "content-type: application/json\r\n";
  seeds.push_back(gateway + "POST /v1/bidi HTTP/1.1\r\nhost: a\r\n" + json +
                  "transfer-encoding: chunked\r\n\r\n1\r\n[\r\nc\r\n{\"name\":\"a\"}\r\n1\r\n]\r\n"
                  "0\r\n\r\n" +
                  get);
  for (const Json& line : ReadJsonLines("corpus/gateway.jsonl")) {
    const Json& request = line.at("request");
    const std::string body = request.value("body", std::string());
    const std::string text = request.at("method").get<std::string>() + " " +
                             request.at("path").get<std::string>() + host + json +
                             "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    if (text.size() > 300 || seeds.size() > 120) continue;
    seeds.push_back((seeds.size() % 8 == 0 ? small : gateway) + text);
  }
  return seeds;
}

// --- HTTP/2 ---

bool EndsAnything(const std::vector<Http2Frame>& frames) {
  for (const Http2Frame& frame : frames) {
    if (frame.type == kReset || frame.type == kGoaway) return true;
  }
  return false;
}

void Http2Target(const uint8_t* data, size_t size) {
  Input input = Read(data, size);
  const std::string bytes =
      std::string(kPreface) + (input.raw ? std::string(input.bytes) : Unpack(input.bytes));
  input.bytes = bytes;
  const std::vector<size_t> cuts = CutEvery(input.step, bytes.size());
  if (input.gateway) return ServeGateway(input, cuts);
  const Served whole = Serve(input, true, {});
  const Served pieces = Serve(input, true, cuts);
  // What follows the end of a stream is another mistake once the end is known.
  if (EndsAnything(ReadFrames(whole.answers)) || EndsAnything(ReadFrames(pieces.answers))) return;
  REQUIRE(pieces.requests == whole.requests, whole.requests + "\npieces:\n" + pieces.requests);
}

std::vector<std::string> Http2Seeds() {
  const std::string direct = {'\0', '\7'}, gateway = {'\1', '\7'}, small = {'\2', '\7'};
  const std::string settings = Packed({kSettings, 0, 0, ""}) + Packed({kSettings, kAck, 0, ""}) +
                               Packed({kWindowUpdate, 0, 0, std::string("\0\0\x10\0", 4)});
  const std::string end =
      Packed({kPing, 0, 0, "12345678"}) + Packed({kGoaway, 0, 0, std::string(8, '\0')});
  // Indexed: POST and GET of http.
  const auto head = [](char method, const std::string& path, const std::string& type) {
    return std::string{method, '\x86'} + Literal(":path", path) + Literal(":authority", "a") +
           Literal("content-type", type);
  };
  constexpr uint8_t kLast = kEndHeaders | kEndStream;
  std::vector<std::string> seeds;
  for (const char way : std::string("abcdef")) {
    const std::string path = std::string("/") + way;
    const std::string post = head('\x83', path, "application/json");
    seeds.push_back(direct + settings + Packed({kHeaders, kEndHeaders, 1, post}) +
                    Packed({kData, 0, 1, "hel"}) + Packed({kData, kEndStream, 1, "lo"}) + end);
    seeds.push_back(direct + settings + Packed({kHeaders, 0, 1, post.substr(0, 9)}) +
                    Packed({kContinuation, kEndHeaders, 1, post.substr(9)}) +
                    Packed({kHeaders, kLast, 3, head('\x82', path, "a")}) +
                    Packed({kHeaders, kLast, 1, Literal("x-t", "1")}) + end);
  }
  seeds.push_back(std::string{'\x08', '\7'} + settings +
                  Packed({kHeaders, kLast, 1, head('\x82', "/b", "a")}) +
                  Packed({kHeaders, kLast, 3, head('\x82', "/b", "a")}) + end);
  const std::string reset = Packed({kReset, 0, 1, std::string("\0\0\0\x08", 4)});
  const std::string frame = Frame("\x0a\x01z");
  const std::vector<std::pair<std::string, std::string>> requests = {
      {head('\x83', "/v1/bidi", "application/json"), R"([{"name":"a"},{"name":"b"}])"},
      {head('\x83', "/v1/theme", "application/json"), R"({"name":"a"})"},
      {head('\x83', "/v1/upload", "text/plain"), "bytes"},
      {head('\x83', "/v1/upload_stream", "text/plain"), "bytes"},
      {head('\x83', "/tc.v1.Library/Bidi", "application/grpc"), frame + frame},
      {head('\x82', "/v1/stream/a", "text/plain"), ""},
      {head('\x82', "/v1/nowhere", "text/plain"), ""}};
  for (const auto& [fields, body] : requests) {
    const std::string all = Packed({kHeaders, kEndHeaders, 1, fields}) +
                            Packed({kData, 0, 1, body.substr(0, body.size() / 2)}) +
                            Packed({kData, kEndStream, 1, body.substr(body.size() / 2)});
    seeds.push_back(gateway + settings + all + end);
    seeds.push_back(gateway + settings + all + reset);
    seeds.push_back(small + settings + all + end);
    seeds.push_back(std::string{'\5', '\7'} + Unpack(settings + all));
  }
  return seeds;
}

}  // namespace

std::vector<FuzzTarget> ClientTargets() {
  return {{"http1", Http1Target, Http1Seeds}, {"http2", Http2Target, Http2Seeds}};
}

}  // namespace transcode::conformance
