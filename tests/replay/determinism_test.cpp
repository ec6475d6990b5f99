// tests/replay/determinism_test.cpp - batches are a function of the seed and of what was added, not
// of how many threads added it.
#include <gtest/gtest.h>

#include <thread>

#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

constexpr Index kStreams = 8;

struct Drawn {
  std::vector<std::uint64_t> id;
  std::vector<float> reward, next, weight;
  bool operator==(const Drawn&) const = default;
};

// Streams are split among the writers; stream s gets 90 + 7 s rows, more than fit.
void write(ReplayBuffer& buffer, int writer, int writers, float planted) {
  for (Index s = writer; s < kStreams; s += writers) {
    const std::vector<float> action{0};
    for (int t = 0; t < 90 + 7 * s; ++t) {
      const std::vector<float> now{static_cast<float>(t), static_cast<float>(s)},
          next{static_cast<float>(t + 1), static_cast<float>(s)};
      buffer.add({.stream = s,
                  .observation = now,
                  .action = action,
                  .reward = static_cast<float>((t * 5 + s) % 13) + (s == 6 ? planted : 0),
                  .next_observation = next,
                  .terminated = t % 17 == 16,
                  .truncated = t % 23 == 22});
      if (t % 31 == 30) ++t;  // a reset without notice
    }
  }
}

Drawn batches(const std::string& sampler, int writers, std::uint64_t seed = 3, float planted = 0) {
  ReplayBuffer buffer({.observation = {2},
                       .action = {1},
                       .capacity = 64,
                       .streams = kStreams,
                       .sampler = sampler,
                       .n_step = 3,
                       .seed = seed});
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, w] { write(buffer, w, writers, planted); });
  for (std::thread& thread : threads) thread.join();
  Batch batch = buffer.make_batch(512);
  Drawn drawn;
  std::vector<float> td(batch.size);
  for (int round = 0; round < 5; ++round) {
    buffer.sample(batch);
    for (std::size_t k = 0; k < batch.size; ++k) td[k] = batch.reward[k] - 20;
    buffer.update_priorities(batch.id, td);
    drawn.id.insert(drawn.id.end(), batch.id.begin(), batch.id.end());
    drawn.reward.insert(drawn.reward.end(), batch.reward.begin(), batch.reward.end());
    drawn.next.insert(drawn.next.end(), batch.next_observation.begin(),
                      batch.next_observation.end());
    drawn.weight.insert(drawn.weight.end(), batch.weight.begin(), batch.weight.end());
  }
  return drawn;
}

TEST(Determinism, TheSameBatchesWhateverTheNumberOfWriters) {
  std::vector<std::string> samplers;
  for (const SamplerInfo* info : registered_samplers()) samplers.emplace_back(info->examples[0]);
  for (const std::string& sampler : samplers) {
    const Drawn one = batches(sampler, 1);
    EXPECT_EQ(batches(sampler, 2), one) << sampler;
    EXPECT_EQ(batches(sampler, 8), one) << sampler;
    // Controls: another seed, or another number in one stream, does not go unnoticed.
    EXPECT_NE(batches(sampler, 2, 4).id, one.id) << sampler;
    EXPECT_NE(batches(sampler, 2, 3, 0.5F).reward, one.reward) << sampler;
  }
}

}  // namespace
}  // namespace mneme
