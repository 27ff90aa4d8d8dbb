// The whole proxy: listeners, threads, signals, admin.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/router.h"
#include "schema/schema.h"
#include "server/proxy.h"
#include "server/upstream.h"

namespace transcode::server {

struct ServerOptions {
  std::string listen = ":8080";
  std::string admin;  // empty: no admin listener
  std::string upstream = "127.0.0.1:50051";
  int threads = 1;
  size_t max_connections = 1000;    // of clients; more wait until one ends
  size_t upstream_connections = 8;  // of each thread; a second one only when the first is full
  std::chrono::milliseconds drain_time{10'000};
  ProxyOptions proxy;
};

// "host:port", ":port" (host is then 127.0.0.1), "*:port" (all addresses), "[::1]:port".
// Errors: INVALID_ARGUMENT for the form, NOT_FOUND for a name that does not resolve.
Result<Address> ResolveAddress(std::string_view text);

class Server {
 public:
  // Binds the listeners and starts the threads. Schema and router must outlive the server.
  // Errors: of addresses and sockets.
  static Result<std::unique_ptr<Server>> Start(const Schema& schema, const Router& router,
                                               const ServerOptions& options);
  // Shuts down if it is still running.
  ~Server();

  uint16_t port() const;
  uint16_t admin_port() const;  // 0: none

  // Stops accepting, lets requests end for at most drain_time, ends the threads. From any thread,
  // once.
  void Shutdown();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace transcode::server
