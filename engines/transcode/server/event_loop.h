// One thread's readiness loop: epoll, timers, and work put off to the end of a round.
//
// A round is: wait, hand out readiness, run posted functions and due timers, flush, free what was
// retired. Output is written once a round, so that all that one round produced for a peer leaves in
// one system call.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace transcode::server {

using Clock = std::chrono::steady_clock;

class EventLoop {
 public:
  // Something that waits for a file descriptor. It may be told of an event after Remove() in the
  // same round, so it must be able to ignore it; it is freed through Retire().
  class Watcher {
   public:
    virtual ~Watcher() = default;
    virtual void OnEvents(uint32_t events) = 0;
    // Called at the end of the round in which QueueFlush() was called.
    virtual void OnFlush() {}

   private:
    friend class EventLoop;
    bool flush_queued_ = false;
  };

  // Calls `fire` once after a delay, unless cancelled. Arming allocates nothing but heap growth.
  class Timer {
   public:
    Timer(EventLoop& loop, std::function<void()> fire) : loop_(loop), fire_(std::move(fire)) {}
    ~Timer() { Cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    void Arm(Clock::time_point at);
    void Cancel();
    bool armed() const { return slot_ != kIdle; }

   private:
    friend class EventLoop;
    static constexpr size_t kIdle = static_cast<size_t>(-1);
    EventLoop& loop_;
    std::function<void()> fire_;
    Clock::time_point at_{};
    size_t slot_ = kIdle;
  };

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void Add(int fd, uint32_t events, Watcher* watcher);
  void Modify(int fd, uint32_t events, Watcher* watcher);
  void Remove(int fd);

  void QueueFlush(Watcher* watcher);
  // Deletes `watcher` at the end of the round.
  void Retire(Watcher* watcher) { retired_.emplace_back(watcher); }

  // Runs `work` on the loop's thread. From any thread.
  void Post(std::function<void()> work);
  // Runs until Stop(). Stop() may be called from any thread.
  void Run();
  void Stop();

  // The time at which this round began.
  Clock::time_point now() const { return now_; }
  // Where reads land: shared by all connections of the loop, so that idle ones hold no memory.
  char* scratch() { return scratch_.get(); }
  static constexpr size_t kScratchSize = size_t{256} << 10;

 private:
  int WaitMilliseconds() const;
  void RunTimers();
  void RunPosted();
  void FlushAndFree();
  void Place(size_t slot, Timer* timer);
  void SiftUp(size_t slot);
  void SiftDown(size_t slot);

  int epoll_ = -1;
  int wake_ = -1;
  bool stopping_ = false;
  Clock::time_point now_;
  std::unique_ptr<char[]> scratch_;
  std::vector<Timer*> heap_;
  std::vector<Watcher*> flush_;
  std::vector<Watcher*> flushing_;
  std::vector<std::unique_ptr<Watcher>> retired_;
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;
};

}  // namespace transcode::server
