// base/thread_pool.h - a fixed number of threads that share one loop at a time.
//
// parallel_for(n, f) calls f(0) .. f(n-1), each once, on the calling thread and the pool's own, and
// returns when all are done. Nothing is allocated. Between loops the threads watch for work for a
// few microseconds before they go to sleep: steps of small simulations follow each other faster
// than a sleeping thread wakes up.
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

  void run(const Loop& loop);
  void work();
  void take_part();

  std::vector<std::thread> workers_;
  Loop loop_;
  std::int64_t chunk_ = 1;
  // Apart from each other, so that one thread's writes do not slow the others' reads.
  alignas(64) std::atomic<std::uint32_t> round_{0};  // a new loop, or the end, is there
  alignas(64) std::atomic<std::int64_t> next_{0};    // first index nobody has taken
  alignas(64) std::atomic<std::int32_t> busy_{0};    // workers that have not finished the round
  std::atomic<bool> stop_{false};
};

}  // namespace mneme
