#include "conformance/fuzz/wire.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "conformance/fuzz/check.h"

namespace transcode::conformance {

std::vector<size_t> CutEvery(size_t step, size_t size) {
  constexpr size_t kPieces = 24;
  step = std::max({step, size / kPieces, size_t{1}});
  std::vector<size_t> cuts;
  for (size_t at = step; at < size; at += step) cuts.push_back(at);
  return cuts;
}

// --- the far end ---

void Peer::Send(std::string_view bytes) {
  if (fd_ < 0 || closed_by_other_ || bytes.empty()) return;
  const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  REQUIRE(sent < 0 || static_cast<size_t>(sent) == bytes.size(), "the socket is full");
}

void Peer::End() { shutdown(fd_, SHUT_WR); }

void Peer::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

bool Peer::Take() {
  if (fd_ < 0 || closed_by_other_) return false;
  static std::vector<char> piece(size_t{64} << 10);
  const ssize_t got = recv(fd_, piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  closed_by_other_ = got <= 0;
  if (got > 0) received_.append(piece.data(), static_cast<size_t>(got));
  return true;
}

bool Peer::IsRead() const {
  int unread = 0;
  return fd_ < 0 || closed_by_other_ || ioctl(fd_, SIOCOUTQ, &unread) != 0 || unread == 0;
}

std::pair<int, int> ConnectedPair(bool narrow) {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0,
          std::strerror(errno));
  const int least = 1;
  if (narrow) setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof least);
  return {ends[0], ends[1]};
}

// --- the listener ---

Listener::Listener() : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  auto* const storage = reinterpret_cast<sockaddr*>(&address_.storage);
  storage->sa_family = AF_UNIX;  // and no name: the system finds one
  REQUIRE(bind(fd_, storage, sizeof(sa_family_t)) == 0 && listen(fd_, 16) == 0,
          std::strerror(errno));
  address_.size = sizeof address_.storage;
  getsockname(fd_, storage, &address_.size);
  address_.text = "upstream:1";
}

Listener::~Listener() { close(fd_); }

int Listener::Accept() const {
  return accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// --- the script ---

Script::Script(server::EventLoop& loop, std::function<bool()> look, std::function<bool()> step)
    : loop_(loop),
      look_(std::move(look)),
      step_(std::move(step)),
      ready_(eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)) {
  loop_.Add(ready_, EPOLLIN, this);  // which is never read, so that no round waits
}

Script::~Script() {
  loop_.Remove(ready_);
  close(ready_);
}

void Script::OnEvents(uint32_t) {
  // A connection is read in one round, and its answer is written at the end of that.
  constexpr int kStill = 3;
  still_ = look_() ? 0 : still_ + 1;
  if (still_ < kStill) return;
  still_ = 0;
  if (!step_()) loop_.Stop();
}

bool Patience::Until(bool holds) {
  constexpr std::chrono::seconds kMost{20};
  const auto now = server::Clock::now();
  if (holds) {
    since_.reset();
  } else if (!since_) {
    since_ = now;
  }
  REQUIRE(holds || now - *since_ < kMost, what_);
  return holds;
}

}  // namespace transcode::conformance
