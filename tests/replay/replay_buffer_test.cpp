// tests/replay/replay_buffer_test.cpp - one buffer as a user holds it: n-step sums, ends, types,
// determinism, bad input.
#include "mneme/replay_buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <thread>

#include "mneme/error.h"

namespace mneme {
namespace {

// Observation t leads to observation t + 1; reward t + 1.
void add_step(ReplayBuffer& buffer, int t, bool terminated = false, bool truncated = false,
              Index stream = 0) {
  const std::vector<float> now{static_cast<float>(t)}, next{static_cast<float>(t + 1)},
      action{0.5f};
  buffer.add({.stream = stream,
              .observation = now,
              .action = action,
              .reward = static_cast<float>(t + 1),
              .next_observation = next,
              .terminated = terminated,
              .truncated = truncated});
}

ReplayConfig small(Index capacity = 8, Index n_step = 1) {
  return {
      .observation = {1}, .action = {1}, .capacity = capacity, .n_step = n_step, .discount = 0.9};
}

// Every transition that can be drawn, by its first observation.
std::map<int, std::array<float, 4>> everything(ReplayBuffer& buffer) {
  Batch batch = buffer.make_batch(2000);
  buffer.sample(batch);
  std::map<int, std::array<float, 4>> rows;
  for (std::size_t k = 0; k < batch.size; ++k)
    rows[static_cast<int>(batch.observation[k])] = {batch.reward[k], batch.next_observation[k],
                                                    batch.discount[k],
                                                    static_cast<float>(batch.horizon[k])};
  return rows;
}

// A ring of 8 that has wrapped: slots hold rewards 9, 10, 3 .. 8 and the newest is reward 10 (n =
// 3, discount 0.9). The windows at the seam are cut at the newest row; nothing of the oldest leaks
// in.
TEST(ReplayBuffer, NStepWindowsAtTheSeamOfTheRing) {
  for (const Horizon horizon : {Horizon::clip, Horizon::full}) {
    ReplayConfig config = small(8, 3);
    config.horizon = horizon;
    ReplayBuffer buffer(config);
    for (int t = 0; t < 10; ++t) add_step(buffer, t);
    const auto rows = everything(buffer);
    EXPECT_EQ(rows.size(), horizon == Horizon::clip ? 8u : 6u);
    EXPECT_NEAR(rows.at(2)[0], 3 + 0.9 * 4 + 0.81 * 5, 1e-5);
    EXPECT_EQ(rows.at(2)[1], 5);
    EXPECT_NEAR(rows.at(7)[0], 8 + 0.9 * 9 + 0.81 * 10, 1e-5);
    EXPECT_NEAR(rows.at(7)[2], 0.729, 1e-6);
    if (horizon == Horizon::clip) {
      EXPECT_NEAR(rows.at(8)[0], 9 + 0.9 * 10, 1e-5);
      EXPECT_EQ(rows.at(8)[1], 10);
      EXPECT_NEAR(rows.at(8)[2], 0.81, 1e-6);
      EXPECT_EQ(rows.at(9), (std::array<float, 4>{10, 10, 0.9f, 1}));
    }
  }
}

TEST(ReplayBuffer, TerminatedTruncatedAndCutAreDifferent) {
  ReplayConfig config = small(16, 2);
  config.horizon = Horizon::clip;
  ReplayBuffer buffer(config);
  add_step(buffer, 0);
  add_step(buffer, 1, true);
  add_step(buffer, 10);
  add_step(buffer, 11, false, true);
  add_step(buffer, 20);
  add_step(buffer, 21);
  add_step(buffer, 30);  // 21 led to 22, not to 30: a reset without notice
  const auto rows = everything(buffer);
  EXPECT_EQ(rows.at(0)[2], 0);  // the second of its two steps ends the episode
  EXPECT_EQ(rows.at(1), (std::array<float, 4>{2, 2, 0, 1}));
  EXPECT_EQ(rows.at(11), (std::array<float, 4>{12, 12, 0.9f, 1}));
  EXPECT_NEAR(rows.at(10)[2], 0.81, 1e-6);
  EXPECT_EQ(rows.at(21), (std::array<float, 4>{22, 22, 0.9f, 1}));
  EXPECT_EQ(buffer.cuts(), 1u);
  buffer.cut(0);
  buffer.cut(0);  // says nothing new
  EXPECT_EQ(buffer.cuts(), 2u);
}

TEST(ReplayBuffer, TheSameSeedGivesTheSameBatches) {
  const auto draw = [](std::uint64_t seed) {
    ReplayBuffer buffer({.observation = {1},
                         .action = {1},
                         .capacity = 100,
                         .streams = 3,
                         .sampler = "truncated_geometric",
                         .seed = seed});
    for (int t = 0; t < 50; ++t)
      for (Index s = 0; s < 3; ++s)
        if (t % 7 != s) add_step(buffer, t, false, false, s);
    Batch batch = buffer.make_batch(64);
    buffer.sample(batch);
    buffer.sample(batch);
    return batch.id;
  };
  EXPECT_EQ(draw(4), draw(4));
  EXPECT_NE(draw(4), draw(5));
}

TEST(ReplayBuffer, VectorStepsEqualSingleSteps) {
  ReplayConfig config{.observation = {2}, .action = {1}, .capacity = 10, .streams = 2};
  ReplayBuffer one(config), all(config);
  for (int t = 0; t < 25; ++t) {
    const float f = static_cast<float>(t);
    const std::vector<float> now{f, 1, f, 2}, next{f + 1, 1, f + 1, 2}, action{f, -f}, reward{1, 2};
    const std::vector<std::uint8_t> terminated{static_cast<std::uint8_t>(t % 5 == 4), 0};
    all.add_all({.observation = now,
                 .action = action,
                 .reward = reward,
                 .next_observation = next,
                 .terminated = terminated});
    for (Index s = 0; s < 2; ++s) {
      const std::span<const float> row(now.data() + 2 * s, 2), after(next.data() + 2 * s, 2),
          act(action.data() + s, 1);
      one.add({.stream = s,
               .observation = row,
               .action = act,
               .reward = reward[static_cast<std::size_t>(s)],
               .next_observation = after,
               .terminated = terminated[static_cast<std::size_t>(s)] != 0});
    }
  }
  Batch a = one.make_batch(100), b = all.make_batch(100);
  one.sample(a);
  all.sample(b);
  EXPECT_EQ(a.observation, b.observation);
  EXPECT_EQ(a.next_observation, b.next_observation);
  EXPECT_EQ(a.discount, b.discount);
  EXPECT_EQ(a.id, b.id);
}

TEST(ReplayBuffer, FieldsComeOutAsTheyWentIn) {
  ReplayBuffer buffer(
      {.observation = {{2, 2}, DType::u8},
       .action = {},
       .capacity = 5,
       .fields = {
           {"log_prob", {}}, {"privileged", {{3}, DType::f16}}, {"task", {{1}, DType::i64}}}});
  const std::vector<std::uint8_t> now{0, 128, 255, 7}, next{1, 2, 3, 4};
  const std::vector<float> action{0.25f}, log_prob{-1.5f}, privileged{0.5f, -2.0f, 65504.0f};
  const std::vector<std::int64_t> task{12};
  buffer.add({.observation = now,
              .action = action,
              .reward = 1,
              .next_observation = next,
              .terminated = true,
              .fields = {log_prob, privileged, task}});
  Batch batch = buffer.make_batch(3);
  buffer.sample(batch);
  EXPECT_EQ(std::vector<float>(batch.observation.begin(), batch.observation.begin() + 4),
            (std::vector<float>{0, 128, 255, 7}));
  EXPECT_EQ(std::vector<float>(batch.next_observation.begin(), batch.next_observation.begin() + 4),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(batch.fields[0][0], -1.5f);
  EXPECT_EQ(std::vector<float>(batch.fields[1].begin(), batch.fields[1].begin() + 3), privileged);
  EXPECT_EQ(batch.fields[2][2], 12);
}

TEST(ReplayBuffer, BadInputIsRefusedAndNothingChanges) {
  ReplayBuffer buffer(small(4, 2));
  Batch batch = buffer.make_batch(2);
  EXPECT_THROW(buffer.sample(batch), InvalidArgument);  // empty
  add_step(buffer, 0);
  EXPECT_THROW(buffer.sample(batch), InvalidArgument);  // no complete window
  const std::vector<float> one{1}, two{1, 2};
  const std::vector<std::int32_t> whole{1};
  EXPECT_THROW(buffer.add({.observation = two, .action = one, .next_observation = one}),
               InvalidArgument);
  EXPECT_THROW(buffer.add({.observation = one, .action = two, .next_observation = one}),
               InvalidArgument);
  EXPECT_THROW(buffer.add({.observation = one, .action = one, .next_observation = two}),
               InvalidArgument);
  EXPECT_THROW(buffer.add({.observation = whole, .action = one, .next_observation = one}),
               InvalidArgument);
  EXPECT_THROW(
      buffer.add({.stream = 1, .observation = one, .action = one, .next_observation = one}),
      InvalidArgument);
  EXPECT_THROW(
      buffer.add(
          {.observation = one, .action = one, .reward = std::nanf(""), .next_observation = one}),
      InvalidArgument);
  EXPECT_THROW(
      buffer.add({.observation = one, .action = one, .next_observation = one, .fields = {one}}),
      InvalidArgument);
  EXPECT_EQ(buffer.size(), 1);
  EXPECT_EQ(buffer.cuts(), 0u);
  add_step(buffer, 1);
  Batch other = ReplayBuffer({.observation = {3}, .action = {1}}).make_batch(2);
  EXPECT_THROW(buffer.sample(other), InvalidArgument);
  EXPECT_NO_THROW(buffer.sample(batch));
  Batch shortened = batch;
  shortened.age.clear();
  EXPECT_THROW(buffer.sample(shortened), InvalidArgument);
  SequenceBatch windows = buffer.make_sequences(2, 2, 1);
  EXPECT_NO_THROW(buffer.sample(windows));
  windows.valid.pop_back();
  EXPECT_THROW(buffer.sample(windows), InvalidArgument);
  windows = buffer.make_sequences(2, 2, 1);
  windows.burn_in = 3;
  EXPECT_THROW(buffer.sample(windows), InvalidArgument);
  EXPECT_THROW(buffer.make_batch(0), InvalidArgument);
  EXPECT_THROW(buffer.size(3), InvalidArgument);
}

TEST(ReplayBuffer, ImpossibleConfigurationsAreRefused) {
  const auto refused = [](const ReplayConfig& config) {
    EXPECT_THROW(ReplayBuffer{config}, Error);
  };
  refused({.observation = {0}, .action = {1}});
  refused({.observation = {1}, .action = {1}, .capacity = 0});
  refused({.observation = {1}, .action = {1}, .capacity = 4, .n_step = 5});
  refused({.observation = {1}, .action = {1}, .n_step = 0});
  refused({.observation = {1}, .action = {1}, .discount = 1.5});
  refused({.observation = {1}, .action = {1}, .streams = 0});
  refused({.observation = {1}, .action = {1}, .sampler = "no_such_sampler"});
  refused({.observation = {1}, .action = {1}, .stream_policy = "unifrom"});
  refused({.observation = {1}, .action = {1}, .streams = 2, .stream_policy = "weighted:1"});
  refused({.observation = {1}, .action = {1}, .fields = {{"reward", {}}}});
  try {
    ReplayBuffer({.observation = {10'000}, .action = {1}, .capacity = 100'000'000});
    FAIL() << "4 TB were promised";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("GiB"), std::string::npos) << error.what();
  }
}

// Rows whose every number is the same: a torn row shows at once. Four writers and a reader.
TEST(ReplayBuffer, NoRowIsTornWhileWritersRun) {
  constexpr std::size_t kWidth = 48;
  ReplayBuffer buffer({.observation = {static_cast<Index>(kWidth)},
                       .action = {1},
                       .capacity = 64,
                       .streams = 4,
                       .n_step = 2});
  std::atomic<bool> stop{false};
  const auto write = [&](Index stream, int steps) {
    std::vector<float> now(kWidth), next(kWidth);
    const float action[1]{0};
    for (int t = 0; steps == 0 ? !stop.load() : t < steps; ++t) {
      std::fill(now.begin(), now.end(), static_cast<float>(t % 1'000'000));
      std::fill(next.begin(), next.end(), static_cast<float>((t + 1) % 1'000'000));
      buffer.add({.stream = stream,
                  .observation = now,
                  .action = action,
                  .reward = 1,
                  .next_observation = next,
                  .truncated = t % 37 == 36});
      if (t % 91 == 90) t += 5;  // and now and then a reset without notice
    }
  };
  for (Index s = 0; s < 4; ++s) write(s, 200);
  std::vector<std::thread> writers;
  for (Index s = 0; s < 4; ++s) writers.emplace_back(write, s, 0);
  // A buffer is sampled by one thread at a time; the writers do not wait for it.
  Batch batch = buffer.make_batch(256);
  std::size_t torn = 0, wrong = 0;
  for (int round = 0; round < 2000; ++round) {
    buffer.sample(batch);
    for (std::size_t k = 0; k < batch.size; ++k) {
      const float* row = &batch.observation[k * kWidth];
      const float* next = &batch.next_observation[k * kWidth];
      for (std::size_t i = 1; i < kWidth; ++i)
        torn += (row[i] != row[0] ? 1u : 0u) + (next[i] != next[0] ? 1u : 0u);
      wrong += std::fmod(row[0] + static_cast<float>(batch.horizon[k]), 1e6f) != next[0] ? 1 : 0;
    }
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace mneme
