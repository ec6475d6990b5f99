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

TEST(ThreadPool, EndsWithoutWork) {
  for (int i = 0; i < 20; ++i) ThreadPool pool(3);
}

}  // namespace
}  // namespace mneme
