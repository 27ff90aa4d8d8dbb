// For the tests of the server: a gRPC server that does what the request says, and a client that
// writes what it likes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/router.h"
#include "schema/schema.h"
#include "server/server.h"

namespace transcode::server {

std::string ReadFile(const std::string& path);
std::string FromHex(std::string_view hex);

// A frame of HTTP/2, right or wrong.
std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload);

inline constexpr uint8_t kData = 0, kHeaders = 1, kPriority = 2, kReset = 3, kSettings = 4,
                         kPing = 6, kGoaway = 7, kWindowUpdate = 8, kContinuation = 9,
                         kUnknown = 0xfa;
inline constexpr uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4;

// Answers calls with the messages it got, or as the request's metadata says:
//   x-reply         messages in hex with commas between; "none": no message; a leading '=' is
//   dropped x-status, x-message, x-details   of the trailers; x-details is a google.rpc.Status in
//   hex x-reply-header  value of the metadata x-from-server x-repeat        how often the reply is
//   sent x-early         answers before the request has ended x-hang          does not answer
class EchoServer {
 public:
  struct Call {
    std::string path;
    std::map<std::string, std::string> metadata;
    std::vector<std::string> messages;
  };

  EchoServer();
  ~EchoServer();
  std::string address() const;
  // The calls that have ended since the last question.
  std::vector<Call> TakeCalls();
  // Calls that the other side gave up.
  int cancelled() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Response {
  int status = 0;  // 0: none came
  std::map<std::string, std::string> fields;
  std::string body;
  bool complete = false;  // false: the connection or the stream ended inside of it
};

// A blocking TCP client that speaks HTTP/1.1 as told.
class TestClient {
 public:
  explicit TestClient(uint16_t port, int receive_buffer = 0);
  ~TestClient();
  bool Send(std::string_view bytes);  // false: the connection is gone, and the response tells why
  Response Receive(bool head_only = false);
  Response Exchange(std::string_view request) {
    Send(request);
    return Receive();
  }
  std::string ReceiveSome();  // empty: the end
  // Whether something waits to be read, or the connection is gone.
  bool Readable() const;
  void Close();
  // True when the other side ends the connection in that time, in order or by RST.
  bool Ended(std::chrono::milliseconds patience = std::chrono::seconds(20));

 private:
  bool Fill();
  int fd_;
  std::string in_;
};

// A blocking client of HTTP/2 that sends the fields it is told, right or wrong.
class TestHttp2Client {
 public:
  explicit TestHttp2Client(uint16_t port);
  ~TestHttp2Client();
  // Pseudo-fields that are not in `fields` are those of a GET of `path`, or of a POST with a body.
  Response Exchange(std::string_view path, const Fields& fields = {}, std::string_view body = "");

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The gateway corpus's schema behind a proxy with an echo server, with more files and rules.
class TestProxy {
 public:
  explicit TestProxy(ServerOptions options = {}, RouterOptions routes = {},
                     std::string_view more_descriptors = "",
                     std::span<const ExtraRule> more_rules = {});
  // Another server than the echo.
  static std::string UnusedAddress();

  uint16_t port() const { return server_->port(); }
  Server& server() { return *server_; }
  EchoServer& echo() { return echo_; }
  const Schema& schema() const { return schema_; }

 private:
  EchoServer echo_;
  Schema schema_;
  Router router_;
  std::unique_ptr<Server> server_;
};

}  // namespace transcode::server
