#pragma once

// Both ends of the connections of one event loop, in one thread: the next bytes are written when
// nothing moves any more, so that what happens follows from the bytes alone.

#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/event_loop.h"
#include "server/upstream.h"

namespace transcode::conformance {

// Where to cut `size` bytes: every `step` bytes, or so that there are 24 pieces.
std::vector<size_t> CutEvery(size_t step, size_t size);

// The far end of a connection, which takes whatever comes.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  ~Peer() { Close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void Send(std::string_view bytes);
  // Sends no more.
  void End();
  void Close();
  // Takes what has come. False: nothing has.
  bool Take();
  // Whether all that was sent has been read, or the other end is closed.
  bool IsRead() const;
  bool closed_by_other() const { return closed_by_other_; }
  const std::string& received() const { return received_; }

 private:
  int fd_;
  std::string received_;
  bool closed_by_other_ = false;
};

// Two ends of one connection, not blocking. `narrow`: the first takes little output at a time.
std::pair<int, int> ConnectedPair(bool narrow);

// A listening socket that only this process finds.
class Listener {
 public:
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Below 0: nobody connects.
  int Accept() const;
  const server::Address& address() const { return address_; }

 private:
  int fd_;
  server::Address address_;
};

// Runs a loop. In each round `look` says whether something has moved; when nothing has, for some
// rounds, `step` does the next thing, and says false when there is none.
class Script final : public server::EventLoop::Watcher {
 public:
  Script(server::EventLoop& loop, std::function<bool()> look, std::function<bool()> step);
  ~Script() override;
  void Run() { loop_.Run(); }
  void OnEvents(uint32_t events) override;

 private:
  server::EventLoop& loop_;
  std::function<bool()> look_, step_;
  int ready_;
  int still_ = 0;
};

// Aborts if something does not come to hold for too long.
class Patience {
 public:
  explicit Patience(const char* what) : what_(what) {}
  bool Until(bool holds);

 private:
  const char* what_;
  std::optional<server::Clock::time_point> since_;  // when it was found not to hold
};

}  // namespace transcode::conformance
