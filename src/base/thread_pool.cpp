// base/thread_pool.cpp - rounds of a loop, handed out in chunks.
#include "base/thread_pool.h"

#include <algorithm>

#include "base/pause.h"

namespace mneme {
namespace {

// About 50 microseconds of watching; more would take the core from a thread that needs it.
constexpr int kSpins = 2000;

// Returns when `value` differs from `old`.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_processor();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(std::int64_t threads)
    : parts_(static_cast<std::size_t>(std::max<std::int64_t>(threads, 1))) {
  for (std::size_t i = 1; i < parts_.size(); ++i) workers_.emplace_back([this, i] { work(i); });
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
  const std::int64_t all = threads();
  chunk_ = std::max<std::int64_t>(1, loop.count / (all * 8));
  for (std::int64_t i = 0; i < all; ++i) {
    Part& part = parts_[static_cast<std::size_t>(i)];
    part.next.store(loop.count * i / all, std::memory_order_relaxed);
    part.last = loop.count * (i + 1) / all;
  }
  inside_.store(0, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_part(0);
  // All is taken. Who is inside has something to finish; who is not may not enter any more.
  std::uint32_t inside = inside_.fetch_or(kClosed, std::memory_order_acq_rel) | kClosed;
  while (inside != kClosed) {
    wait_for_change(inside_, inside);
    inside = inside_.load(std::memory_order_acquire);
  }
}

void ThreadPool::work(std::size_t self) {
  for (std::uint32_t seen = 0;;) {
    wait_for_change(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_relaxed)) return;
    // Too late for this round, or the next one has begun meanwhile: both are fine.
    std::uint32_t inside = inside_.load(std::memory_order_relaxed);
    while ((inside & kClosed) == 0 &&
           !inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
    }
    if ((inside & kClosed) != 0) continue;
    take_part(self);
    if (inside_.fetch_sub(1, std::memory_order_acq_rel) == (kClosed | 1)) inside_.notify_one();
  }
}

void ThreadPool::take_part(std::size_t self) {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[(self + k) % parts_.size()];
    for (;;) {
      // Looking first: an empty part is not written to.
      if (part.next.load(std::memory_order_relaxed) >= part.last) break;
      const std::int64_t first = part.next.fetch_add(chunk_, std::memory_order_relaxed);
      if (first >= part.last) break;
      const std::int64_t last = std::min(first + chunk_, part.last);
      for (std::int64_t i = first; i < last; ++i) loop_.invoke(loop_.call, i);
    }
  }
}

}  // namespace mneme
