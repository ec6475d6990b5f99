// base/thread_pool.cpp - rounds of a loop, handed out in chunks.
#include "base/thread_pool.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mneme {
namespace {

// About 50 microseconds of watching; more would take the core from whoever needs it.
constexpr int kSpins = 2000;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Returns when `value` differs from `old`.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::int64_t threads) {
  for (std::int64_t i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(const Loop& loop) {
  loop_ = loop;
  // Chunks small enough that the last one to finish does not keep the others waiting long.
  chunk_ = std::max<std::int64_t>(1, loop.count / (threads() * 4));
  next_.store(0, std::memory_order_relaxed);
  busy_.store(static_cast<std::int32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_part();
  for (std::int32_t busy; (busy = busy_.load(std::memory_order_acquire)) != 0;)
    wait_for_change(busy_, busy);
}

void ThreadPool::work() {
  for (std::uint32_t seen = 0;;) {
    wait_for_change(round_, seen);
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    take_part();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

void ThreadPool::take_part() {
  for (;;) {
    const std::int64_t first = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (first >= loop_.count) return;
    const std::int64_t last = std::min(first + chunk_, loop_.count);
    for (std::int64_t i = first; i < last; ++i) loop_.invoke(loop_.call, i);
  }
}

}  // namespace mneme
