// A non-blocking TCP connection of one event loop: reads into the loop's scratch memory, collects
// output and writes it once a round.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "server/event_loop.h"

namespace transcode::server {

class Connection : public EventLoop::Watcher {
 public:
  // Takes over `fd`, which must be non-blocking. `connecting`: connect() is still under way.
  Connection(EventLoop& loop, int fd, bool connecting = false);
  ~Connection() override;

  void OnEvents(uint32_t events) final;
  void OnFlush() final;

  // Closes now; what is not yet written is lost. Calls OnClose() once and retires the object.
  void Close();
  bool closed() const { return fd_ < 0; }
  // Of connections to clients: ends after the requests that are under way.
  virtual void Shutdown() {}
  // Closes if the client takes too long. Called about once a second.
  virtual void CheckTime(Clock::time_point /*now*/) {}
  // Of connections to clients: when a request or its answer went forward for the last time.
  Clock::time_point silent_since() const {
    return unsent() != 0 || discarding_ ? stepped_ : LastStep();
  }
  EventLoop& loop() { return loop_; }

 protected:
  // More output is asked for while less than this waits.
  static constexpr size_t kOutputLimit = size_t{256} << 10;

  // `bytes` are valid during the call only.
  virtual void OnBytes(std::string_view bytes) = 0;
  // The peer sends no more.
  virtual void OnEnd() { Close(); }
  virtual void OnConnected() {}
  // Appends more to out() while there is room for it. False: nothing was added.
  virtual bool Fill() { return false; }
  // All output is written.
  virtual void OnDrained() {}
  virtual void OnClose() {}
  // As silent_since(), of a connection whose output has left.
  virtual Clock::time_point LastStep() const { return stepped_; }

  Buffer& out() { return out_; }
  // Bytes not yet taken by the kernel.
  size_t unsent() const { return out_.size() - sent_ + tail_.size() - tail_sent_; }
  // Whether none of the output has left for so long, or the peer has not closed a connection that
  // is drained. Asked about once a second.
  bool Stalled(Clock::time_point now, std::chrono::milliseconds limit);
  bool has_tail() const { return !tail_.empty(); }
  // Sends `tail` behind out() without copying it: swaps the memory. Nothing may be appended to
  // out() until all is sent.
  void SetTail(Buffer& tail) { tail_.Swap(tail); }

  void QueueFlush() { loop_.QueueFlush(this); }
  // Stops and resumes reading. While stopped, a peer that goes away is still seen.
  void SetReading(bool reading);
  bool reading() const { return reading_; }
  // Closes when all output is written. `drain`: the rest of the input is thrown away for a while
  // first, because closing with unread input would reset the connection under the peer's reading.
  void CloseAfterWrite(bool drain);
  // Gives the socket to another object and retires this one.
  int Release();

 private:
  bool Write();  // false: closed
  void Read();
  void UpdateEvents();
  void Discard();

  EventLoop& loop_;
  int fd_;
  uint32_t events_ = 0;
  bool connecting_;
  bool reading_ = true;
  bool blocked_ = false;  // the kernel takes no more output
  bool close_after_write_ = false;
  bool drain_ = false;
  bool discarding_ = false;
  size_t discarded_ = 0;
  Buffer out_;
  size_t sent_ = 0;
  Buffer tail_;
  size_t tail_sent_ = 0;
  uint64_t written_ = 0;
  uint64_t stalled_at_ = 0;  // what was written when Stalled() last saw a step
  Clock::time_point stepped_;
};

}  // namespace transcode::server
