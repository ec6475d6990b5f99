// tests/replay/allocation_test.cpp - adding and sampling take no memory once a batch has been made.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "mneme/replay_buffer.h"

namespace {

std::atomic<long> allocations{0};

}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
// Having inlined one of the two, GCC takes the pair below for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;  // std::stable_sort asks this way
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace mneme {
namespace {

TEST(Allocation, NoneWhileAddingAndSampling) {
  for (const char* sampler : {"uniform", "truncated_geometric", "ere", "gaussian", "mix", "per"}) {
    ReplayBuffer buffer({.observation = {4},
                         .action = {2},
                         .capacity = 100,
                         .streams = 2,
                         .sampler = sampler,
                         .n_step = 2});
    std::vector<float> now(4), next(4), action(2), td(64);
    const auto add = [&](int t) {
      next[0] = static_cast<float>(t + 1);
      for (Index stream = 0; stream < 2; ++stream)
        buffer.add({.stream = stream,
                    .observation = now,
                    .action = action,
                    .next_observation = next,
                    .terminated = t % 7 == 6});
      now[0] = next[0];
    };
    for (int t = 0; t < 150; ++t) add(t);
    Batch batch = buffer.make_batch(64);
    buffer.sample(batch);  // the first one sizes the buffer's own working memory
    buffer.update_priorities(batch.id, td);
    const long before = allocations.load();
    for (int t = 150; t < 400; ++t) {
      add(t);
      buffer.sample(batch);
      buffer.update_priorities(batch.id, td);
    }
    EXPECT_EQ(allocations.load(), before) << sampler;
  }
}

// The counter does count.
TEST(Allocation, TheCounterCounts) {
  const long before = allocations.load();
  const std::vector<int> some(100);
  EXPECT_GT(allocations.load(), before + static_cast<long>(some.empty()));
}

}  // namespace
}  // namespace mneme
