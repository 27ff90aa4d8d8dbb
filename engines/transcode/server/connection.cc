#include "server/connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace transcode::server {
namespace {

// Input that is thrown away before a connection with an unread request is closed.
constexpr size_t kDiscardLimit = size_t{1} << 20;

}  // namespace

Connection::Connection(EventLoop& loop, int fd, bool connecting)
    : loop_(loop), fd_(fd), connecting_(connecting), blocked_(connecting), stepped_(loop.now()) {
  events_ = EPOLLIN | EPOLLRDHUP | (connecting ? EPOLLOUT : 0u);
  loop_.Add(fd_, events_, this);
}

Connection::~Connection() {
  if (fd_ >= 0) close(fd_);
}

void Connection::Close() {
  if (fd_ < 0) return;
  loop_.Remove(fd_);
  close(std::exchange(fd_, -1));
  OnClose();
  loop_.Retire(this);
}

int Connection::Release() {
  loop_.Remove(fd_);
  loop_.Retire(this);
  return std::exchange(fd_, -1);
}

void Connection::OnEvents(uint32_t events) {
  if (fd_ < 0) return;
  if (connecting_ && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Close();
    connecting_ = false;
    OnConnected();
    if (fd_ < 0) return;
  }
  if ((events & EPOLLOUT) != 0 && blocked_) {
    blocked_ = false;
    QueueFlush();
  }
  if ((events & EPOLLIN) != 0 && (reading_ || discarding_)) {
    Read();
  } else if ((events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP)) != 0) {
    // Reading is stopped, or there is nothing to read: the peer is gone.
    (events & (EPOLLERR | EPOLLHUP)) != 0 || discarding_ ? Close() : OnEnd();
  }
  if (fd_ >= 0) UpdateEvents();
}

void Connection::Read() {
  const ssize_t got = recv(fd_, loop_.scratch(), EventLoop::kScratchSize, 0);
  if (got > 0) {
    if (discarding_) {
      discarded_ += static_cast<size_t>(got);
      if (discarded_ > kDiscardLimit) Close();
      return;
    }
    return OnBytes({loop_.scratch(), static_cast<size_t>(got)});
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  got == 0 && !discarding_ ? OnEnd() : Close();
}

void Connection::OnFlush() {
  if (fd_ < 0) return;
  for (;;) {
    const bool full = out_.size() - sent_ >= kOutputLimit || has_tail();
    const bool filled = !full && Fill();
    if (fd_ < 0) return;
    if (unsent() == 0) break;
    if (blocked_) break;
    if (!Write()) return;
    // What there was no room for may wait for nothing else.
    if (blocked_ || !(filled || full)) break;
  }
  if (unsent() == 0) {
    OnDrained();
    if (fd_ < 0) return;
    if (unsent() == 0 && close_after_write_) {
      if (!drain_) return Close();
      if (!discarding_) {
        discarding_ = true;
        shutdown(fd_, SHUT_WR);
      }
    }
  }
  UpdateEvents();
}

bool Connection::Write() {
  iovec parts[2] = {{out_.data() + sent_, out_.size() - sent_},
                    {tail_.data() + tail_sent_, tail_.size() - tail_sent_}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = has_tail() ? 2 : 1;
  const ssize_t result = sendmsg(fd_, &message, MSG_NOSIGNAL);
  if (result < 0) {
    if (errno != EAGAIN && errno != EINTR) {
      Close();
      return false;
    }
    blocked_ = true;
    return true;
  }
  const size_t head = out_.size() - sent_;
  const size_t written = static_cast<size_t>(result);
  written_ += written;
  sent_ += written < head ? written : head;
  tail_sent_ += written < head ? 0 : written - head;
  if (sent_ == out_.size()) {
    sent_ = 0;
    out_.Recycle();
  } else if (sent_ >= kOutputLimit) {
    out_.Consume(std::exchange(sent_, 0));
  }
  if (tail_sent_ == tail_.size()) {
    tail_sent_ = 0;
    tail_.Recycle();
  }
  if (unsent() != 0) blocked_ = true;
  return true;
}

bool Connection::Stalled(Clock::time_point now, std::chrono::milliseconds limit) {
  if ((unsent() == 0 && !discarding_) || written_ != stalled_at_) {
    stalled_at_ = written_;
    stepped_ = now;
  }
  return now - stepped_ >= limit;
}

void Connection::SetReading(bool reading) {
  reading_ = reading;
  if (fd_ >= 0) UpdateEvents();
}

void Connection::CloseAfterWrite(bool drain) {
  if (std::exchange(close_after_write_, true)) return;
  drain_ = drain;
  QueueFlush();
}

void Connection::UpdateEvents() {
  const uint32_t events = (discarding_ ? 0u : uint32_t{EPOLLRDHUP}) |
                          (reading_ || discarding_ ? uint32_t{EPOLLIN} : 0u) |
                          (blocked_ ? uint32_t{EPOLLOUT} : 0u);
  if (events == events_) return;
  events_ = events;
  loop_.Modify(fd_, events, this);
}

}  // namespace transcode::server
