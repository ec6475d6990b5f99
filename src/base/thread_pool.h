// base/thread_pool.h - a fixed number of threads that share one loop at a time.
//
// parallel_for(n, f) calls f(0) .. f(n-1), each once, on the calling thread and the pool's own, and
// returns when all are done. Nothing is allocated. Every thread begins with its own part of the
// loop, the same one each time, so that what it works on stays in its caches; who is done helps the
// others. The caller never waits for a thread that has not begun: on a machine with less free cores
// than threads it does the work alone, instead of waiting for a core for another thread. Between
// loops the threads watch for work for a few microseconds before they go to sleep: steps of small
// simulations follow each other faster than a sleeping thread wakes up.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace mneme {

class ThreadPool {
 public:
  /// `threads` counts the caller: 1 makes no thread at all.
  explicit ThreadPool(std::int64_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::int64_t threads() const { return static_cast<std::int64_t>(workers_.size()) + 1; }

  /// REQUIRES: f does not throw and does not call parallel_for of this pool; one caller at a time.
  template <class F>
  void parallel_for(std::int64_t count, F&& f) {
    if (workers_.empty() || count <= 1) {
      for (std::int64_t i = 0; i < count; ++i) f(i);
      return;
    }
    run({count, &f,
         [](void* call, std::int64_t i) { (*static_cast<std::remove_reference_t<F>*>(call))(i); }});
  }

 private:
  struct Loop {
    std::int64_t count = 0;
    void* call = nullptr;
    void (*invoke)(void* call, std::int64_t i) = nullptr;
  };

  // One thread's part of the loop; on a line of its own, so that one thread's writes do not slow
  // the others' reads.
  struct alignas(64) Part {
    std::atomic<std::int64_t> next{0};  // first index that no thread has taken
    std::int64_t last = 0;              // end of the part
  };

  void run(const Loop& loop);
  void work(std::size_t self);
  void take_part(std::size_t self);

  std::vector<std::thread> workers_;
  std::vector<Part> parts_;  // the caller's is the first
  Loop loop_;
  std::int64_t chunk_ = 1;
  alignas(64) std::atomic<std::uint32_t> round_{0};  // a new loop, or the end, is there
  // Workers inside the loop, plus kClosed while no thread may enter. What they read (loop_, parts_)
  // changes only when it is closed and empty.
  static constexpr std::uint32_t kClosed = 1U << 31U;
  alignas(64) std::atomic<std::uint32_t> inside_{kClosed};
  std::atomic<bool> stop_{false};
};

}  // namespace mneme
