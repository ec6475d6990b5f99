// tests/replay/allocation_test.cpp - adding and sampling take no memory once a batch has been made.
#include <gtest/gtest.h>

#include "mneme/replay_buffer.h"
#include "support/allocations.h"

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
    const long before = testing::allocations.load();
    for (int t = 150; t < 400; ++t) {
      add(t);
      buffer.sample(batch);
      buffer.update_priorities(batch.id, td);
    }
    EXPECT_EQ(testing::allocations.load(), before) << sampler;
  }
}

// The counter does count.
TEST(Allocation, TheCounterCounts) {
  const long before = testing::allocations.load();
  const std::vector<int> some(100);
  EXPECT_GT(testing::allocations.load(), before + static_cast<long>(some.empty()));
}

}  // namespace
}  // namespace mneme
