// tests/base/thread_pool_test.cpp - every index exactly once, in many short rounds, by any number
// of threads.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>

namespace mneme {
namespace {

TEST(ThreadPool, EveryIndexOnce) {
  for (const std::int64_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::int64_t count : {0, 1, 2, 7, 64, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      for (int round = 1; round <= 20; ++round) {
        pool.parallel_for(count, [&](std::int64_t i) { ++seen[static_cast<std::size_t>(i)]; });
        // What the loop wrote is visible here, also after the threads have slept.
        for (const auto& times : seen) ASSERT_EQ(times.load(std::memory_order_relaxed), round);
      }
    }
  }
}

TEST(ThreadPool, ThreadsThatWentToSleepWakeUp) {
  ThreadPool pool(4);
  std::vector<int> seen(16);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.parallel_for(16, [&](std::int64_t i) { ++seen[static_cast<std::size_t>(i)]; });
  }
  for (const int times : seen) EXPECT_EQ(times, 5);
}

// A round does not wait for threads that have not begun: with many more of them than cores a short
// round must not cost a turn of each. Counted in what the caller does itself, not in time.
TEST(ThreadPool, RoundsFollowEachOtherWhileOthersSleep) {
  ThreadPool pool(8);
  std::atomic<std::int64_t> sum{0};
  for (int round = 0; round < 20'000; ++round)
    pool.parallel_for(3, [&](std::int64_t i) { sum.fetch_add(i + 1, std::memory_order_relaxed); });
  EXPECT_EQ(sum.load(), 20'000 * 6);
}

// Work of one thread's part is done by the others too.
TEST(ThreadPool, FinishedThreadTakesWorkOfOthers) {
  ThreadPool pool(2);
  std::atomic<int> done{0};
  bool helped = false;
  pool.parallel_for(16, [&](std::int64_t i) {
    if (i != 0) {
      ++done;
      return;
    }
    // The caller's first index takes until all others are done, so another thread does its part.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (done.load() < 15 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    helped = done.load() == 15;
  });
  EXPECT_TRUE(helped);
}

TEST(ThreadPool, StopsWithoutWork) {
  for (int i = 0; i < 20; ++i) ThreadPool pool(3);
}

}  // namespace
}  // namespace mneme
