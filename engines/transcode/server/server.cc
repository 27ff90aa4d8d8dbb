#include "server/server.h"

#include <netdb.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/acceptor.h"
#include "server/admin.h"
#include "server/http1_connection.h"
#include "server/http2_connection.h"
#include "server/log.h"

namespace transcode::server {

Result<Address> ResolveAddress(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) {
    Error error = MakeError(Code::kInvalidArgument, "not an address");
    error.expected = "host:port, :port, *:port or [ipv6]:port";
    error.got = text;
    return error;
  }
  std::string host(text.substr(0, colon));
  const std::string port(text.substr(colon + 1));
  if (host.empty()) host = "127.0.0.1";
  if (host == "*") host = "0.0.0.0";
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failed != 0) {
    return MakeError(Code::kNotFound,
                     "cannot resolve " + std::string(text) + ": " + gai_strerror(failed));
  }
  Address address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  address.text = std::string(text.starts_with(':') ? "127.0.0.1" : "") + std::string(text);
  freeaddrinfo(found);
  return address;
}

namespace {

// One thread: its loop, its connections, its pool of connections to the server.
class Worker {
 public:
  Worker(const Schema& schema, const Router& router, const Address& upstream,
         const ServerOptions& options, RequestHandler* admin, std::atomic<size_t>& clients)
      : options_(options),
        clients_(clients),
        pool_(loop_, upstream, {.max_connections = options.upstream_connections, .http2 = {}}),
        proxy_(loop_, schema, router, pool_, options.proxy),
        sweep_(loop_, [this] { Sweep(); }),
        kill_(loop_, [this] { loop_.Stop(); }) {
    proxy_context_.handler = &proxy_;
    proxy_context_.limits = &options.proxy.limits;
    proxy_context_.on_close = [this](Connection* connection) {
      --clients_;
      Forget(connection);
    };
    proxy_context_.on_http2 = [this](int fd, std::string_view peer, std::string_view bytes) {
      ++clients_;  // the connection that read the preface closes
      auto* connection = new Http2Connection(loop_, fd, proxy_context_, std::string(peer));
      connections_.emplace(connection, false);
      connection->Begin(bytes);
    };
    admin_context_.handler = admin;
    admin_context_.limits = &options.proxy.limits;
    admin_context_.on_close = [this](Connection* connection) { Forget(connection); };
    sweep_.Arm(loop_.now() + kSweepInterval);
  }

  // What is still open is closed here.
  ~Worker() {
    acceptors_.clear();
    while (!connections_.empty()) connections_.begin()->first->Close();
  }

  EventLoop& loop() { return loop_; }

  void AddAcceptor(int fd, std::function<bool()> has_room,
                   std::function<void(int, std::string)> on_accept) {
    acceptors_.push_back(
        std::make_unique<Acceptor>(loop_, fd, std::move(has_room), std::move(on_accept)));
  }
  void Serve(int fd, std::string peer, bool admin) {
    connections_.emplace(
        new Http1Connection(loop_, fd, admin ? admin_context_ : proxy_context_, std::move(peer)),
        admin);
  }

  // On the loop's thread: ends the connection that has been silent the longest, if that is longer
  // than a head may take.
  void MakeRoom() {
    Connection* longest = nullptr;
    auto since = loop_.now() - options_.proxy.limits.header_time;
    for (const auto& [connection, admin] : connections_) {
      const auto silent_since = connection->silent_since();
      if (admin || silent_since > since) continue;
      longest = connection;
      since = silent_since;
    }
    if (longest != nullptr) longest->Close();
  }

  // On the loop's thread.
  void Shutdown() {
    draining_ = true;
    // Not freed yet: this round may still have an event for one.
    for (const auto& acceptor : acceptors_) acceptor->Close();
    for (Connection* connection : Snapshot()) connection->Shutdown();
    kill_.Arm(loop_.now() + options_.drain_time);
    StopIfDrained();
  }

 private:
  static constexpr std::chrono::milliseconds kSweepInterval{1000};

  // Connections go away while they are looked through.
  std::vector<Connection*> Snapshot() const {
    std::vector<Connection*> all;
    for (const auto& [connection, admin] : connections_) all.push_back(connection);
    return all;
  }
  void Forget(Connection* connection) {
    connections_.erase(connection);
    if (draining_) StopIfDrained();
  }
  void StopIfDrained() {
    if (connections_.empty()) loop_.Stop();
  }
  void Sweep() {
    const auto now = loop_.now();
    proxy_.CheckTime(now);
    for (Connection* connection : Snapshot()) connection->CheckTime(now);
    sweep_.Arm(now + kSweepInterval);
  }

  EventLoop loop_;
  const ServerOptions& options_;
  std::atomic<size_t>& clients_;
  UpstreamPool pool_;
  Proxy proxy_;
  ConnectionContext proxy_context_, admin_context_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::unordered_map<Connection*, bool> connections_;  // true: of the admin listener
  EventLoop::Timer sweep_;
  EventLoop::Timer kill_;
  bool draining_ = false;
};

}  // namespace

struct Server::State {
  State(const Router& router, const ServerOptions& given)
      : options(given), admin(router, draining) {}

  ServerOptions options;
  std::atomic<bool> draining{false};
  std::atomic<size_t> clients{0};  // accepted and not closed, of the proxy's listener
  Admin admin;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  size_t next_worker = 0;  // of the first worker's thread
  size_t next_room = 0;    // as well
  uint16_t port = 0;
  uint16_t admin_port = 0;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Server>> Server::Start(const Schema& schema, const Router& router,
                                              const ServerOptions& options) {
  auto upstream = ResolveAddress(options.upstream);
  if (!upstream.ok()) return upstream.error();
  auto address = ResolveAddress(options.listen);
  if (!address.ok()) return address.error();
  auto state = std::make_unique<State>(router, options);
  State& all = *state;
  for (int i = 0; i < options.threads; ++i) {
    all.workers.push_back(
        std::make_unique<Worker>(schema, router, *upstream, all.options, &all.admin, all.clients));
  }
  // The first thread accepts and deals connections out in turn.
  const auto listener = Listen(*address);
  if (!listener.ok()) return listener.error();
  all.port = PortOf(*listener);
  const auto has_room = [&all] {
    if (all.clients < all.options.max_connections) return true;
    Worker& worker = *all.workers[all.next_room];
    all.next_room = (all.next_room + 1) % all.workers.size();
    worker.loop().Post([&worker] { worker.MakeRoom(); });
    return false;
  };
  all.workers[0]->AddAcceptor(*listener, has_room, [&all](int fd, std::string peer) {
    ++all.clients;
    Worker& worker = *all.workers[all.next_worker];
    all.next_worker = (all.next_worker + 1) % all.workers.size();
    if (&worker == all.workers[0].get()) return worker.Serve(fd, std::move(peer), false);
    worker.loop().Post([&worker, fd, peer = std::move(peer)] { worker.Serve(fd, peer, false); });
  });
  if (!options.admin.empty()) {
    auto admin_address = ResolveAddress(options.admin);
    if (!admin_address.ok()) return admin_address.error();
    const auto admin_listener = Listen(*admin_address);
    if (!admin_listener.ok()) return admin_listener.error();
    all.admin_port = PortOf(*admin_listener);
    const auto always = [] { return true; };  // health is told when the proxy is full, too
    all.workers[0]->AddAcceptor(*admin_listener, always, [&all](int fd, std::string peer) {
      all.workers[0]->Serve(fd, std::move(peer), true);
    });
  }
  for (const auto& worker : all.workers) {
    all.threads.emplace_back([&worker = *worker] { worker.loop().Run(); });
  }
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::~Server() { Shutdown(); }

uint16_t Server::port() const { return state_->port; }
uint16_t Server::admin_port() const { return state_->admin_port; }

void Server::Shutdown() {
  if (state_->draining.exchange(true)) return;
  for (const auto& worker : state_->workers) {
    worker->loop().Post([&worker = *worker] { worker.Shutdown(); });
  }
  for (std::thread& thread : state_->threads) thread.join();
}

}  // namespace transcode::server
