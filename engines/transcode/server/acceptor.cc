#include "server/acceptor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "server/log.h"

namespace transcode::server {
namespace {

uint16_t PortOf(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

std::string TextOf(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const bool v6 = address.ss_family == AF_INET6;
  const void* bytes =
      v6 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
         : &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  inet_ntop(address.ss_family, bytes, text, sizeof text);
  std::string all(v6 ? "[" : "");
  all.append(text).append(v6 ? "]:" : ":").append(std::to_string(PortOf(address)));
  return all;
}

}  // namespace

uint16_t PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return PortOf(address);
}

Result<int> Listen(const Address& address) {
  const int fd = socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int one = 1;
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  constexpr int kBacklog = 1024;
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 ||
      listen(fd, kBacklog) != 0) {
    const std::string reason = std::strerror(errno);
    if (fd >= 0) close(fd);
    return MakeError(Code::kUnavailable, "cannot listen on " + address.text + ": " + reason);
  }
  return fd;
}

Acceptor::Acceptor(EventLoop& loop, int fd, std::function<bool()> has_room,
                   std::function<void(int, std::string)> on_accept)
    : loop_(loop),
      fd_(fd),
      has_room_(std::move(has_room)),
      on_accept_(std::move(on_accept)),
      resume_(loop, [this] {
        if (fd_ >= 0) loop_.Modify(fd_, EPOLLIN, this);
      }) {
  loop_.Add(fd_, EPOLLIN, this);
}

void Acceptor::Close() {
  if (fd_ < 0) return;
  resume_.Cancel();
  loop_.Remove(fd_);
  close(std::exchange(fd_, -1));
}

void Acceptor::Pause(std::chrono::milliseconds time) {
  loop_.Modify(fd_, 0, this);
  resume_.Arm(loop_.now() + time);
}

void Acceptor::OnEvents(uint32_t) {
  constexpr int kPerRound = 64;
  constexpr std::chrono::milliseconds kFull{10}, kFailed{100};
  for (int i = 0; i < kPerRound && fd_ >= 0; ++i) {
    if (!has_room_()) return Pause(kFull);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int fd =
        accept4(fd_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        LogLine("accept_failed").Add("reason", std::strerror(errno)).Write();
        Pause(kFailed);
      }
      return;
    }
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    on_accept_(fd, TextOf(address));
  }
}

}  // namespace transcode::server
