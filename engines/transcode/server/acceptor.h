// A listening socket of one event loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "server/event_loop.h"
#include "server/upstream.h"

namespace transcode::server {

// Binds and listens. Errors: what the system says, with the address.
Result<int> Listen(const Address& address);
uint16_t PortOf(int fd);

class Acceptor final : public EventLoop::Watcher {
 public:
  // Takes over the listening socket `fd`. `on_accept` gets a non-blocking socket and the address
  // of the client. Clients wait in the system's queue while `has_room` says no.
  Acceptor(EventLoop& loop, int fd, std::function<bool()> has_room,
           std::function<void(int, std::string)> on_accept);
  ~Acceptor() override { Close(); }

  void OnEvents(uint32_t events) override;
  void Close();

 private:
  // Tries again in a while, when some connections may have ended.
  void Pause(std::chrono::milliseconds time);

  EventLoop& loop_;
  int fd_;
  std::function<bool()> has_room_;
  std::function<void(int, std::string)> on_accept_;
  EventLoop::Timer resume_;
};

}  // namespace transcode::server
