#include "server/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace transcode::server {
namespace {

constexpr int kEventsPerWait = 256;

int Checked(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

EventLoop::EventLoop()
    : epoll_(Checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(Checked(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")),
      now_(Clock::now()),
      scratch_(new char[kScratchSize]) {
  Add(wake_, EPOLLIN, nullptr);
}

EventLoop::~EventLoop() {
  FlushAndFree();
  close(wake_);
  close(epoll_);
}

void EventLoop::Add(int fd, uint32_t events, Watcher* watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = watcher;
  Checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

void EventLoop::Modify(int fd, uint32_t events, Watcher* watcher) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = watcher;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::Remove(int fd) { epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr); }

void EventLoop::QueueFlush(Watcher* watcher) {
  if (watcher->flush_queued_) return;
  watcher->flush_queued_ = true;
  flush_.push_back(watcher);
}

void EventLoop::Post(std::function<void()> work) {
  {
    std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(work));
  }
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

void EventLoop::Stop() {
  Post([this] { stopping_ = true; });
}

void EventLoop::Run() {
  epoll_event events[kEventsPerWait];
  while (!stopping_) {
    const int count = epoll_wait(epoll_, events, kEventsPerWait, WaitMilliseconds());
    now_ = Clock::now();
    for (int i = 0; i < count; ++i) {
      if (events[i].data.ptr == nullptr) {
        RunPosted();
      } else {
        static_cast<Watcher*>(events[i].data.ptr)->OnEvents(events[i].events);
      }
    }
    if (!heap_.empty()) RunTimers();
    FlushAndFree();
  }
}

void EventLoop::RunPosted() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof count);
  std::vector<std::function<void()>> work;
  {
    std::lock_guard lock(posted_mutex_);
    work.swap(posted_);
  }
  for (auto& function : work) function();
}

void EventLoop::FlushAndFree() {
  do {
    while (!flush_.empty()) {
      flushing_.swap(flush_);
      for (Watcher* watcher : flushing_) {
        watcher->flush_queued_ = false;
        watcher->OnFlush();
      }
      flushing_.clear();
    }
    // A destructor may retire or flush others.
    auto retired = std::exchange(retired_, {});
    for (const auto& watcher : retired) std::erase(flush_, watcher.get());
  } while (!retired_.empty() || !flush_.empty());
}

// --- timers: a binary heap whose entries know their place, so that cancelling is O(log n) ---

int EventLoop::WaitMilliseconds() const {
  if (heap_.empty()) return -1;
  const auto left = heap_.front()->at_ - Clock::now();
  if (left <= Clock::duration::zero()) return 0;
  // Rounded up: waking early would spin.
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<int64_t>(ms, 60'000));
}

void EventLoop::RunTimers() {
  while (!heap_.empty() && heap_.front()->at_ <= now_) {
    Timer* timer = heap_.front();
    timer->Cancel();
    timer->fire_();
  }
}

void EventLoop::Timer::Arm(Clock::time_point at) {
  Cancel();
  at_ = at;
  loop_.heap_.push_back(this);
  slot_ = loop_.heap_.size() - 1;
  loop_.SiftUp(slot_);
}

void EventLoop::Timer::Cancel() {
  if (slot_ == kIdle) return;
  auto& heap = loop_.heap_;
  const size_t slot = std::exchange(slot_, kIdle);
  Timer* last = heap.back();
  heap.pop_back();
  if (last == this) return;
  loop_.Place(slot, last);
  loop_.SiftUp(slot);
  loop_.SiftDown(last->slot_);
}

void EventLoop::Place(size_t slot, Timer* timer) {
  heap_[slot] = timer;
  timer->slot_ = slot;
}

void EventLoop::SiftUp(size_t slot) {
  Timer* timer = heap_[slot];
  while (slot > 0 && timer->at_ < heap_[(slot - 1) / 2]->at_) {
    Place(slot, heap_[(slot - 1) / 2]);
    slot = (slot - 1) / 2;
  }
  Place(slot, timer);
}

void EventLoop::SiftDown(size_t slot) {
  Timer* timer = heap_[slot];
  for (;;) {
    size_t child = 2 * slot + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->at_ < heap_[child]->at_) ++child;
    if (timer->at_ <= heap_[child]->at_) break;
    Place(slot, heap_[child]);
    slot = child;
  }
  Place(slot, timer);
}

}  // namespace transcode::server
