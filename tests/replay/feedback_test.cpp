// tests/replay/feedback_test.cpp - TD errors reach the rows they belong to, and nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mneme/error.h"
#include "mneme/replay_buffer.h"

namespace mneme {
namespace {

void add(ReplayBuffer& buffer, int t, Index stream = 0) {
  const std::vector<float> now{static_cast<float>(t)}, next{static_cast<float>(t + 1)}, action{0};
  buffer.add({.stream = stream,
              .observation = now,
              .action = action,
              .reward = 0,
              .next_observation = next});
}

ReplayBuffer four_rows(const std::string& sampler) {
  ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 4, .sampler = sampler});
  for (int t = 0; t < 4; ++t) add(buffer, t);
  return buffer;
}

const std::vector<std::uint64_t> kIds{0, 1, 2, 3};

// Priorities 0.1, 0.5, 1, 2 with alpha 0.6 and beta 0.4: the reference probabilities and weights.
TEST(Feedback, ProportionalPrioritiesOfTheReference) {
  ReplayBuffer buffer = four_rows("per:alpha=0.6,eps=0,beta=0.4,beta_end=0.4");
  const std::vector<float> td{0.1f, -0.5f, 1, -2};
  const FeedbackReport report = buffer.update_priorities(kIds, td);
  EXPECT_EQ(report.applied, 4);
  Batch batch = buffer.make_batch(100'000);
  buffer.sample(batch);
  std::map<int, double> counts;
  std::map<int, float> weights;
  for (std::size_t k = 0; k < batch.size; ++k) {
    counts[static_cast<int>(batch.observation[k])] += 1e-5;
    weights[static_cast<int>(batch.observation[k])] = batch.weight[k];
  }
  const std::array p{0.073304239217, 0.192535622485, 0.291829432644, 0.442330705654};
  const std::array w{1.0, 0.679590343089, 0.575439937337, 0.487251069486};
  for (int t = 0; t < 4; ++t) {
    EXPECT_NEAR(counts[t], p[static_cast<std::size_t>(t)],
                1e-4);  // stratified: right to a draw per share
    EXPECT_NEAR(weights[t], w[static_cast<std::size_t>(t)], 1e-6);
  }
}

// A row that has been overwritten is counted, and its successor in the slot keeps its priority.
TEST(Feedback, StaleIdsNeverHitANewerRow) {
  ReplayBuffer buffer = four_rows("per:alpha=1,eps=0");
  buffer.update_priorities(kIds, std::vector<float>{1, 1, 1, 1});
  add(buffer, 4);  // overwrites row 0
  const FeedbackReport report = buffer.update_priorities(kIds, std::vector<float>{1000, 1, 1, 1});
  EXPECT_EQ(report.stale, 1);
  EXPECT_EQ(report.applied, 3);
  Batch batch = buffer.make_batch(1000);
  buffer.sample(batch);
  int newest = 0;
  for (const float observation : batch.observation) newest += observation == 4 ? 1 : 0;
  EXPECT_NEAR(newest, 250, 2);
}

TEST(Feedback, BadValuesAreRefusedTheOthersApplied) {
  ReplayBuffer buffer = four_rows("per");
  const FeedbackReport report =
      buffer.update_priorities(kIds, std::vector<float>{std::nanf(""), INFINITY, 1, 2});
  EXPECT_EQ(report.refused, 2);
  EXPECT_EQ(report.applied, 2);
  EXPECT_THROW(buffer.update_priorities(kIds, std::vector<float>{1}), InvalidArgument);
  EXPECT_THROW(buffer.update_priorities(std::vector<std::uint64_t>{4}, std::vector<float>{1}),
               InvalidArgument);
  EXPECT_THROW(buffer.update_priorities(std::vector<std::uint64_t>{std::uint64_t{1} << 44},
                                        std::vector<float>{1}),
               InvalidArgument);
}

TEST(Feedback, SamplersWithoutPrioritiesOnlyCountIt) {
  ReplayBuffer buffer = four_rows("truncated_geometric");
  EXPECT_EQ(buffer.update_priorities(kIds, std::vector<float>{1, 2, 3, 4}).ignored, 4);
}

TEST(Feedback, BetaFollowsTheProgressOfTheRun) {
  ReplayBuffer buffer = four_rows("per:alpha=1,eps=0,beta=0,beta_end=1");
  buffer.update_priorities(kIds, std::vector<float>{1, 1, 1, 3});
  Batch batch = buffer.make_batch(100);
  buffer.sample(batch);
  for (const float weight : batch.weight) EXPECT_EQ(weight, 1);
  buffer.set_progress(1);
  buffer.sample(batch);
  for (std::size_t k = 0; k < batch.size; ++k)
    EXPECT_NEAR(batch.weight[k], batch.observation[k] == 3 ? 1.0 / 3 : 1.0, 1e-6);
  EXPECT_THROW(buffer.set_progress(1.5), InvalidArgument);
}

// One tree per stream: errors of one task do not drown another.
TEST(Feedback, StreamsHaveTreesOfTheirOwn) {
  ReplayBuffer buffer({.observation = {1},
                       .action = {1},
                       .capacity = 4,
                       .streams = 2,
                       .sampler = "per:alpha=1,eps=0",
                       .stream_policy = "equal_share"});
  for (int t = 0; t < 4; ++t)
    for (Index s = 0; s < 2; ++s) add(buffer, t, s);
  std::vector<std::uint64_t> ids;
  std::vector<float> td;
  for (std::uint64_t s = 0; s < 2; ++s)
    for (std::uint64_t q = 0; q < 4; ++q) {
      ids.push_back(s << 44 | q);
      td.push_back(s == 0 ? 1000.0f : static_cast<float>(q));
    }
  EXPECT_EQ(buffer.update_priorities(ids, td).applied, 8);
  Batch batch = buffer.make_batch(600);
  buffer.sample(batch);
  std::map<std::pair<int, int>, int> counts;
  for (std::size_t k = 0; k < batch.size; ++k)
    ++counts[{batch.stream[k], static_cast<int>(batch.observation[k])}];
  EXPECT_NEAR((counts[{0, 0}]), 75, 1);
  EXPECT_EQ((counts[{1, 0}]), 0);
  EXPECT_NEAR((counts[{1, 1}]), 50, 1);
  EXPECT_NEAR((counts[{1, 3}]), 150, 1);
}

// Priority times recency: 2^(-recency age / (capacity - 1)).
TEST(Feedback, RecencyTimesPriority) {
  ReplayBuffer buffer =
      four_rows("recency_per:recency=3,alpha=1,eps=0,beta=1,beta_end=1,weights=none");
  buffer.update_priorities(kIds, std::vector<float>{4, 1, 2, -1});
  const std::array mass{4.0 / 8, 1.0 / 4, 2.0 / 2, 1.0};
  const double total = 2.75;
  Batch batch = buffer.make_batch(200'000);
  buffer.sample(batch);
  std::array<double, 4> share{};
  for (std::size_t k = 0; k < batch.size; ++k) {
    const auto row = static_cast<std::size_t>(batch.observation[k]);
    share[row] += 1.0 / static_cast<double>(batch.size);
    EXPECT_NEAR(batch.weight[k], total / (4 * mass[row]), 1e-5);
  }
  // five standard deviations; per alone would be off by 0.2
  for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(share[row], mass[row] / total, 0.006);
  EXPECT_THROW(four_rows("recency_per:recency=-1"), InvalidArgument);
}

TEST(Feedback, UnknownParametersAreRefused) {
  EXPECT_THROW(four_rows("per:alhpa=1"), NotFound);
  EXPECT_THROW(four_rows("per:alpha=-1"), InvalidArgument);
  EXPECT_THROW(four_rows("reaper:draws=sometimes"), InvalidArgument);
}

}  // namespace
}  // namespace mneme
